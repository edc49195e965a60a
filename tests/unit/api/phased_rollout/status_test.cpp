#include "api/phased_rollout/status.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/dice.hpp"

namespace sluice::api::phased_rollout {
namespace {

const Instant noon = *parse_rfc3339("2026-01-31T12:00:00Z");

Status read_text(std::string text) {
    model::CustomObject object;
    object.status = std::move(text);
    return read_status(object);
}

Status full_status() {
    Status status;
    status.phase = phase::rolling;
    status.reason = "WaitForChecks";
    status.message = "1 of 3 checks passed.";
    status.unblock = "Two more.";
    status.since = noon;
    status.observed_generation = 4;
    status.guarantee = "Prevent";
    status.failed_revision = "web-0";
    status.retry = "17";
    status.rollout = RolloutStatus{.id = 3,
                                   .workload_uid = "uid",
                                   .revision = "web-2",
                                   .previous_revision = "web-1",
                                   .partition = Partition{0},
                                   .pod = "web-0",
                                   .step = "2/3",
                                   .updated_pods = {2},
                                   .pods = {3},
                                   .started = noon,
                                   .step_started = noon + 1s,
                                   .completed = noon + 2s};
    status.check = CheckStatus{.definition = "00ff",
                               .success_on = "Data",
                               .starts = noon,
                               .tries = 4,
                               .tries_left = 0,
                               .successes = 1,
                               .failures = 2,
                               .last_result = "Passed",
                               .last_value = "no data",
                               .last = noon,
                               .next = noon + 30s};
    status.update_revision = "web-2";
    status.rollout_start = noon;
    status.rollout_end = noon + 2s;
    status.rolling_pod = RollingPodStatus{"WaitForChecks", Partition{1}, noon, noon, 1, 2, 3};
    status.conditions = {{"Ready", "True", "Ready", "", 4, noon},
                         {"Updated", "False", "Rolling", "in progress", 4, noon}};
    return status;
}

TEST(Status, ComesBackAsItWasWritten) {
    EXPECT_EQ(read_text(write_status(full_status())), full_status());
    Status bare;
    bare.phase = phase::updated;
    EXPECT_EQ(read_text(write_status(bare)), bare);
    EXPECT_EQ(write_status(bare), R"({"phase":"Updated","observedGeneration":0})");
}

TEST(Status, WritesTheOriginalsFieldsUnderTheirNames) {
    Status status;
    status.rolling_pod = RollingPodStatus{"WaitForChecks", Partition{2}, noon, {}, 1, 0, 5};
    EXPECT_EQ(write_status(status),
              R"({"observedGeneration":0,"rollingPodStatus":{"status":"WaitForChecks",)"
              R"("partition":2,"analisysStartTime":"2026-01-31T12:00:00Z",)"
              R"("consecutiveSuccessfulChecks":1,"consecutiveFailedChecks":0,)"
              R"("totalFailedChecks":5}})");
}

TEST(Status, TextsAreCutToTheirBoundsBetweenCharacters) {
    Status status;
    status.message = std::string(1023, 'x') + "\xc3\xa9\xc3\xa9";
    status.reason = std::string(100, 'r');
    status.conditions.assign(20, {"Ready", "True", "Ready", std::string(2000, 'm'), 0, noon});
    const Status read = read_text(write_status(status));
    EXPECT_EQ(read.message, std::string(1023, 'x'));
    EXPECT_EQ(read.reason.size(), 64U);
    ASSERT_EQ(read.conditions.size(), 16U);
    EXPECT_EQ(read.conditions[0].message.size(), 1024U);
}

TEST(Status, WhatIsGarbledReadsAsNothing) {
    for (const char* text : {"", "null", "[]", "7", "{", "\xff", "{\"phase\":7}",
                             R"({"since":"soon","observedGeneration":"4","conditions":{}})",
                             R"({"rollout":[],"check":7,"rollingPodStatus":"x"})",
                             R"({"observedGeneration":-1,"conditions":[7,{},{"type":""}]})"})
        EXPECT_EQ(read_text(text), Status{}) << text;
    const Status partly = read_text(
        R"({"check":{"tries":-1,"successes":4294967296,"failures":1.5,"triesLeft":"1"}})");
    EXPECT_EQ(partly.check, CheckStatus{});
}

TEST(Status, AByteThatFlippedGivesAStatus) {
    Dice dice{5};
    const std::string text = write_status(full_status());
    for (int round = 0; round < 5; ++round) {
        for (std::size_t at = 0; at < text.size(); ++at) {
            std::string broken = text;
            broken[at] = static_cast<char>(dice.roll());
            static_cast<void>(read_text(broken));
        }
    }
}

TEST(Conditions, KeepTheirTimeWhileTheStatusStaysTheSame) {
    std::vector<Condition> list;
    list = with_condition(list, {"Ready", "True", "Ready", "a", 1, noon});
    list = with_condition(list, {"Ready", "True", "Suspended", "b", 2, noon + 1s});
    ASSERT_EQ(list.size(), 1U);
    EXPECT_EQ(list[0], (Condition{"Ready", "True", "Suspended", "b", 2, noon}));
    list = with_condition(list, {"Ready", "False", "ErrorCannotManage", "c", 3, noon + 2s});
    EXPECT_EQ(list[0].since, noon + 2s);
    list = with_condition(list, {"Updated", "True", "Updated", "", 3, noon});
    EXPECT_EQ(list.size(), 2U);
}

}  // namespace
}  // namespace sluice::api::phased_rollout
