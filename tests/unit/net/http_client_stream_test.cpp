// Streams, cancellation, and ends that come from inside a callback.
#include <gmock/gmock.h>

#include "tests/unit/net/client_world.hpp"

namespace sluice::net::testing {
namespace {

class HttpClientStream : public ClientWorld {
  protected:
    TransferId watch(const std::string& url, HttpClient::Chunk chunk) {
        return client->stream({.url = url, .deadline = 0ms}, std::move(chunk),
                              [this](Result<HttpResponse> got) { ended = std::move(got); });
    }

    HttpClient::Chunk collect() {
        return [this](std::string_view bytes) {
            collected += bytes;
            return true;
        };
    }

    std::string collected;
    std::optional<Result<HttpResponse>> ended;
};

const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
const std::string event = "6\r\nADDED\n\r\n";

TEST_F(HttpClientStream, hands_on_each_piece_as_it_comes) {
    ScriptedServer server(loop, always(chunked + event));
    watch(server.url(), collect());
    run_until([&] { return collected == "ADDED\n"; });
    EXPECT_FALSE(ended);
    server.sessions.at(0)->send("8\r\nDELETED\n\r\n");
    run_until([&] { return collected == "ADDED\nDELETED\n"; });
    server.sessions.at(0)->send("0\r\n\r\n");
    run_until([&] { return ended.has_value(); });
    ASSERT_TRUE(*ended);
    EXPECT_EQ((*ended)->status, 200);
    EXPECT_EQ((*ended)->body, "");
}

TEST_F(HttpClientStream, has_no_bound_on_the_whole) {
    ScriptedServer server(loop, always(answer(std::string(3 << 20, 'x'))));
    watch(server.url(), collect());
    run_until([&] { return ended.has_value(); });
    ASSERT_TRUE(*ended);
    EXPECT_EQ(collected.size(), std::size_t{3} << 20);
}

TEST_F(HttpClientStream, collects_the_body_of_a_refusal) {
    ScriptedServer server(loop, always(answer("too old", "410 Gone")));
    watch(server.url(), collect());
    run_until([&] { return ended.has_value(); });
    ASSERT_TRUE(*ended);
    EXPECT_EQ((*ended)->status, 410);
    EXPECT_EQ((*ended)->body, "too old");
    EXPECT_EQ(collected, "");
}

TEST_F(HttpClientStream, bounds_the_body_of_a_refusal) {
    ScriptedServer server(loop, always(answer(std::string(2 << 20, 'x'), "500 Oops")));
    watch(server.url(), collect());
    run_until([&] { return ended.has_value(); });
    EXPECT_EQ(kind_of(*ended), ErrorKind::TooLarge);
}

TEST_F(HttpClientStream, stops_when_the_receiver_has_had_enough) {
    ScriptedServer server(loop, always(chunked + event + event));
    int pieces = 0;
    watch(server.url(), [&](std::string_view) { return ++pieces < 1; });
    run_until([&] { return ended.has_value(); });
    ASSERT_TRUE(*ended);
    EXPECT_EQ((*ended)->status, 200);
    EXPECT_EQ(pieces, 1);
    run_until([&] { return server.sessions.at(0)->peer_left; });
}

TEST_F(HttpClientStream, says_that_a_broken_stream_is_broken) {
    ScriptedServer server(loop, [](const auto& session, const Received&) {
        session->send(chunked + event, [session] { session->close(); });
    });
    watch(server.url(), collect());
    run_until([&] { return ended.has_value(); });
    EXPECT_EQ(kind_of(*ended), ErrorKind::Unreachable);
    EXPECT_EQ(collected, "ADDED\n");
}

TEST_F(HttpClientStream, is_ended_without_a_word_by_cancel) {
    ScriptedServer server(loop, always(chunked));
    const TransferId id = watch(server.url(), collect());
    run_until([&] { return server.received.size() == 1; });
    client->cancel(id);
    EXPECT_EQ(client->in_flight(), 0u);
    run_until([&] { return server.sessions.at(0)->peer_left; });
    EXPECT_FALSE(ended);
}

TEST_F(HttpClientStream, is_ended_by_cancel_from_its_own_chunk) {
    ScriptedServer server(loop, always(chunked + event + event));
    TransferId id = 0;
    id = watch(server.url(), [&](std::string_view bytes) {
        collected += bytes;
        client->cancel(id);
        EXPECT_EQ(client->in_flight(), 0u);
        return true;
    });
    run_until([&] { return !server.sessions.empty() && server.sessions.at(0)->peer_left; });
    EXPECT_EQ(collected, "ADDED\n");
    EXPECT_FALSE(ended);
}

TEST_F(HttpClientStream, may_cancel_another_and_start_a_third_from_a_chunk) {
    ScriptedServer quiet(loop, always(chunked));
    ScriptedServer busy(loop, always(chunked + event));
    ScriptedServer plain(loop, always(answer("third")));
    const TransferId other = watch(quiet.url(), collect());
    run_until([&] { return quiet.received.size() == 1; });
    std::string third;
    client->stream(
        {.url = busy.url(), .deadline = 0ms},
        [&](std::string_view) {
            client->cancel(other);
            client->drop_connections();
            client->start({.url = plain.url()}, [&](auto got) { third = got->body; });
            return true;
        },
        [](auto) { FAIL(); });
    run_until([&] { return third == "third" && quiet.sessions.at(0)->peer_left; });
    EXPECT_FALSE(ended);
    EXPECT_EQ(client->in_flight(), 1u);
}

TEST_F(HttpClientStream, may_be_destroyed_with_its_client_from_a_chunk) {
    ScriptedServer server(loop, always(chunked + event + event));
    auto captured = std::make_shared<std::string>("still here");
    watch(server.url(), [&, captured](std::string_view bytes) {
        collected += bytes;
        client.reset();
        EXPECT_EQ(*captured, "still here");
        return true;
    });
    run_until([&] { return !server.sessions.empty() && server.sessions.at(0)->peer_left; });
    EXPECT_FALSE(ended);
    EXPECT_EQ(collected, "ADDED\n");
    EXPECT_EQ(captured.use_count(), 1);
}

using HttpClientLife = HttpClientStream;

TEST_F(HttpClientLife, cancel_before_anything_happened_leaves_no_trace) {
    ScriptedServer server(loop, always(answer("")));
    const TransferId id = client->start({.url = server.url()}, [](auto) { FAIL(); });
    client->cancel(id);
    client->cancel(id);
    client->cancel(12345);
    settle();
    EXPECT_EQ(server.connections(), 0);
}

TEST_F(HttpClientLife, cancel_in_the_queue_leaves_the_others_in_order) {
    ScriptedServer server(loop, always(answer("")));
    client = std::make_unique<HttpClient>(loop, 1);
    int finished = 0;
    client->start({.url = server.url("/a")}, [&](auto) { ++finished; });
    const TransferId second = client->start({.url = server.url("/b")}, [](auto) { FAIL(); });
    client->start({.url = server.url("/c")}, [&](auto) { ++finished; });
    client->cancel(second);
    run_until([&] { return finished == 2; });
    EXPECT_EQ(server.received.size(), 2u);
}

TEST_F(HttpClientLife, cancel_of_a_refused_request_is_silent_too) {
    const TransferId id = client->start({.url = "gopher://x"}, [](auto) { FAIL(); });
    client->cancel(id);
    settle();
}

TEST_F(HttpClientLife, a_done_may_cancel_the_others) {
    ScriptedServer server(loop, always(answer("")));
    std::vector<TransferId> ids;
    int called = 0;
    const auto cancel_all = [&](auto) {
        ++called;
        for (const TransferId id : ids)
            client->cancel(id);
    };
    for (int i = 0; i < 3; ++i)
        ids.push_back(client->start({.url = server.url()}, cancel_all));
    run_until([&] { return called > 0; });
    settle();
    EXPECT_EQ(called, 1);
    EXPECT_EQ(client->in_flight(), 0u);
}

TEST_F(HttpClientLife, a_done_may_start_the_next) {
    ScriptedServer server(loop, always(answer("")));
    client = std::make_unique<HttpClient>(loop, 1);
    int rounds = 0;
    std::function<void(Result<HttpResponse>)> again = [&](auto got) {
        EXPECT_TRUE(got);
        if (++rounds < 5) client->start({.url = server.url()}, again);
    };
    client->start({.url = server.url()}, again);
    run_until([&] { return rounds == 5; });
    EXPECT_EQ(server.connections(), 1);
}

TEST_F(HttpClientLife, a_done_may_destroy_the_client) {
    ScriptedServer server(loop, always(answer("")));
    int called = 0;
    for (int i = 0; i < 6; ++i) {
        client->start({.url = server.url()}, [&](auto) {
            ++called;
            client.reset();
        });
    }
    run_until([&] { return called == 1; });
    settle();
    EXPECT_EQ(called, 1);
}

TEST_F(HttpClientLife, a_timeout_may_destroy_the_client) {
    ScriptedServer server(loop, never());
    client->start({.url = server.url(), .deadline = 20ms}, [&](auto) { client.reset(); });
    run_until([&] { return client == nullptr; });
    settle();
}

TEST_F(HttpClientLife, destruction_ends_everything_without_a_word) {
    ScriptedServer server(loop, always(chunked));
    client = std::make_unique<HttpClient>(loop, 2);
    for (int i = 0; i < 4; ++i)
        watch(server.url(), collect());
    run_until([&] { return server.received.size() == 2; });
    client->start({.url = "bad"}, [](auto) { FAIL(); });
    client.reset();
    run_until([&] { return server.sessions.at(0)->peer_left && server.sessions.at(1)->peer_left; });
    EXPECT_FALSE(ended);
}

TEST_F(HttpClientLife, destruction_is_clean_before_the_loop_ever_ran) {
    client->start({.url = "http://127.0.0.1:1/"}, [](auto) { FAIL(); });
    client.reset();
    settle();
}

TEST_F(HttpClientLife, dropping_connections_makes_the_next_request_dial) {
    ScriptedServer server(loop, always(answer("")));
    ASSERT_TRUE(fetch(server.url()));
    client->drop_connections();
    run_until([&] { return server.sessions.at(0)->peer_left; });
    ASSERT_TRUE(fetch(server.url()));
    EXPECT_EQ(server.connections(), 2);
}

TEST_F(HttpClientLife, dropping_connections_leaves_a_stream_alone_but_does_not_pool_it) {
    ScriptedServer server(loop, [](const auto& session, const Received& request) {
        session->send(request.head.starts_with("GET /watch") ? chunked : answer(""));
    });
    watch(server.url("/watch"), collect());
    run_until([&] { return server.received.size() == 1; });
    client->drop_connections();
    server.sessions.at(0)->send("6\r\nADDED\n\r\n0\r\n\r\n");
    run_until([&] { return ended.has_value(); });
    ASSERT_TRUE(*ended);
    EXPECT_EQ(collected, "ADDED\n");
    ASSERT_TRUE(fetch(server.url()));
    EXPECT_EQ(server.connections(), 2);
}

}  // namespace
}  // namespace sluice::net::testing
