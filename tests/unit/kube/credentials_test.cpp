#include "kube/credentials.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/unit/kube/credentials_world.hpp"

namespace sluice::kube::test {
namespace {

class KubeconfigCredentials : public CredentialsWorld {};

TEST_F(KubeconfigCredentials, carry_what_the_kubeconfig_says) {
    write_kubeconfig("{token: abc}",
                     "{server: 'https://h:6443/', proxy-url: 'socks5://p:1', tls-server-name: n, "
                     "insecure-skip-tls-verify: true}");
    open();
    const Result<Access> got = access();
    ASSERT_TRUE(got.has_value());
    EXPECT_EQ(got->server, "https://h:6443");
    EXPECT_EQ(got->proxy, "socks5h://p:1");
    EXPECT_EQ(got->tls->server_name, "n");
    EXPECT_FALSE(got->tls->verify);
    EXPECT_EQ(got->authorization.reveal(), "Bearer abc");
    EXPECT_EQ(credentials->default_namespace(), "shop");
}

TEST_F(KubeconfigCredentials, are_found_through_the_public_door) {
    const std::string path = write_kubeconfig("{username: a, password: b}");
    const auto opened = from_kubeconfig(loop, {path}, "c");
    ASSERT_TRUE(opened.has_value()) << opened.error().message;
    credentials = *opened;
    EXPECT_EQ(authorization(), "Basic YTpi");
}

TEST_F(KubeconfigCredentials, are_not_sent_in_clear) {
    write_kubeconfig("{token: abc, client-certificate: none, client-key: none}",
                     "{server: 'http://h:8080'}");
    open();
    EXPECT_EQ(authorization(), "");
}

TEST_F(KubeconfigCredentials, follow_a_token_file_once_a_second) {
    folder.write("token", "first\n");
    write_kubeconfig("{tokenFile: token}");
    open();
    const auto tls = access()->tls;
    EXPECT_EQ(authorization(), "Bearer first");
    folder.write("token", "second\n");
    now = now + 999ms;
    EXPECT_EQ(authorization(), "Bearer first");
    now = now + 1ms;
    EXPECT_EQ(authorization(), "Bearer second");
    EXPECT_EQ(access()->tls, tls) << "connections would not be used again";
}

TEST_F(KubeconfigCredentials, look_at_once_after_a_refusal) {
    folder.write("token", "first");
    write_kubeconfig("{tokenFile: token}");
    open();
    EXPECT_EQ(authorization(), "Bearer first");
    folder.write("token", "second");
    credentials->refused();
    EXPECT_EQ(authorization(), "Bearer second");
}

TEST_F(KubeconfigCredentials, notice_a_file_that_was_written_in_place) {
    folder.write("token", "first");
    write_kubeconfig("{tokenFile: token}");
    open();
    std::ofstream(folder.path("token")) << "second";
    now = now + 1s;
    EXPECT_EQ(authorization(), "Bearer second");
}

TEST_F(KubeconfigCredentials, survive_a_file_that_is_missing_for_a_while) {
    folder.write("token", "first");
    write_kubeconfig("{tokenFile: token}");
    open();
    std::filesystem::remove(folder.path("token"));
    now = now + 1s;
    EXPECT_EQ(authorization(), "Bearer first");
    folder.write("token", "second");
    now = now + 1s;
    EXPECT_EQ(authorization(), "Bearer second");
}

TEST_F(KubeconfigCredentials, tell_what_is_missing_once_the_server_refused) {
    folder.write("token", "first");
    write_kubeconfig("{tokenFile: token}");
    open();
    std::filesystem::remove(folder.path("token"));
    credentials->refused();
    EXPECT_EQ(complaint(), at_user("tokenFile: ") + folder.path("token") +
                               " cannot be read: No such file or directory");
    folder.write("token", "second");
    now = now + 1s;
    EXPECT_EQ(authorization(), "Bearer second");
}

TEST_F(KubeconfigCredentials, prefer_a_token_file_that_can_be_read_to_a_token) {
    write_kubeconfig("{tokenFile: token, token: inline}");
    open();
    EXPECT_EQ(authorization(), "Bearer inline");
    folder.write("token", "from-file");
    now = now + 1s;
    EXPECT_EQ(authorization(), "Bearer from-file");
}

TEST_F(KubeconfigCredentials, follow_the_kubeconfig_itself) {
    write_kubeconfig("{token: first}");
    open();
    write_kubeconfig("{token: second}");
    now = now + 1s;
    EXPECT_EQ(authorization(), "Bearer second");
    folder.write("config", "half: [writ");
    now = now + 1s;
    EXPECT_EQ(authorization(), "Bearer second");
}

TEST_F(KubeconfigCredentials, stay_with_their_context) {
    const std::string rest = R"(
contexts: [{name: a, context: {cluster: a, user: u}}, {name: b, context: {cluster: b, user: u}}]
clusters: [{name: a, cluster: {server: "https://a"}}, {name: b, cluster: {server: "https://b"}}]
users: [{name: u, user: {token: )";
    folder.write("config", "current-context: a" + rest + "first}}]\n");
    open();
    folder.write("config", "current-context: b" + rest + "second}}]\n");
    now = now + 1s;
    EXPECT_EQ(authorization(), "Bearer second");
    EXPECT_EQ(access()->server, "https://a");
}

TEST_F(KubeconfigCredentials, refuse_to_move_to_another_server) {
    write_kubeconfig("{token: abc}", "{server: 'https://old'}");
    open();
    write_kubeconfig("{token: abc}", "{server: 'https://new'}");
    now = now + 1s;
    EXPECT_EQ(access()->server, "https://old");
    credentials->refused();
    EXPECT_EQ(complaint(), "kubeconfig " + folder.path("config") +
                               ": clusters[name=k].cluster.server changed from https://old to "
                               "https://new meanwhile; restart to use it");
}

TEST_F(KubeconfigCredentials, read_certificates_from_data_and_from_files) {
    const auto me = authority().issue("me", "");
    folder.write("me.crt", me.cert);
    write_kubeconfig("{client-certificate: me.crt, client-key-data: " + encode_base64(me.key) + "}",
                     "{server: 'https://h', certificate-authority-data: " +
                         encode_base64(authority().pem()) + "}");
    now = Instant{0};
    open();
    const Result<Access> got = access();
    ASSERT_TRUE(got.has_value());
    EXPECT_EQ(got->tls->ca_pem, authority().pem());
    EXPECT_EQ(got->tls->client_cert_pem, me.cert);
    EXPECT_EQ(got->tls->client_key_pem.reveal(), me.key);
    EXPECT_TRUE(got->authorization.empty());
}

TEST_F(KubeconfigCredentials, change_a_certificate_only_with_its_key) {
    const auto old_pair = authority().issue("me", "");
    const auto new_pair = authority().issue("me", "");
    folder.write("me.crt", old_pair.cert);
    folder.write("me.key", old_pair.key);
    write_kubeconfig("{client-certificate: me.crt, client-key: me.key}");
    now = Instant{0};
    open();
    const auto tls = access()->tls;
    folder.write("me.crt", new_pair.cert);
    now = now + 1s;
    EXPECT_EQ(access()->tls, tls);
    folder.write("me.key", new_pair.key);
    now = now + 1s;
    EXPECT_NE(access()->tls, tls);
    EXPECT_EQ(access()->tls->client_key_pem.reveal(), new_pair.key);
}

TEST_F(KubeconfigCredentials, say_when_a_certificate_ends) {
    const auto me = authority().issue("me", "", 3600);
    folder.write("me.crt", me.cert);
    folder.write("me.key", me.key);
    write_kubeconfig("{client-certificate: me.crt, client-key: me.key}");
    now = Instant{0};
    open();
    EXPECT_EQ(complaint(), "no complaint");
    now = Instant{4'102'444'800'000};
    const std::string sentence = complaint();
    EXPECT_TRUE(sentence.starts_with(at_user("client-certificate: ") + folder.path("me.crt") +
                                     " expired at 2"))
        << sentence;
    EXPECT_TRUE(sentence.ends_with("; renew it")) << sentence;
    EXPECT_EQ(complaint(), sentence) << "a moment later it is no better";
}

TEST_F(KubeconfigCredentials, name_the_file_that_is_wrong) {
    const auto me = authority().issue("me", "");
    const auto other = authority().issue("other", "");
    folder.write("cert", me.cert);
    folder.write("key", me.key);
    folder.write("other.key", other.key);
    folder.write("text", "canary");
    folder.write("empty", "\n");
    struct Wrong {
        std::string user;
        std::string sentence;
    };
    const Wrong table[] = {
        {"{tokenFile: none}",
         "tokenFile: " + folder.path("none") + " cannot be read: No such file or directory"},
        {"{tokenFile: .}",
         "tokenFile: " + folder.path("") + " is not a regular file; copy it to one"},
        {"{tokenFile: empty}", "tokenFile: " + folder.path("empty") + " is empty"},
        {"{token: \"canary\\ncanary\"}",
         "token has a blank, a line break or another character that no token has"},
        {"{client-certificate: text, client-key: key}",
         "client-certificate: " + folder.path("text") + " holds no PEM certificate"},
        {"{client-certificate: cert, client-key: text}",
         "client-key: " + folder.path("text") + " holds no PEM private key, or an encrypted one"},
        {"{client-certificate: cert, client-key: other.key}",
         "client-key: " + folder.path("other.key") + " does not belong to the client certificate"},
        {"{client-certificate-data: Y2FuYXJ5, client-key: key}",
         "client-certificate-data holds no PEM certificate"},
    };
    for (const Wrong& wrong : table) {
        write_kubeconfig(wrong.user);
        const auto opened = try_open();
        ASSERT_FALSE(opened.has_value()) << wrong.user;
        EXPECT_EQ(opened.error().message, at_user(wrong.sentence));
        EXPECT_EQ(opened.error().message.find("canary"), std::string::npos);
    }
}

TEST_F(KubeconfigCredentials, skip_files_of_a_list_that_do_not_exist) {
    const std::string path = write_kubeconfig("{token: abc}");
    open(gather_from_kubeconfig({folder.path("none"), "", path}, ""));
    EXPECT_EQ(authorization(), "Bearer abc");
    const auto complaint_about = [&](const std::vector<std::string>& paths) {
        return try_open(gather_from_kubeconfig(paths, "")).error().message;
    };
    EXPECT_EQ(complaint_about({folder.path("none")}),
              "kubeconfig " + folder.path("none") + ": cannot be read: No such file or directory");
    EXPECT_EQ(
        complaint_about({folder.path("a"), folder.path("b")}),
        "kubeconfig: none of these files exists: " + folder.path("a") + ", " + folder.path("b"));
    EXPECT_EQ(complaint_about({}), "no kubeconfig was given; set KUBECONFIG or name a file");
}

TEST_F(KubeconfigCredentials, notice_a_file_of_a_list_that_appears) {
    const std::string late = folder.path("late");
    open(gather_from_kubeconfig({late, write_kubeconfig("{token: abc}")}, ""));
    folder.write("late", "users: [{name: u, user: {token: earlier-in-the-list}}]");
    now = now + 1s;
    EXPECT_EQ(authorization(), "Bearer earlier-in-the-list");
}

TEST_F(KubeconfigCredentials, refuse_a_pipe) {
    ASSERT_EQ(::mkfifo(folder.path("config").c_str(), 0600), 0);
    EXPECT_EQ(try_open().error().message,
              "kubeconfig " + folder.path("config") + ": is not a regular file; copy it to one");
}

TEST_F(KubeconfigCredentials, refuse_a_file_that_is_too_large) {
    folder.write("config", std::string((1 << 20) + 1, '#'));
    EXPECT_EQ(try_open().error().message,
              "kubeconfig " + folder.path("config") + ": is larger than 1024 KiB");
}

}  // namespace
}  // namespace sluice::kube::test
