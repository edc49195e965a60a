#include "cli/kubeconfig_out.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "tests/unit/kube/temp_folder.hpp"

namespace sluice::cli {
namespace {

using ::testing::HasSubstr;

std::string contents(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

class KubeconfigOut : public ::testing::Test {
  protected:
    kube::test::TempFolder folder;
    const std::string text = kubeconfig_text(
        {"https://127.0.0.1:1", "-----BEGIN", Redacted{"for-people"}, Redacted{"for-operator"}});
    const std::string path = folder.path("config");
};

TEST_F(KubeconfigOut, is_there_as_long_as_its_owner_and_for_nobody_else) {
    {
        const auto file = KubeconfigFile::write(path, text);
        ASSERT_TRUE(file) << file.error().message;
        EXPECT_EQ(file->path(), path);
        EXPECT_EQ(contents(path), text);
        struct stat seen{};
        ASSERT_EQ(::stat(path.c_str(), &seen), 0);
        EXPECT_EQ(seen.st_mode & 0777, 0600u);
    }
    EXPECT_TRUE(std::filesystem::is_empty(std::filesystem::path(path).parent_path()));
}

TEST_F(KubeconfigOut, replaces_no_file_of_somebody_else) {
    std::ofstream(path) << "apiVersion: v1\n";
    const auto file = KubeconfigFile::write(path, text);
    ASSERT_FALSE(file);
    EXPECT_EQ(
        file.error().message,
        "cannot write " + path + ": there is a file already, which is not of an embedded cluster");
    EXPECT_EQ(contents(path), "apiVersion: v1\n");
}

TEST_F(KubeconfigOut, replaces_what_a_cluster_left_behind) {
    std::ofstream(path) << text;
    EXPECT_TRUE(KubeconfigFile::write(path, text));
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(KubeconfigOut, does_not_remove_what_another_cluster_put_there) {
    auto first = std::make_unique<KubeconfigFile>(*KubeconfigFile::write(path, text));
    const auto second = KubeconfigFile::write(path, text);
    ASSERT_TRUE(second);
    first.reset();
    EXPECT_TRUE(std::filesystem::exists(path));
}

TEST_F(KubeconfigOut, says_why_it_cannot_be_written) {
    const auto file = KubeconfigFile::write(folder.path("no/such/folder"), text);
    ASSERT_FALSE(file);
    EXPECT_THAT(file.error().message, HasSubstr("No such file or directory"));
}

TEST_F(KubeconfigOut, has_a_context_for_people_and_one_for_the_operator) {
    EXPECT_THAT(text, HasSubstr("current-context: sluice\n"));
    EXPECT_THAT(text, HasSubstr("token: for-people\n"));
    EXPECT_THAT(text, HasSubstr("name: sluice-operator\n"));
    EXPECT_THAT(text, HasSubstr("token: for-operator\n"));
}

}  // namespace
}  // namespace sluice::cli
