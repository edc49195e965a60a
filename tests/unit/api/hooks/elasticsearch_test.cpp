#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/api/hooks/hook_talk.hpp"

namespace sluice::api::hooks {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const Result<Answer> acknowledged = answer(200, R"({"acknowledged":true,"persistent":{}})");
const Result<Answer> green = answer(200, R"([{"cluster":"es","status":"green"}])");
const Result<Answer> yellow = answer(200, R"([{"cluster":"es","status":"yellow"}])");
const Result<Answer> flushed = answer(200, R"({"_shards":{"total":2}})");
const Result<Answer> unreachable = failure(ErrorKind::Unreachable, "connection refused");

const HookPod es0 = pod("es-0", "10.0.0.10");
const HookPod es1 = pod("es-1", "10.0.0.11");
const HookPod es2 = pod("es-2", "10.0.0.12");

Transition moving(std::optional<HookPod> prev, std::optional<HookPod> next) {
    return transition("elasticsearch", std::move(prev), std::move(next));
}

Talk ask(const Transition& asked, World world) {
    return play(HookCatalogue{}, asked, std::move(world));
}

std::string refusal(const Transition& asked, World world) {
    const Talk talk = ask(asked, std::move(world));
    EXPECT_TRUE(talk.verdict && !talk.verdict->allowed);
    return talk.verdict ? talk.verdict->message : "";
}

TEST(Elasticsearch, ARolloutOfThreePodsAsksInThisOrder) {
    const std::vector<Talk> talks{
        ask(moving(std::nullopt, es2), {{green, acknowledged, flushed}, {}}),
        ask(moving(es2, es1), {{acknowledged, green, green, acknowledged, flushed}, {}}),
        ask(moving(es1, es0), {{acknowledged, green, green, acknowledged, flushed}, {}}),
        ask(moving(es0, std::nullopt), {{acknowledged, green}, {}}),
    };
    std::vector<std::string> asked;
    for (const Talk& talk : talks) {
        EXPECT_TRUE(talk.verdict && talk.verdict->allowed);
        asked.insert(asked.end(), talk.asked.begin(), talk.asked.end());
    }
    const std::string all = R"({"persistent":{"cluster.routing.allocation.enable":"all"}})";
    const std::string narrow =
        R"({"persistent":{"cluster.routing.allocation.enable":"new_primaries"}})";
    EXPECT_THAT(asked, ElementsAre("GET http://10.0.0.12:9200/_cat/health?format=json",
                                   "PUT http://10.0.0.12:9200/_cluster/settings " + narrow,
                                   "POST http://10.0.0.12:9200/_flush/synced",

                                   "PUT http://10.0.0.12:9200/_cluster/settings " + all,
                                   "GET http://10.0.0.12:9200/_cat/health?format=json",
                                   "GET http://10.0.0.11:9200/_cat/health?format=json",
                                   "PUT http://10.0.0.11:9200/_cluster/settings " + narrow,
                                   "POST http://10.0.0.11:9200/_flush/synced",

                                   "PUT http://10.0.0.11:9200/_cluster/settings " + all,
                                   "GET http://10.0.0.11:9200/_cat/health?format=json",
                                   "GET http://10.0.0.10:9200/_cat/health?format=json",
                                   "PUT http://10.0.0.10:9200/_cluster/settings " + narrow,
                                   "POST http://10.0.0.10:9200/_flush/synced",

                                   "PUT http://10.0.0.10:9200/_cluster/settings " + all,
                                   "GET http://10.0.0.10:9200/_cat/health?format=json"));
}

TEST(Elasticsearch, RequestsGoToThePodAsJsonWithinAMinute) {
    const Talk talk = ask(moving(es2, std::nullopt), {{acknowledged, green}, {}});
    ASSERT_EQ(talk.requests.size(), 2u);
    ASSERT_EQ(talk.requests[0].headers.size(), 1u);
    EXPECT_EQ(talk.requests[0].headers[0].name, "Content-Type");
    EXPECT_EQ(talk.requests[0].headers[0].value.reveal(), "application/json");
    for (const Ask& request : talk.requests) {
        EXPECT_EQ(request.timeout, Duration{60s});
        EXPECT_EQ(request.ca_pem, "");
    }
    EXPECT_TRUE(talk.requests[1].headers.empty());
}

TEST(Elasticsearch, AClusterThatIsNotGreenHoldsTheNextPod) {
    EXPECT_EQ(refusal(moving(es2, es1), {{acknowledged, yellow}, {}}),
              "pod es-2: the cluster is yellow, not green");
    EXPECT_EQ(refusal(moving(es2, es1), {{acknowledged, green, yellow}, {}}),
              "pod es-1: the cluster is yellow, not green");
}

TEST(Elasticsearch, ARolloutThatStartsOnAClusterThatIsNotGreenOpensAllocation) {
    const std::string opened = "; shard allocation was set to all, so that it can recover";
    for (const std::string color : {"yellow", "red"}) {
        const Talk talk =
            ask(moving(std::nullopt, es2),
                {{answer(200, R"([{"status":")" + color + R"("}])"), acknowledged}, {}});
        EXPECT_THAT(talk.asked,
                    ElementsAre(HasSubstr("GET http://10.0.0.12:9200/_cat/health"),
                                HasSubstr(R"("cluster.routing.allocation.enable":"all")")));
        ASSERT_TRUE(talk.verdict);
        EXPECT_FALSE(talk.verdict->allowed);
        EXPECT_EQ(talk.verdict->message,
                  "pod es-2: the cluster is " + color + ", not green" + opened);
    }
}

TEST(Elasticsearch, AHealthThatCannotBeReadIsNotGreen) {
    for (const std::string body :
         {"", "green", "[]", "{}", "null", "[null]", R"([{"status":"GREEN"}])", R"(["green"])",
          R"([{"status":true}])", R"([{"status":null}])", R"([{"status":"green\u0000"}])",
          R"({"status":"green"})", R"([{"status":"yellow"},{"status":"green"}])",
          R"([{"status":"green"},{"status":"red"}])", R"([{"status":"green"}] x)",
          R"([{"status":"canary-5f1d"}])", "\xff\xfe"}) {
        EXPECT_EQ(refusal(moving(std::nullopt, es2), {{answer(200, body)}, {}}),
                  "pod es-2: GET /_cat/health did not say whether the cluster is green")
            << body;
    }
}

TEST(Elasticsearch, AnAnswerNestedTooDeepIsNotGreen) {
    const std::string deep(100'000, '[');
    EXPECT_EQ(refusal(moving(std::nullopt, es2), {{answer(200, deep)}, {}}),
              "pod es-2: GET /_cat/health did not say whether the cluster is green");
}

TEST(Elasticsearch, ASettingThatIsNotAcknowledgedHolds) {
    EXPECT_EQ(refusal(moving(es2, es1), {{answer(200, R"({"acknowledged":false})")}, {}}),
              "pod es-2: PUT /_cluster/settings was not acknowledged");
    EXPECT_EQ(
        refusal(moving(std::nullopt, es2), {{green, answer(200, R"({"acknowledged":false})")}, {}}),
        "pod es-2: PUT /_cluster/settings was not acknowledged");
    for (const std::string body : {"", "true", "{}", "[]", R"({"acknowledged":"true"})",
                                   R"({"acknowledged":1})", R"({"acknowledged":null})", "{"}) {
        EXPECT_EQ(refusal(moving(es2, es1), {{answer(200, body)}, {}}),
                  "pod es-2: PUT /_cluster/settings answered without a word on acknowledged")
            << body;
    }
}

TEST(Elasticsearch, AnotherStatusThan200Holds) {
    const std::string yes = R"({"acknowledged":true})";
    for (const int status : {201, 204, 301, 401, 403, 404, 429, 500, 503}) {
        const std::string code = std::to_string(status);
        EXPECT_EQ(refusal(moving(es2, es1), {{answer(status, yes)}, {}}),
                  "pod es-2: PUT /_cluster/settings answered HTTP " + code);
        EXPECT_EQ(refusal(moving(std::nullopt, es2), {{answer(status, green->body)}, {}}),
                  "pod es-2: GET /_cat/health answered HTTP " + code);
    }
}

TEST(Elasticsearch, APodThatCannotBeReachedHolds) {
    EXPECT_EQ(refusal(moving(es2, es1), {{unreachable}, {}}),
              "pod es-2: PUT /_cluster/settings: connection refused");
    EXPECT_EQ(refusal(moving(std::nullopt, es2), {{unreachable}, {}}),
              "pod es-2: GET /_cat/health: connection refused");
    EXPECT_EQ(refusal(moving(std::nullopt, es2), {{green, acknowledged, unreachable}, {}}),
              "pod es-2: POST /_flush/synced: connection refused");
    EXPECT_EQ(
        refusal(moving(std::nullopt, es2), {{green, acknowledged, answer(404), unreachable}, {}}),
        "pod es-2: POST /_flush: connection refused");
}

TEST(Elasticsearch, AServerWithoutSyncedFlushIsFlushedPlainly) {
    for (const int status : {400, 404, 405, 410}) {
        const Talk talk =
            ask(moving(std::nullopt, es2), {{green, acknowledged, answer(status), flushed}, {}});
        EXPECT_TRUE(talk.verdict && talk.verdict->allowed) << status;
        EXPECT_EQ(talk.asked.back(), "POST http://10.0.0.12:9200/_flush") << status;
        EXPECT_EQ(talk.asked.size(), 4u);
    }
}

TEST(Elasticsearch, AFlushIsBestEffort) {
    const Result<Answer> long_report = failure(ErrorKind::TooLarge, "the body is too large");
    for (const Result<Answer>& outcome : {answer(200, "not json"), answer(409), answer(500),
                                          answer(503), answer(301), long_report}) {
        const Talk synced = ask(moving(std::nullopt, es2), {{green, acknowledged, outcome}, {}});
        EXPECT_TRUE(synced.verdict && synced.verdict->allowed);
        const Talk plain =
            ask(moving(std::nullopt, es2), {{green, acknowledged, answer(405), outcome}, {}});
        EXPECT_TRUE(plain.verdict && plain.verdict->allowed);
    }
    EXPECT_EQ(refusal(moving(std::nullopt, es2),
                      {{green, acknowledged, failure(ErrorKind::Timeout, "no answer in 60s")}, {}}),
              "pod es-2: POST /_flush/synced: no answer in 60s");
}

TEST(Elasticsearch, APodWithoutAnAddressHolds) {
    EXPECT_EQ(refusal(moving(pod("es-2", ""), es1), {}), "pod es-2: it has no IP address yet");
    EXPECT_EQ(refusal(moving(std::nullopt, pod("es-1", "")), {}),
              "pod es-1: it has no IP address yet");
    EXPECT_EQ(refusal(moving(std::nullopt, pod("es-1", "evil.test/?")), {}),
              R"(pod es-1: "evil.test/?" is not an IP address)");
}

TEST(Elasticsearch, AnIpv6AddressStandsInBrackets) {
    const Talk talk = ask(moving(std::nullopt, pod("es-2", "fd00::12")), {});
    EXPECT_THAT(talk.asked, ElementsAre("GET http://[fd00::12]:9200/_cat/health?format=json"));
}

}  // namespace
}  // namespace sluice::api::hooks
