// What is sent, and what comes back.
#include "net/http_client.hpp"

#include <gmock/gmock.h>

#include <cstdlib>

#include "tests/unit/net/client_world.hpp"

namespace sluice::net::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using HttpClientTest = ClientWorld;

TEST_F(HttpClientTest, hands_on_status_body_and_the_headers_that_matter) {
    ScriptedServer server(loop, always(answer("slow down", "429 Too Many Requests",
                                              "content-type: text/plain\r\nRETRY-AFTER:  7 \r\n"
                                              "Warning: 299 - \"old\"\r\nWarning: second\r\n")));
    const auto got = fetch(server.url());
    ASSERT_TRUE(got);
    EXPECT_EQ(got->status, 429);
    EXPECT_EQ(got->body, "slow down");
    EXPECT_EQ(got->content_type, "text/plain");
    EXPECT_EQ(got->retry_after, "7");
    EXPECT_EQ(got->warning, "299 - \"old\"");
}

TEST_F(HttpClientTest, sends_nothing_that_was_not_asked_for) {
    ScriptedServer server(loop, always(answer("")));
    ASSERT_TRUE(fetch(server.url("/api?watch=1&x=%20y#here")));
    const std::string host = "Host: 127.0.0.1:" + std::to_string(server.port()) + "\r\n";
    EXPECT_EQ(server.received.at(0).head,
              "GET /api?watch=1&x=%20y HTTP/1.1\r\n" + host + "Accept: */*\r\n\r\n");
}

TEST_F(HttpClientTest, sends_headers_also_one_without_a_value) {
    ScriptedServer server(loop, always(answer("")));
    ASSERT_TRUE(fetch({.url = server.url(),
                       .headers = {{"Authorization", Redacted("Bearer abc")},
                                   {"Accept", Redacted("application/json")},
                                   {"X-Empty", Redacted("")},
                                   {"X-Blank", Redacted(" ")}}}));
    const std::string& head = server.received.at(0).head;
    EXPECT_THAT(head, HasSubstr("\r\nAuthorization: Bearer abc\r\n"));
    EXPECT_THAT(head, HasSubstr("\r\nAccept: application/json\r\n"));
    EXPECT_THAT(head, HasSubstr("\r\nX-Empty:\r\n"));
    EXPECT_THAT(head, HasSubstr("\r\nX-Blank:\r\n"));
    EXPECT_THAT(head, Not(HasSubstr("*/*")));
}

TEST_F(HttpClientTest, sends_the_body_with_any_method) {
    ScriptedServer server(loop, always(answer("")));
    for (const std::string method : {"POST", "PUT", "PATCH", "DELETE"}) {
        ASSERT_TRUE(fetch({.method = method,
                           .url = server.url(),
                           .headers = {{"Content-Type", Redacted("application/json")}},
                           .body = std::string("{\0}", 3)}));
        EXPECT_THAT(server.received.back().head, StartsWith(method + " / HTTP/1.1\r\n"));
        EXPECT_THAT(server.received.back().head, HasSubstr("Content-Type: application/json\r\n"));
        EXPECT_EQ(server.received.back().body, std::string("{\0}", 3));
    }
}

TEST_F(HttpClientTest, sends_a_large_body_without_asking_first) {
    ScriptedServer server(loop, always(answer("")));
    const std::string body(3 << 20, 'x');
    ASSERT_TRUE(fetch({.method = "POST", .url = server.url(), .body = body}));
    EXPECT_EQ(server.received.at(0).body, body);
    EXPECT_THAT(server.received.at(0).head, Not(HasSubstr("Expect")));
    EXPECT_THAT(server.received.at(0).head, Not(HasSubstr("Content-Type")));
}

TEST_F(HttpClientTest, says_that_an_empty_post_is_empty) {
    ScriptedServer server(loop, always(answer("")));
    ASSERT_TRUE(fetch({.method = "POST", .url = server.url()}));
    EXPECT_THAT(server.received.at(0).head, HasSubstr("Content-Length: 0\r\n"));
}

TEST_F(HttpClientTest, expects_no_body_after_head) {
    ScriptedServer server(loop, always("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"));
    const auto got = fetch({.method = "HEAD", .url = server.url()});
    ASSERT_TRUE(got);
    EXPECT_EQ(got->body, "");
}

TEST_F(HttpClientTest, reads_a_chunked_body) {
    ScriptedServer server(loop, always("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                                       "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"));
    const auto got = fetch(server.url());
    ASSERT_TRUE(got);
    EXPECT_EQ(got->body, "hello world");
}

TEST_F(HttpClientTest, does_not_decode_what_it_did_not_ask_for) {
    ScriptedServer server(loop, always(answer("zzz", "200 OK", "Content-Encoding: gzip\r\n")));
    const auto got = fetch(server.url());
    ASSERT_TRUE(got);
    EXPECT_EQ(got->body, "zzz");
}

TEST_F(HttpClientTest, does_not_follow_redirects) {
    ScriptedServer elsewhere(loop, always(answer("")));
    ScriptedServer server(loop,
                          always(answer("", "302 Found", "Location: " + elsewhere.url() + "\r\n")));
    const auto got = fetch(server.url());
    ASSERT_TRUE(got);
    EXPECT_EQ(got->status, 302);
    settle();
    EXPECT_EQ(elsewhere.connections(), 0);
}

TEST_F(HttpClientTest, forgets_what_an_interim_answer_said) {
    ScriptedServer server(
        loop, always("HTTP/1.1 103 Early Hints\r\nRetry-After: 9\r\n\r\n" + answer("final")));
    const auto got = fetch(server.url());
    ASSERT_TRUE(got);
    EXPECT_EQ(got->status, 200);
    EXPECT_EQ(got->retry_after, "");
    EXPECT_EQ(got->body, "final");
}

TEST_F(HttpClientTest, uses_a_connection_again) {
    ScriptedServer server(loop, always(answer("")));
    ASSERT_TRUE(fetch(server.url()));
    ASSERT_TRUE(fetch(server.url()));
    EXPECT_EQ(server.connections(), 1);
}

TEST_F(HttpClientTest, speaks_ipv6) {
    ScriptedServer server(loop, always(answer("six")), nullptr, "::1");
    const auto got = fetch(server.url("/", "[::1]"));
    ASSERT_TRUE(got);
    EXPECT_EQ(got->body, "six");
}

TEST_F(HttpClientTest, says_who_refused_the_connection) {
    const std::string url = ScriptedServer(loop, never()).url();
    const auto got = fetch(url);
    EXPECT_EQ(kind_of(got), ErrorKind::Unreachable);
    EXPECT_EQ(message_of(got),
              "cannot reach " + url.substr(7, url.size() - 8) + ": connection refused");
}

TEST_F(HttpClientTest, says_that_the_peer_hung_up) {
    ScriptedServer server(loop, [](const auto& session, const Received&) { session->close(); });
    const auto got = fetch(server.url());
    EXPECT_EQ(kind_of(got), ErrorKind::Unreachable);
    EXPECT_THAT(message_of(got), EndsWith("closed the connection without an answer"));
}

TEST_F(HttpClientTest, says_that_the_answer_was_cut_off) {
    ScriptedServer server(loop, [](const auto& session, const Received&) {
        session->send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
                      [session] { session->close(); });
    });
    const auto got = fetch(server.url());
    EXPECT_EQ(kind_of(got), ErrorKind::Unreachable);
    EXPECT_THAT(message_of(got), EndsWith("closed the connection in mid-answer"));
}

TEST_F(HttpClientTest, says_that_the_connection_was_reset) {
    ScriptedServer server(loop, [](const auto& session, const Received&) { session->reset(); });
    const auto got = fetch(server.url());
    EXPECT_EQ(kind_of(got), ErrorKind::Unreachable);
    EXPECT_THAT(message_of(got), HasSubstr("reset"));
}

TEST_F(HttpClientTest, says_that_the_answer_is_not_http) {
    ScriptedServer server(loop, [](const auto& session, const Received&) {
        session->send("220 mail ready\r\n", [session] { session->close(); });
    });
    const auto got = fetch(server.url());
    EXPECT_EQ(kind_of(got), ErrorKind::Malformed);
}

TEST_F(HttpClientTest, repeats_a_get_when_a_pooled_connection_dies_under_it) {
    ScriptedServer server(loop, [](const auto& session, const Received& request) {
        const bool is_stale = request.connection == 1 && request.head.starts_with("GET /again");
        is_stale ? session->close() : session->send(answer("fine"));
    });
    ASSERT_TRUE(fetch(server.url("/first")));
    const auto got = fetch(server.url("/again"));
    ASSERT_TRUE(got);
    EXPECT_EQ(got->body, "fine");
    EXPECT_EQ(server.connections(), 2);
}

TEST_F(HttpClientTest, never_sends_a_post_twice) {
    ScriptedServer server(loop, [](const auto& session, const Received& request) {
        request.head.starts_with("POST") ? session->close() : session->send(answer("fine"));
    });
    ASSERT_TRUE(fetch(server.url("/first")));
    const auto got = fetch({.method = "POST", .url = server.url("/again"), .body = "x"});
    EXPECT_EQ(kind_of(got), ErrorKind::Unreachable);
    settle();
    EXPECT_EQ(server.received.size(), 2u);
}

TEST_F(HttpClientTest, does_not_ask_the_environment_for_a_proxy) {
    ::setenv("http_proxy", "http://127.0.0.1:1", 1);
    ::setenv("ALL_PROXY", "http://127.0.0.1:1", 1);
    ScriptedServer server(loop, always(answer("direct")));
    const auto got = fetch(server.url());
    ::unsetenv("http_proxy");
    ::unsetenv("ALL_PROXY");
    ASSERT_TRUE(got);
    EXPECT_EQ(got->body, "direct");
}

TEST_F(HttpClientTest, goes_through_the_proxy_that_was_asked_for) {
    ::setenv("no_proxy", "*", 1);
    ScriptedServer proxy(loop, always(answer("by proxy")));
    const auto got = fetch({.url = "http://far.test/x", .proxy = proxy.url()});
    ::unsetenv("no_proxy");
    ASSERT_TRUE(got);
    EXPECT_EQ(got->body, "by proxy");
    EXPECT_THAT(proxy.received.at(0).head, StartsWith("GET http://far.test/x HTTP/1.1\r\n"));
}

TEST_F(HttpClientTest, keeps_credentials_from_a_proxy_that_refuses) {
    ScriptedServer proxy(loop, always(answer("", "403 Forbidden")));
    const auto got = fetch({.url = "https://far.test/x",
                            .headers = {{"Authorization", Redacted("Bearer abc")}},
                            .proxy = proxy.url()});
    EXPECT_EQ(kind_of(got), ErrorKind::Unreachable);
    EXPECT_EQ(message_of(got), "cannot reach far.test:443: the proxy answered 403");
    EXPECT_THAT(proxy.received.at(0).head, StartsWith("CONNECT far.test:443 HTTP/1.1\r\n"));
    EXPECT_THAT(proxy.received.at(0).head, Not(HasSubstr("abc")));
}

}  // namespace
}  // namespace sluice::net::testing
