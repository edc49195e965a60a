// HTTP/2 where it was asked for, unix sockets, trailers, and addresses of this machine only.
#include <gmock/gmock.h>
#include <stdlib.h>
#include <unistd.h>

#include "net/address_guard.hpp"
#include "tests/unit/net/certificates.hpp"
#include "tests/unit/net/client_world.hpp"
#include "tests/unit/net/h2_server.hpp"

namespace sluice::net::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class Http2Client : public ClientWorld {
  protected:
    Http2Client() {
        char name[] = "/tmp/sluice-http2-XXXXXX";
        folder = ::mkdtemp(name);
        socket = folder + "/socket";
    }
    ~Http2Client() override {
        ::unlink(socket.c_str());
        ::rmdir(folder.c_str());
    }

    HttpRequest post(const std::string& url) {
        return {.method = "POST",
                .url = url,
                .headers = {{"content-type", Redacted("application/grpc")}},
                .body = "question",
                .version = HttpVersion::Two,
                .wanted = {"grpc-status", "grpc-message"}};
    }
    HttpRequest post_to_socket() {
        HttpRequest request = post("http://localhost/path");
        request.unix_socket = socket;
        return request;
    }

    std::unique_ptr<asio::ssl::context> serving(const Authority& authority) {
        const Pem pem = authority.issue("server", "IP:127.0.0.1");
        auto context = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_server);
        context->use_certificate_chain(asio::buffer(pem.cert));
        context->use_private_key(asio::buffer(pem.key), asio::ssl::context::pem);
        return context;
    }

    // The loop has work even when nobody waits for anything.
    asio::executor_work_guard<asio::io_context::executor_type> work{loop.get_executor()};
    std::string folder;
    std::string socket;
};

TEST_F(Http2Client, keeps_the_headers_and_trailers_that_are_wanted) {
    H2Server server(loop, h2_answer("answer", {{"content-type", "application/grpc"}, {"x", "y"}},
                                    {{"grpc-status", "0"}, {"z", "0"}}));
    const auto got = fetch(post("http://" + server.address() + "/path"));
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_EQ(got->status, 200);
    EXPECT_EQ(got->body, "answer");
    EXPECT_EQ(got->content_type, "application/grpc");
    EXPECT_THAT(got->kept, ElementsAre(Pair("grpc-status", "0")));
    EXPECT_EQ(server.received.at(0).body, "question");
}

TEST_F(Http2Client, keeps_nothing_of_an_answer_without_them) {
    H2Server server(loop, h2_answer("answer"));
    const auto got = fetch(post("http://" + server.address()));
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_TRUE(got->kept.empty());
}

TEST_F(Http2Client, uses_a_connection_again_over_tls) {
    const Authority authority;
    const auto context = serving(authority);
    H2Server server(loop, h2_answer("answer", {}, {{"grpc-status", "0"}}), context.get());
    HttpRequest request = post("https://" + server.address());
    request.tls = std::make_shared<Tls>(Tls{.ca_pem = authority.pem()});
    for (int i = 0; i < 3; ++i)
        ASSERT_TRUE(fetch(request));
    EXPECT_EQ(server.connections(), 1);
}

TEST_F(Http2Client, dials_for_each_request_without_tls) {
    H2Server server(loop, h2_answer("answer", {}, {{"grpc-status", "0"}}));
    for (int i = 0; i < 3; ++i)
        ASSERT_TRUE(fetch(post("http://" + server.address())));
    EXPECT_EQ(server.connections(), 3);
    settle();
    for (const auto& session : server.sessions)
        EXPECT_FALSE(session->is_open());
}

TEST_F(Http2Client, dials_anew_after_the_server_has_gone_away) {
    const Authority authority;
    const auto context = serving(authority);
    H2Server server(loop, h2_answer("answer", {}, {{"grpc-status", "0"}}), context.get());
    HttpRequest request = post("https://" + server.address());
    request.tls = std::make_shared<Tls>(Tls{.ca_pem = authority.pem()});
    ASSERT_TRUE(fetch(request));
    server.sessions.at(0)->go_away();
    server.sessions.at(0)->close();
    settle();
    const auto got = fetch(request);
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_EQ(server.connections(), 2);
}

TEST_F(Http2Client, speaks_over_a_unix_socket) {
    H2Server server(loop, h2_answer("answer", {}, {{"grpc-status", "0"}}), nullptr, socket);
    const auto got = fetch(post_to_socket());
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_EQ(got->body, "answer");
}

TEST_F(Http2Client, names_a_socket_that_is_not_there) {
    const auto got = fetch(post_to_socket());
    EXPECT_EQ(kind_of(got), ErrorKind::Unreachable);
    EXPECT_EQ(message_of(got), "cannot reach " + socket + ": no such file or directory");
}

TEST_F(Http2Client, refuses_sockets_that_cannot_be) {
    for (const auto& path : {std::string("relative"), std::string(200, '/')}) {
        HttpRequest request = post("http://localhost/");
        request.unix_socket = path;
        EXPECT_EQ(kind_of(fetch(request)), ErrorKind::Invalid);
    }
    HttpRequest guarded = post_to_socket();
    guarded.guard = AddressGuard::NoLocal;
    EXPECT_EQ(kind_of(fetch(guarded)), ErrorKind::Invalid);
    HttpRequest secure = post_to_socket();
    secure.url = "https://localhost/";
    EXPECT_EQ(kind_of(fetch(secure)), ErrorKind::Invalid);
}

TEST_F(Http2Client, speaks_over_tls) {
    const Authority authority;
    const auto context = serving(authority);
    H2Server server(loop, h2_answer("answer", {}, {{"grpc-status", "0"}}), context.get());
    HttpRequest request = post("https://" + server.address());
    request.tls = std::make_shared<Tls>(Tls{.ca_pem = authority.pem()});
    const auto got = fetch(request);
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_THAT(got->kept, ElementsAre(Pair("grpc-status", "0")));
}

TEST_F(Http2Client, says_that_a_server_speaks_only_an_older_version) {
    ScriptedServer plain(loop, always(answer("old")));
    const auto got = fetch(post(plain.url()));
    EXPECT_FALSE(got);
    EXPECT_THAT(message_of(got), HasSubstr("gave no answer in HTTP/2"));

    const Authority authority;
    const auto context = serving(authority);
    ScriptedServer secure(loop, always(answer("old")), context.get());
    HttpRequest request = post(secure.url());
    request.tls = std::make_shared<Tls>(Tls{.ca_pem = authority.pem()});
    EXPECT_THAT(message_of(fetch(request)), HasSubstr("gave no answer in HTTP/2"));
}

TEST_F(Http2Client, gives_an_error_for_a_stream_that_breaks_off) {
    const auto scripts = std::vector<H2Session::Script>{
        [](const auto& session, const H2Request& request) {
            session->headers(request.stream, {{":status", "200"}}, false);
            session->reset_stream(request.stream, 2);
        },
        [](const auto& session, const H2Request& request) {
            session->headers(request.stream, {{":status", "200"}}, false);
            session->data(request.stream, "half", false);
            session->close();
        },
        [](const auto& session, const H2Request&) { session->close(); },
        [](const auto& session, const H2Request&) { session->raw("\x05not a frame at all......"); },
        [](const auto& session, const H2Request& request) {
            session->frame(1, 0x5, request.stream, "\xff\xff\xff\xff\xff\xff\xff");
        },
        [](const auto& session, const H2Request& request) {
            session->data(request.stream, "before the headers", true);
        }};
    for (const auto& script : scripts) {
        H2Server server(loop, script);
        HttpRequest request = post("http://" + server.address());
        request.deadline = 2s;
        const auto got = fetch(request);
        EXPECT_FALSE(got) << "script " << &script - scripts.data();
    }
}

TEST_F(Http2Client, bounds_an_endless_answer) {
    H2Server server(loop, h2_answer(std::string(300 << 10, 'x'), {}, {{"grpc-status", "0"}}));
    HttpRequest request = post("http://" + server.address());
    request.body_max = 100 << 10;
    EXPECT_EQ(kind_of(fetch(request)), ErrorKind::TooLarge);
}

TEST_F(Http2Client, goes_to_this_machine_only_where_it_was_told_so) {
    H2Server server(loop, h2_answer("answer"));
    HttpRequest request = post("http://" + server.address());
    request.guard = AddressGuard::OnlyLoopback;
    EXPECT_TRUE(fetch(request));
    EXPECT_EQ(denied(AddressGuard::OnlyLoopback, "10.0.0.1"), "10.0.0.1, not a loopback address");
    EXPECT_EQ(denied(AddressGuard::OnlyLoopback, "2001:db8::1"),
              "2001:db8::1, not a loopback address");
    EXPECT_EQ(denied(AddressGuard::OnlyLoopback, "169.254.169.254"),
              "169.254.169.254, a link-local address");
    EXPECT_EQ(denied(AddressGuard::OnlyLoopback, "::1"), std::nullopt);
}

}  // namespace
}  // namespace sluice::net::testing
