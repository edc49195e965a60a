#include "kube/api_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "kube/user_agent.hpp"
#include "tests/unit/kube/api_world.hpp"

namespace sluice::kube::test {
namespace {

using net::testing::always;
using net::testing::answer;
using net::testing::never;
using ::testing::HasSubstr;
using ::testing::Not;

class Requests : public ApiWorld {};

TEST_F(Requests, carry_who_we_are_and_what_we_want) {
    serve(always(answer("{}")));
    const Answer got = ask({.method = "PATCH",
                            .path = "/apis/apps/v1/x?fieldManager=sluice",
                            .content_type = "application/json-patch+json",
                            .body = "[]"});
    ASSERT_TRUE(got.has_value()) << got.error().error.message;
    EXPECT_EQ(got->status, 200);
    EXPECT_EQ(got->body, "{}");
    ASSERT_EQ(server->received.size(), 1u);
    const std::string& head = server->received[0].head;
    EXPECT_THAT(head, ::testing::StartsWith("PATCH /apis/apps/v1/x?fieldManager=sluice HTTP/1.1"));
    EXPECT_THAT(head, HasSubstr("\r\nAuthorization: Bearer canary-token\r\n"));
    EXPECT_THAT(head, HasSubstr("\r\nAccept: application/json\r\n"));
    EXPECT_THAT(head, HasSubstr("\r\nContent-Type: application/json-patch+json\r\n"));
    EXPECT_THAT(head, HasSubstr("\r\nUser-Agent: " + std::string(user_agent) + "\r\n"));
    EXPECT_EQ(server->received[0].body, "[]");
}

TEST_F(Requests, that_write_are_not_sent_by_who_no_longer_leads) {
    serve(always(answer("{}")));
    client->lead = [] { return std::nullopt; };
    for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
        const ApiError error = fail_to({.method = method, .path = "/api"});
        EXPECT_EQ(error.error.message, "not sent: this operator no longer leads");
        EXPECT_EQ(error.status, 0);
    }
    EXPECT_TRUE(server->received.empty());
    EXPECT_TRUE(ask({.path = "/api"}).has_value()) << "reading is free";
}

TEST_F(Requests, that_write_are_given_up_before_somebody_else_can_lead) {
    serve(never());
    client->lead = [] { return std::optional<Duration>{50ms}; };
    const ApiError error = fail_to({.method = "DELETE", .path = "/api", .deadline = 60s});
    EXPECT_EQ(error.error.kind, ErrorKind::Timeout);
}

TEST_F(Requests, introduce_the_version_that_is_built) {
    std::ifstream file("CMakeLists.txt");
    const std::string cmake{std::istreambuf_iterator<char>(file), {}};
    const std::string version(user_agent.substr(user_agent.find('/') + 1));
    EXPECT_THAT(cmake, HasSubstr("project(sluice VERSION " + version + " "));
}

TEST_F(Requests, go_below_the_path_of_the_server) {
    server.emplace(loop, always(answer("{}")));
    connect(server->url("/k8s/clusters/c-1"));
    ASSERT_TRUE(ask({.path = "/api/v1/pods"}).has_value());
    EXPECT_THAT(server->received[0].head,
                ::testing::StartsWith("GET /k8s/clusters/c-1/api/v1/pods"));
}

TEST_F(Requests, are_repeated_once_with_new_credentials_after_a_401) {
    serve(only("second"), {"first", "second"});
    const Answer got = ask({.path = "/api"});
    ASSERT_TRUE(got.has_value()) << got.error().error.message;
    EXPECT_EQ(got->body, "welcome");
    EXPECT_EQ(credentials->refusals, 1);
    EXPECT_EQ(server->received.size(), 2u);
}

TEST_F(Requests, give_up_after_the_second_401) {
    serve(only("never"), {"first", "second", "third"});
    const ApiError error = fail_to({.path = "/api"});
    EXPECT_EQ(error.error.kind, ErrorKind::Unauthorized);
    EXPECT_EQ(error.error.message, "the server refused our credentials (401) at GET /api");
    EXPECT_EQ(error.status, 401);
    EXPECT_EQ(server->received.size(), 2u);
}

TEST_F(Requests, do_not_throw_away_credentials_that_another_request_has_renewed) {
    serve(only("second"), {"first", "second", "third"});
    int welcomed = 0;
    for (int i = 0; i < 3; ++i)
        client->send({.path = "/api"}, [&](const Answer& got) { welcomed += got.has_value(); });
    run_until([&] { return server->received.size() == 6 && welcomed == 3; });
    EXPECT_EQ(credentials->refusals, 1);
}

TEST_F(Requests, say_why_there_are_no_new_credentials_after_a_401) {
    serve(only("never"));
    credentials->fault = Error{ErrorKind::Unreadable, "kubeconfig /x: cannot be read"};
    const ApiError error = fail_to({.path = "/api"});
    EXPECT_EQ(error.error.kind, ErrorKind::Unauthorized);
    EXPECT_EQ(error.status, 401);
    EXPECT_EQ(error.error.message,
              "the server refused our credentials (401), and there are no others: kubeconfig /x: "
              "cannot be read");
}

TEST_F(Requests, fail_with_the_sentence_of_the_credentials) {
    serve(never());
    credentials->fault = Error{ErrorKind::Unreadable, "kubeconfig /x: cannot be read"};
    credentials->refusals = 1;
    const ApiError error = fail_to({.path = "/api"});
    EXPECT_EQ(error.error.kind, ErrorKind::Unreadable);
    EXPECT_EQ(error.error.message, "kubeconfig /x: cannot be read");
    EXPECT_EQ(error.status, 0);
}

TEST_F(Requests, do_not_wait_for_credentials_beyond_their_deadline) {
    serve(never());
    credentials->is_silent = true;
    const ApiError error = fail_to({.path = "/api", .deadline = 20ms});
    EXPECT_EQ(error.error.kind, ErrorKind::Timeout);
    EXPECT_EQ(error.error.message, "the credentials were not there within 20ms");
    for (const auto& got : credentials->unanswered)
        got(Access{});
    loop.poll();
    EXPECT_TRUE(server->received.empty());
}

TEST_F(Requests, end_when_the_server_stays_silent) {
    serve(never());
    EXPECT_EQ(fail_to({.path = "/api", .deadline = 50ms}).error.kind, ErrorKind::Timeout);
}

TEST_F(Requests, fail_with_kind_sentence_and_patience_of_the_answer) {
    serve(always(answer(status_body("too many requests", "TooManyRequests"),
                        "429 Too Many Requests", "Retry-After: 3\r\n")));
    const ApiError error = fail_to({.path = "/api"});
    EXPECT_EQ(error.error.kind, ErrorKind::Throttled);
    EXPECT_EQ(error.error.message, "too many requests");
    EXPECT_EQ(error.retry_after, 3s);
    EXPECT_EQ(error.reason, "TooManyRequests");
    EXPECT_EQ(server->received.size(), 1u) << "retrying is not ours";
}

TEST_F(Requests, take_a_failed_test_of_a_json_patch_for_a_conflict) {
    serve(always(answer(
        status_body("the server rejected our request due to an error in our request", "Invalid"),
        "422 Unprocessable Entity")));
    const ApiError error = fail_to({.method = "PATCH",
                                    .path = "/api",
                                    .content_type = "application/json-patch+json",
                                    .body = "[]"});
    EXPECT_EQ(error.error.kind, ErrorKind::Conflict);
}

TEST_F(Requests, never_put_the_token_into_a_sentence) {
    const std::string echo = status_body("invalid token canary-token", "x");
    for (const char* status : {"400 Bad Request", "401 Unauthorized", "403 Forbidden",
                               "422 Unprocessable Entity", "500 Internal Server Error"}) {
        serve(always(answer(echo, status)));
        EXPECT_THAT(fail_to({.path = "/api"}).error.message, Not(HasSubstr("canary"))) << status;
    }
    connect("http://127.0.0.1:1");
    EXPECT_THAT(fail_to({.path = "/api"}).error.message, Not(HasSubstr("canary")));
    connect("http://127.0.0.1:1", {"canary\r\ncanary"});
    EXPECT_THAT(fail_to({.path = "/api"}).error.message, Not(HasSubstr("canary")));
}

TEST_F(Requests, are_all_told_to_the_meter) {
    serve(only("second"), {"first", "second"});
    std::vector<std::string> told;
    client->on_answer = [&](const std::string& method, const std::string& path, int status,
                            Duration) {
        told.push_back(method + " " + path + " " + std::to_string(status));
    };
    ASSERT_TRUE(ask({.path = "/a"}).has_value());
    connect("http://127.0.0.1:1");
    client->on_answer = [&](const std::string& method, const std::string& path, int status,
                            Duration) {
        told.push_back(method + " " + path + " " + std::to_string(status));
    };
    fail_to({.method = "DELETE", .path = "/b"});
    EXPECT_EQ(told, (std::vector<std::string>{"GET /a 200", "DELETE /b 0"}));
}

TEST_F(Requests, end_in_silence_when_they_are_cancelled) {
    serve(never());
    const auto fail = [](const Answer&) { FAIL() << "done was called"; };
    const net::TransferId early = client->send({.path = "/early"}, fail);
    client->cancel(early);
    const net::TransferId late = client->send({.path = "/late"}, fail);
    run_until([&] { return server->received.size() == 1; });
    client->cancel(late);
    client->cancel(late);
    client->cancel(12345);
    loop.poll();
    EXPECT_THAT(server->received[0].head, ::testing::StartsWith("GET /late"));
}

TEST_F(Requests, end_in_silence_with_the_client) {
    serve(never());
    const auto fail = [](const Answer&) { FAIL() << "done was called"; };
    client->send({.path = "/sent"}, fail);
    run_until([&] { return server->received.size() == 1; });
    client->send({.path = "/not-yet"}, fail);
    credentials->is_silent = true;
    client->send({.path = "/waiting"}, fail);
    loop.poll();
    client.reset();
    for (const auto& got : credentials->unanswered)
        got(Access{});
    loop.poll();
}

TEST_F(Requests, dial_anew_after_a_rest) {
    serve(always(answer("{}")));
    for (int i = 0; i < 2; ++i)
        ASSERT_TRUE(ask({.path = "/api"}).has_value());
    EXPECT_EQ(server->connections(), 1);
    client->rest();
    ASSERT_TRUE(ask({.path = "/api"}).has_value());
    EXPECT_EQ(server->connections(), 2);
}

TEST_F(Requests, may_be_followed_by_a_rest_from_inside_their_answer) {
    serve(always(answer("{}")));
    bool is_done = false;
    client->send({.path = "/api"}, [&](const Answer&) {
        client->rest();
        is_done = true;
    });
    run_until([&] { return is_done; });
    EXPECT_TRUE(ask({.path = "/api"}).has_value());
}

TEST_F(Requests, that_are_under_way_are_answered_whoever_rests) {
    serve(always(answer("{}")));
    int answers = 0;
    const auto count = [&](const Answer& got) {
        EXPECT_TRUE(got.has_value());
        client->rest();
        ++answers;
    };
    for (int i = 0; i < 5; ++i)
        client->send({.path = "/api"}, count);
    run_until([&] { return answers == 5; });
}

TEST_F(Requests, may_end_the_client_from_inside_their_answer) {
    serve(always(answer("{}")));
    bool is_done = false;
    client->send({.path = "/other"}, [&](const Answer&) { EXPECT_FALSE(is_done); });
    client->send({.path = "/api"}, [&](const Answer&) {
        client.reset();
        is_done = true;
    });
    run_until([&] { return is_done; });
    loop.poll();
}

TEST_F(Requests, may_end_the_client_from_inside_a_failure_of_the_credentials) {
    serve(never());
    credentials->fault = Error{ErrorKind::Unreadable, "no"};
    credentials->refusals = 1;
    bool is_done = false;
    client->send({.path = "/api"}, [&](const Answer&) {
        client.reset();
        is_done = true;
    });
    run_until([&] { return is_done; });
    loop.poll();
}

}  // namespace
}  // namespace sluice::kube::test
