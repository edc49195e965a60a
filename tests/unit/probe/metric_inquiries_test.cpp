#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/metrics/prometheus.hpp"
#include "tests/unit/probe/hook_world.hpp"

namespace sluice::probe::test {
namespace {

using api::metrics::metric_bounds;
using engine::MetricAnswer;
using testing::HasSubstr;
using Kind = MetricAnswer::Kind;

const std::string one_series = R"({"status":"success","data":{"resultType":"vector","result":[)"
                               R"({"metric":{},"value":[1,"7"]}]}})";

class MetricQuestions : public HookWorld {
  protected:
    MetricQuestions() {
        hook = [](const Seen&) { return Reply{200, one_series}; };
    }

    void open_caller(const std::string& allowed = "", bool allow_local = true,
                     api::InquiryBounds bounds = metric_bounds) {
        hosts = api::read_hosts(allowed).value();
        metrics =
            std::make_unique<Inquirer>(loop, api, plugins, "metric check", allow_local, bounds);
    }
    // One question is asked at a time, and so many of a namespace may wait.
    void open_with_one_place(std::size_t waiting_max) {
        api::InquiryBounds narrow = metric_bounds;
        narrow.calls_max = 1;
        narrow.waiting_max = waiting_max;
        open_caller("", true, narrow);
        readings.clear();
    }
    Inquirer::CallId begin_check(const engine::MetricQuery& query, const std::string& ns = "shop") {
        if (!metrics) open_caller();
        return metrics->begin(
            api::metrics::inquire(*engine::question_of(query), {ns, hosts}).value(),
            [this](const api::Said& said) {
                readings.push_back(*engine::opened<MetricAnswer>(*said));
            });
    }
    MetricAnswer read(const engine::MetricQuery& query) {
        readings.clear();
        begin_check(query);
        EXPECT_TRUE(readings.empty()) << "never from inside begin()";
        while (readings.empty())
            if (loop.run_one_for(60s) == 0) return {.text = "standstill"};
        loop.poll();
        EXPECT_EQ(readings.size(), 1u);
        return readings.front();
    }
    engine::MetricQuery query() const { return {.expr = "up", .url = server.url("/base")}; }

    std::vector<MetricAnswer> readings;
    api::HostList hosts;
    std::unique_ptr<Inquirer> metrics;
};

TEST_F(MetricQuestions, AQuestionEndsInOneReading) {
    const MetricAnswer reading = read(query());
    EXPECT_EQ(reading.kind, Kind::Data) << reading.text;
    EXPECT_EQ(reading.text, "7");
    ASSERT_EQ(asked.size(), 1u);
    EXPECT_EQ(asked[0].target, "/base/api/v1/query");
}

TEST_F(MetricQuestions, TheSecretComesFromTheNamespaceOfTheQuestion) {
    put_secret("login", {200, secret_json({{"token", canary}})});
    engine::MetricQuery with_login = query();
    with_login.secret = "login";
    EXPECT_EQ(read(with_login).kind, Kind::Data);
    EXPECT_EQ(asked.at(0).headers["authorization"], "Bearer " + canary);
    asked.clear();
    readings.clear();
    begin_check(with_login, "other");
    while (readings.empty())
        ASSERT_NE(loop.run_one_for(60s), 0u);
    EXPECT_EQ(readings[0].kind, Kind::Unknown);
    EXPECT_TRUE(readings[0].misconfigured);
    EXPECT_EQ(readings[0].text, "Secret other/login does not exist");
    EXPECT_TRUE(asked.empty());
}

TEST_F(MetricQuestions, OnlyAllowedHostsAreAsked) {
    open_caller("prom.example.com");
    const MetricAnswer refused = read(query());
    EXPECT_EQ(refused.kind, Kind::Unknown);
    EXPECT_TRUE(refused.misconfigured);
    EXPECT_EQ(refused.text, "the host \"127.0.0.1\" is not one that Sluice may ask");
    EXPECT_TRUE(asked.empty());
    open_caller("127.0.0.1");
    EXPECT_EQ(read(query()).kind, Kind::Data);
}

TEST_F(MetricQuestions, LoopbackIsRefusedUnlessItIsAllowedAndLinkLocalAlways) {
    open_caller("", false);
    MetricAnswer refused = read(query());
    EXPECT_THAT(refused.text, HasSubstr("which must not be contacted"));
    EXPECT_TRUE(refused.misconfigured);
    EXPECT_TRUE(asked.empty());
    open_caller("", true);
    engine::MetricQuery link_local = query();
    link_local.url = "http://169.254.169.254";
    EXPECT_THAT(read(link_local).text, HasSubstr("which must not be contacted"));
}

TEST_F(MetricQuestions, ABoundThatWasMetIsAnUnknownReading) {
    hook = [](const Seen&) { return Reply{.silent = true}; };
    api::InquiryBounds hasty = metric_bounds;
    hasty.deadline = 50ms;
    open_caller("", true, hasty);
    const MetricAnswer late = read(query());
    EXPECT_EQ(late.kind, Kind::Unknown);
    EXPECT_FALSE(late.misconfigured);
    EXPECT_THAT(late.text, HasSubstr("the metric check gave no verdict within"));

    open_with_one_place(1);
    for (int i = 0; i < 3; ++i)
        begin_check(query());
    while (readings.empty())
        ASSERT_NE(loop.run_one_for(60s), 0u);
    EXPECT_EQ(readings.at(0).kind, Kind::Unknown);
    EXPECT_FALSE(readings.at(0).misconfigured);
    EXPECT_THAT(readings.at(0).text,
                HasSubstr("too many metric check calls of namespace shop are waiting"));
}

TEST_F(MetricQuestions, OneNamespaceDoesNotTakeAllPlaces) {
    hook = [](const Seen&) { return Reply{.silent = true}; };
    for (int i = 0; i < 40; ++i)
        begin_check(query(), "shop");
    begin_check(query(), "search");
    loop.poll();
    EXPECT_EQ(metrics->in_flight(), 17u);
    EXPECT_EQ(metrics->waiting(), 24u);
}

TEST_F(MetricQuestions, NamespacesWhosePeersHangLeavePlacesToTheOthers) {
    hook = [](const Seen&) { return Reply{.silent = true}; };
    for (int i = 0; i < 200; ++i)
        begin_check(query(), "hung-" + std::to_string(i % 20));
    while (asked.size() < 64)
        ASSERT_NE(loop.run_one_for(60s), 0u);
    EXPECT_EQ(metrics->in_flight(), 64u) << "the other half is for those who have no place";
    hook = [](const Seen&) {
        return Reply{200, R"({"status":"success","data":)"
                          R"({"resultType":"vector","result":[]}})"};
    };
    readings.clear();
    for (int i = 0; i < 30; ++i)
        begin_check(query(), "well-" + std::to_string(i));
    while (readings.size() < 30)
        ASSERT_NE(loop.run_one_for(60s), 0u) << "those that hang are in the way";
    for (const MetricAnswer& reading : readings)
        EXPECT_NE(reading.kind, Kind::Unknown) << reading.text;
}

TEST_F(MetricQuestions, WhatOneNamespaceHasWaitingDoesNotKeepAnotherOut) {
    hook = [](const Seen&) { return Reply{.silent = true}; };
    open_with_one_place(2);
    for (int i = 0; i < 10; ++i)
        begin_check(query(), "shop");
    begin_check(query(), "search");
    loop.poll();
    EXPECT_EQ(readings.size(), 7u) << "one is asked, two wait";
    EXPECT_EQ(metrics->waiting(), 3u) << "and one of the other namespace";
}

TEST_F(MetricQuestions, AQuestionThatWasTakenBackGivesNothing) {
    const auto id = begin_check(query());
    metrics->cancel(id);
    loop.run_for(50ms);
    EXPECT_TRUE(readings.empty());
    EXPECT_EQ(metrics->in_flight() + metrics->waiting(), 0u);
}

}  // namespace
}  // namespace sluice::probe::test
