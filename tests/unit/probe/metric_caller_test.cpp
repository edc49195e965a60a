#include "probe/metric_caller.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/probe/hook_world.hpp"

namespace sluice::probe::test {
namespace {

using api::metrics::MetricReading;
using testing::HasSubstr;
using Kind = MetricReading::Kind;

const std::string one_series = R"({"status":"success","data":{"resultType":"vector","result":[)"
                               R"({"metric":{},"value":[1,"7"]}]}})";

class MetricCallerTest : public HookWorld {
  protected:
    MetricCallerTest() {
        hook = [](const Seen&) { return Reply{200, one_series}; };
    }

    void open_caller(const std::string& allowed = "", bool allow_local = true,
                     InquiryBounds bounds = metric_bounds) {
        metrics = std::make_unique<MetricCaller>(loop, api, api::read_hosts(allowed).value(),
                                                 allow_local, bounds);
    }
    // One question is asked at a time, and so many of a namespace may wait.
    void open_with_one_place(std::size_t waiting_max) {
        InquiryBounds narrow = metric_bounds;
        narrow.calls_max = 1;
        narrow.waiting_max = waiting_max;
        open_caller("", true, narrow);
        readings.clear();
    }
    MetricCaller::CallId begin_check(const engine::MetricQuery& query,
                                     const std::string& ns = "shop") {
        if (!metrics) open_caller();
        return metrics->ask(
            ns, query, [this](MetricReading reading) { readings.push_back(std::move(reading)); });
    }
    MetricReading read(const engine::MetricQuery& query) {
        readings.clear();
        begin_check(query);
        EXPECT_TRUE(readings.empty()) << "never from inside ask()";
        while (readings.empty())
            if (loop.run_one_for(60s) == 0) return {.message = "standstill"};
        loop.poll();
        EXPECT_EQ(readings.size(), 1u);
        return readings.front();
    }
    engine::MetricQuery query() const { return {.expr = "up", .url = server.url("/base")}; }

    std::vector<MetricReading> readings;
    std::unique_ptr<MetricCaller> metrics;
};

TEST_F(MetricCallerTest, AQuestionEndsInOneReading) {
    const MetricReading reading = read(query());
    EXPECT_EQ(reading.kind, Kind::Data) << reading.message;
    EXPECT_EQ(reading.value, 7.0);
    ASSERT_EQ(asked.size(), 1u);
    EXPECT_EQ(asked[0].target, "/base/api/v1/query");
}

TEST_F(MetricCallerTest, TheSecretComesFromTheNamespaceOfTheQuestion) {
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
    EXPECT_EQ(readings[0].message, "Secret other/login does not exist");
    EXPECT_TRUE(asked.empty());
}

TEST_F(MetricCallerTest, OnlyAllowedHostsAreAsked) {
    open_caller("prom.example.com");
    const MetricReading refused = read(query());
    EXPECT_EQ(refused.kind, Kind::Unknown);
    EXPECT_TRUE(refused.misconfigured);
    EXPECT_EQ(refused.message, "the host \"127.0.0.1\" is not one that Sluice may ask");
    EXPECT_TRUE(asked.empty());
    open_caller("127.0.0.1");
    EXPECT_EQ(read(query()).kind, Kind::Data);
}

TEST_F(MetricCallerTest, LoopbackIsRefusedUnlessItIsAllowedAndLinkLocalAlways) {
    open_caller("", false);
    MetricReading refused = read(query());
    EXPECT_THAT(refused.message, HasSubstr("which must not be contacted"));
    EXPECT_TRUE(refused.misconfigured);
    EXPECT_TRUE(asked.empty());
    open_caller("", true);
    engine::MetricQuery link_local = query();
    link_local.url = "http://169.254.169.254";
    EXPECT_THAT(read(link_local).message, HasSubstr("which must not be contacted"));
}

TEST_F(MetricCallerTest, ABoundThatWasMetIsAnUnknownReading) {
    hook = [](const Seen&) { return Reply{.silent = true}; };
    InquiryBounds hasty = metric_bounds;
    hasty.deadline = 50ms;
    open_caller("", true, hasty);
    const MetricReading late = read(query());
    EXPECT_EQ(late.kind, Kind::Unknown);
    EXPECT_FALSE(late.misconfigured);
    EXPECT_THAT(late.message, HasSubstr("the metric check gave no verdict within"));

    open_with_one_place(1);
    for (int i = 0; i < 3; ++i)
        begin_check(query());
    while (readings.empty())
        ASSERT_NE(loop.run_one_for(60s), 0u);
    EXPECT_EQ(readings.at(0).kind, Kind::Unknown);
    EXPECT_FALSE(readings.at(0).misconfigured);
    EXPECT_THAT(readings.at(0).message,
                HasSubstr("too many metric check calls of namespace shop are waiting"));
}

TEST_F(MetricCallerTest, OneNamespaceDoesNotTakeAllPlaces) {
    hook = [](const Seen&) { return Reply{.silent = true}; };
    for (int i = 0; i < 40; ++i)
        begin_check(query(), "shop");
    begin_check(query(), "search");
    loop.poll();
    EXPECT_EQ(metrics->in_flight(), 17u);
    EXPECT_EQ(metrics->waiting(), 24u);
}

TEST_F(MetricCallerTest, NamespacesWhosePeersHangLeavePlacesToTheOthers) {
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
    for (const MetricReading& reading : readings)
        EXPECT_NE(reading.kind, Kind::Unknown) << reading.message;
}

TEST_F(MetricCallerTest, WhatOneNamespaceHasWaitingDoesNotKeepAnotherOut) {
    hook = [](const Seen&) { return Reply{.silent = true}; };
    open_with_one_place(2);
    for (int i = 0; i < 10; ++i)
        begin_check(query(), "shop");
    begin_check(query(), "search");
    loop.poll();
    EXPECT_EQ(readings.size(), 7u) << "one is asked, two wait";
    EXPECT_EQ(metrics->waiting(), 3u) << "and one of the other namespace";
}

TEST_F(MetricCallerTest, AQuestionThatWasTakenBackGivesNothing) {
    const auto id = begin_check(query());
    metrics->cancel(id);
    loop.run_for(50ms);
    EXPECT_TRUE(readings.empty());
    EXPECT_EQ(metrics->in_flight() + metrics->waiting(), 0u);
}

}  // namespace
}  // namespace sluice::probe::test
