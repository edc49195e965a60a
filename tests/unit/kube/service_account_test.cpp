#include <gtest/gtest.h>

#include "kube/credentials.hpp"
#include "tests/unit/kube/credentials_world.hpp"

namespace sluice::kube::test {
namespace {

class ServiceAccount : public CredentialsWorld {
  protected:
    void SetUp() override {
        folder.write("token", "first\n");
        folder.write("ca.crt", authority().pem());
        folder.write("namespace", "shop\n");
    }
    Gather gather(const std::string& host = "10.0.0.1", const std::string& port = "443") {
        return gather_from_service_account(folder.path("."), host, port);
    }
};

TEST_F(ServiceAccount, is_read_from_its_folder) {
    open(gather());
    const Result<Access> got = access();
    ASSERT_TRUE(got.has_value());
    EXPECT_EQ(got->server, "https://10.0.0.1:443");
    EXPECT_EQ(got->tls->ca_pem, authority().pem());
    EXPECT_EQ(got->authorization.reveal(), "Bearer first");
    EXPECT_EQ(credentials->default_namespace(), "shop");
}

TEST_F(ServiceAccount, puts_brackets_around_an_ipv6_address) {
    open(gather("fd00::1"));
    EXPECT_EQ(access()->server, "https://[fd00::1]:443");
    open(gather("[fd00::1]"));
    EXPECT_EQ(access()->server, "https://[fd00::1]:443");
}

TEST_F(ServiceAccount, follows_a_volume_that_swaps_its_data_link) {
    const auto publish = [&](const std::string& version, const std::string& token) {
        std::filesystem::create_directory(folder.path(version));
        folder.write(version + "/token", token);
        folder.write(version + "/ca.crt", authority().pem());
        std::filesystem::create_directory_symlink(version, folder.path("..tmp"));
        std::filesystem::rename(folder.path("..tmp"), folder.path("..data"));
    };
    publish("v1", "first");
    open(gather_from_service_account(folder.path("..data"), "h", "443"));
    publish("v2", "fresh");
    now = now + 1s;
    EXPECT_EQ(authorization(), "Bearer fresh");
}

TEST_F(ServiceAccount, falls_back_to_the_default_namespace) {
    std::filesystem::remove(folder.path("namespace"));
    open(gather());
    EXPECT_EQ(credentials->default_namespace(), "default");
}

TEST_F(ServiceAccount, says_what_is_missing) {
    const std::string outside =
        "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT do not name a server; outside of a "
        "pod, use a kubeconfig";
    EXPECT_EQ(try_open(gather("")).error().message, outside);
    EXPECT_EQ(try_open(gather("h", "")).error().message, outside);
    EXPECT_EQ(try_open(gather("h", "70000")).error().message, outside);
    const std::string at = "service account " + folder.path(".") + ": " + folder.path(".");
    folder.write("ca.crt", "nonsense");
    EXPECT_EQ(try_open(gather()).error().message, at + "/ca.crt holds no PEM certificate");
    std::filesystem::remove(folder.path("token"));
    EXPECT_EQ(from_service_account(loop, folder.path("."), "h", "443").error().message,
              at + "/token cannot be read: No such file or directory");
}

}  // namespace
}  // namespace sluice::kube::test
