#include <gtest/gtest.h>

#include "kube/api_client.hpp"
#include "tests/unit/kube/api_world.hpp"

namespace sluice::kube::test {
namespace {

using net::testing::always;
using net::testing::answer;

class Watches : public ApiWorld {
  protected:
    // Starts a watch, and collects what it brings.
    net::TransferId watch() {
        return client->watch(
            {.path = "/api/v1/pods?watch=true"}, 60s,
            [this](std::string_view bytes) {
                seen += bytes;
                return !is_enough;
            },
            [this](Answer got) { ended = std::move(got); });
    }

    std::string seen;
    bool is_enough = false;
    std::optional<Answer> ended;
};

TEST_F(Watches, hand_on_what_comes_until_the_server_ends) {
    serve([](const std::shared_ptr<Session>& session, const Received&) {
        session->send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n",
                      [session] { session->send("3\r\ntwo\r\n0\r\n\r\n"); });
    });
    watch();
    run_until([&] { return ended.has_value(); });
    ASSERT_TRUE(ended->has_value()) << ended->error().error.message;
    EXPECT_EQ((*ended)->status, 200);
    EXPECT_EQ(seen, "onetwo");
}

TEST_F(Watches, survive_a_401_before_the_first_byte) {
    serve(only("second"), {"first", "second"});
    watch();
    run_until([&] { return ended.has_value(); });
    EXPECT_EQ(seen, "welcome");
    EXPECT_EQ(credentials->refusals, 1);
}

TEST_F(Watches, fail_with_the_servers_sentence) {
    serve(always(answer(status_body("too old resource version", "Expired"), "410 Gone")));
    watch();
    run_until([&] { return ended.has_value(); });
    ASSERT_FALSE(ended->has_value());
    EXPECT_EQ(ended->error().error.kind, ErrorKind::Gone);
    EXPECT_EQ(ended->error().error.message, "too old resource version");
    EXPECT_EQ(ended->error().reason, "Expired");
    EXPECT_EQ(seen, "");
}

TEST_F(Watches, can_be_cancelled_from_inside_a_chunk) {
    serve(always("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n"));
    net::TransferId id = 0;
    bool is_cancelled = false;
    id = client->watch(
        {.path = "/watch"}, 60s,
        [&](std::string_view) {
            client->cancel(id);
            is_cancelled = true;
            return true;
        },
        [](const Answer&) { FAIL() << "done was called"; });
    run_until([&] { return is_cancelled; });
    loop.poll();
}

}  // namespace
}  // namespace sluice::kube::test
