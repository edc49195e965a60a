// From a kubeconfig on disk to a TLS server and back: what no part shows alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/ssl/context.hpp>

#include "base/base64.hpp"
#include "kube/api_client.hpp"
#include "tests/unit/kube/temp_folder.hpp"
#include "tests/unit/net/certificates.hpp"
#include "tests/unit/net/scripted_server.hpp"

namespace sluice::kube::test {
namespace {

namespace asio = boost::asio;
using net::testing::answer;
using net::testing::Received;
using net::testing::Session;

class OverTls : public ::testing::Test {
  protected:
    OverTls() {
        const auto mine = authority.issue("server", "IP:127.0.0.1");
        tls.use_certificate_chain(asio::buffer(mine.cert));
        tls.use_private_key(asio::buffer(mine.key), asio::ssl::context::pem);
        tls.add_certificate_authority(asio::buffer(authority.pem()));
        tls.set_verify_mode(asio::ssl::verify_peer);
    }

    void connect(const std::string& user) {
        const std::string path = folder.write(
            "config",
            "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n"
            "clusters: [{name: k, cluster: {server: '" +
                server.url() + "', certificate-authority-data: " + encode_base64(authority.pem()) +
                "}}]\nusers: [{name: u, user: " + user + "}]\n");
        const auto credentials = from_kubeconfig(loop, {path}, "");
        ASSERT_TRUE(credentials.has_value()) << credentials.error().message;
        client.emplace(loop, *credentials, 4);
    }

    std::string ask() {
        std::optional<std::string> text;
        client->send({.path = "/api"}, [&](ApiResult<ApiResponse> got) {
            text = got ? got->body : "error: " + got.error().error.message;
        });
        while (!text && loop.run_one_for(std::chrono::minutes(1)) != 0) {
        }
        return text.value_or("nothing");
    }

    TempFolder folder;
    net::testing::Authority authority;
    asio::ssl::context tls{asio::ssl::context::tls_server};
    asio::io_context loop;
    net::testing::ScriptedServer server{
        loop,
        [this](const std::shared_ptr<Session>& session, const Received& request) {
            const bool is_known = request.head.contains("Bearer " + valid_token + "\r\n") ||
                                  !request.client_name.empty();
            session->send(is_known ? answer("hello " + request.client_name)
                                   : answer("{}", "401 Unauthorized"));
        },
        &tls};
    std::string valid_token = "first";
    std::optional<ApiClient> client;
};

TEST_F(OverTls, a_rotated_token_file_is_found_after_the_401_on_the_same_connection) {
    folder.write("token", "first");
    connect("{tokenFile: token}");
    EXPECT_EQ(ask(), "hello ");
    valid_token = "second";
    folder.write("token", "second");
    EXPECT_EQ(ask(), "hello ");
    EXPECT_EQ(server.connections(), 1);
}

TEST_F(OverTls, a_plugin_runs_again_after_the_401) {
    folder.write_program("login", "#!/bin/sh\nread token < '" + folder.path("token") + "'\n" +
                                      R"(echo '{"apiVersion":"client.authentication.k8s.io/v1",)" +
                                      R"("kind":"ExecCredential","status":{"token":"'$token'"}}')" +
                                      "\n");
    folder.write("token", "first\n");
    connect("{exec: {apiVersion: client.authentication.k8s.io/v1, command: ./login}}");
    EXPECT_EQ(ask(), "hello ");
    valid_token = "second";
    folder.write("token", "second\n");
    EXPECT_EQ(ask(), "hello ");
}

TEST_F(OverTls, a_client_certificate_is_shown) {
    const auto me = authority.issue("me", "");
    folder.write("me.crt", me.cert);
    folder.write("me.key", me.key);
    connect("{client-certificate: me.crt, client-key: me.key}");
    EXPECT_EQ(ask(), "hello me");
}

TEST_F(OverTls, a_server_of_another_authority_is_refused) {
    folder.write("token", "canary");
    authority = net::testing::Authority("another CA");
    connect("{tokenFile: token}");
    const std::string text = ask();
    EXPECT_THAT(text, ::testing::StartsWith("error: TLS certificate of 127.0.0.1:"));
    EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("canary")));
    EXPECT_TRUE(server.received.empty());
}

}  // namespace
}  // namespace sluice::kube::test
