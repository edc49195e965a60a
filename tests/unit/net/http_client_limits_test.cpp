// Deadlines, bounds on bytes, and the queue for connections.
#include <gmock/gmock.h>

#include "tests/unit/net/client_world.hpp"

namespace sluice::net::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

using HttpClientLimits = ClientWorld;

constexpr auto endless = "HTTP/1.1 200 OK\r\n\r\n";

TEST_F(HttpClientLimits, end_a_request_that_gets_no_answer) {
    ScriptedServer server(loop, never());
    const auto got = fetch({.url = server.url(), .deadline = 50ms});
    EXPECT_EQ(kind_of(got), ErrorKind::Timeout);
    EXPECT_EQ(message_of(got),
              "no answer from 127.0.0.1:" + std::to_string(server.port()) + " within 50ms");
}

TEST_F(HttpClientLimits, end_an_answer_that_trickles_past_the_deadline) {
    ScriptedServer server(loop, [](const auto& session, const Received&) {
        session->send(endless);
        session->send_slowly("x", 100'000, 5ms);
    });
    Duration deadline = 300ms;
    auto got = fetch({.url = server.url(), .deadline = deadline});
    while (message_of(got).contains("no answer") && deadline < 60s)  // we stood still ourselves
        got = fetch({.url = server.url(), .deadline = deadline *= 2});
    EXPECT_EQ(kind_of(got), ErrorKind::Timeout);
    EXPECT_THAT(message_of(got), EndsWith("did not finish its answer within " + to_text(deadline)));
}

TEST_F(HttpClientLimits, end_an_answer_whose_headers_trickle) {
    ScriptedServer server(loop, [](const auto& session, const Received&) {
        session->send("HTTP/1.1 200 OK\r\n");
        session->send_slowly("X: y\r\n", 100'000, 5ms);
    });
    EXPECT_EQ(kind_of(fetch({.url = server.url(), .deadline = 300ms})), ErrorKind::Timeout);
}

TEST_F(HttpClientLimits, end_an_answer_that_falls_silent) {
    ScriptedServer server(loop, always(std::string(endless) + "and then"));
    Duration idle = 50ms;
    auto got = fetch({.url = server.url(), .deadline = 0ms, .idle_timeout = idle});
    while (message_of(got).contains("no answer") && idle < 60s)  // we stood still ourselves
        got = fetch({.url = server.url(), .deadline = 0ms, .idle_timeout = idle *= 2});
    EXPECT_EQ(kind_of(got), ErrorKind::Timeout);
    EXPECT_THAT(message_of(got), EndsWith("sent nothing for " + to_text(idle)));
}

TEST_F(HttpClientLimits, let_an_answer_be_slow_while_it_is_not_silent) {
    Result<HttpResponse> got = failure(ErrorKind::Timeout, "not asked yet");
    for (Duration idle = 1s; !got && idle < 60s; idle *= 4) {  // we may stand still ourselves
        ScriptedServer server(loop, [idle](const auto& session, const Received&) {
            session->send(endless);
            session->send_slowly("x", 6, idle / 4, [session] { session->close(); });
        });
        got = fetch({.url = server.url(), .deadline = 0ms, .idle_timeout = idle});
    }
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_EQ(got->body, "xxxxxx");
}

TEST_F(HttpClientLimits, let_a_body_be_exactly_as_large_as_its_bound) {
    ScriptedServer server(loop, always(answer(std::string(1000, 'x'))));
    EXPECT_TRUE(fetch({.url = server.url(), .body_max = 1000}));
    const auto got = fetch({.url = server.url(), .body_max = 999});
    EXPECT_EQ(kind_of(got), ErrorKind::TooLarge);
    EXPECT_THAT(message_of(got), EndsWith("is larger than 999 bytes"));
}

TEST_F(HttpClientLimits, cut_a_body_of_100_mb_at_its_bound) {
    const std::string megabyte(1 << 20, 'x');
    ScriptedServer server(loop, [&](const auto& session, const Received&) {
        session->send("HTTP/1.1 200 OK\r\nContent-Length: 104857600\r\n\r\n");
        session->send_again(megabyte, 100);
    });
    EXPECT_EQ(kind_of(fetch(server.url())), ErrorKind::TooLarge);
    run_until([&] { return server.sessions.at(0)->peer_left; });
    EXPECT_LT(server.sessions.at(0)->bytes_sent, std::size_t{50} << 20);
}

TEST_F(HttpClientLimits, cut_a_body_without_an_end) {
    const std::string megabyte(1 << 20, 'x');
    ScriptedServer server(loop, [&](const auto& session, const Received&) {
        session->send(endless);
        session->send_again(megabyte, std::size_t{1} << 40);
    });
    EXPECT_EQ(kind_of(fetch({.url = server.url(), .deadline = 0ms})), ErrorKind::TooLarge);
}

TEST_F(HttpClientLimits, cut_headers_without_an_end) {
    ScriptedServer server(loop, [](const auto& session, const Received&) {
        session->send("HTTP/1.1 200 OK\r\n");
        session->send_again("X-Filler: abcdefghijklmnopqrstuvwxyz\r\n", std::size_t{1} << 40);
    });
    const auto got = fetch(server.url());
    EXPECT_EQ(kind_of(got), ErrorKind::TooLarge);
    EXPECT_THAT(message_of(got), EndsWith("has too many headers"));
}

TEST_F(HttpClientLimits, cut_one_header_without_an_end) {
    ScriptedServer server(loop, [](const auto& session, const Received&) {
        session->send("HTTP/1.1 200 OK\r\nX-Filler: ");
        session->send_again(std::string(10'000, 'x'), std::size_t{1} << 40);
    });
    EXPECT_EQ(kind_of(fetch(server.url())), ErrorKind::TooLarge);
}

TEST_F(HttpClientLimits, count_the_wait_for_a_connection_against_the_deadline) {
    ScriptedServer server(loop, never());
    client = std::make_unique<HttpClient>(loop, 1);
    client->start({.url = server.url(), .deadline = 0ms}, [](auto) { FAIL(); });
    run_until([&] { return server.connections() == 1; });
    const auto got = fetch({.url = server.url(), .deadline = 50ms});
    EXPECT_EQ(kind_of(got), ErrorKind::Timeout);
    EXPECT_THAT(message_of(got), HasSubstr("became free within 50ms"));
    EXPECT_EQ(server.connections(), 1);
}

TEST_F(HttpClientLimits, keep_requests_in_order_on_few_connections) {
    ScriptedServer server(loop, always(answer("")));
    client = std::make_unique<HttpClient>(loop, 1);
    int finished = 0;
    for (const std::string path : {"/a", "/b", "/c", "/d", "/e"}) {
        client->start({.url = server.url(path)}, [&](auto got) {
            EXPECT_TRUE(got);
            ++finished;
        });
    }
    EXPECT_EQ(client->in_flight(), 5u);
    run_until([&] { return finished == 5; });
    EXPECT_EQ(client->in_flight(), 0u);
    EXPECT_EQ(server.connections(), 1);
    std::string order;
    for (const Received& request : server.received)
        order += request.head[5];
    EXPECT_EQ(order, "abcde");
}

TEST_F(HttpClientLimits, never_open_more_connections_than_allowed) {
    ScriptedServer server(loop, never());
    client = std::make_unique<HttpClient>(loop, 3);
    int finished = 0;
    for (int i = 0; i < 10; ++i) {
        client->start({.url = server.url(), .deadline = 0ms}, [&](auto) { ++finished; });
    }
    run_until([&] { return server.received.size() == 3; });
    settle();
    EXPECT_EQ(server.connections(), 3);
    run_until([&] {
        for (const auto& session : server.sessions)
            session->close();
        return finished == 10;
    });
}

TEST_F(HttpClientLimits, make_room_for_another_host_by_closing_an_idle_connection) {
    ScriptedServer one(loop, always(answer("one")));
    ScriptedServer two(loop, always(answer("two")));
    client = std::make_unique<HttpClient>(loop, 1);
    ASSERT_TRUE(fetch(one.url()));
    ASSERT_TRUE(fetch(two.url()));
    run_until([&] { return one.sessions.at(0)->peer_left; });
}

TEST_F(HttpClientLimits, leave_the_place_of_a_timed_out_request_to_the_next) {
    ScriptedServer server(loop, [](const auto& session, const Received& request) {
        if (request.head.starts_with("GET /good")) session->send(answer("good"));
    });
    client = std::make_unique<HttpClient>(loop, 1);
    client->start({.url = server.url("/bad"), .deadline = 50ms}, [](auto) {});
    const auto got = fetch(server.url("/good"));
    ASSERT_TRUE(got);
    EXPECT_EQ(got->body, "good");
}

}  // namespace
}  // namespace sluice::net::testing
