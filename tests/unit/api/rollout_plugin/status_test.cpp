#include "api/rollout_plugin/status.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/dice.hpp"

namespace sluice::api::rollout_plugin {
namespace {

const Instant noon = *parse_rfc3339("2026-01-31T12:00:00Z");

Status read_text(std::string text) {
    model::CustomObject object;
    object.status = std::move(text);
    return read_status(object);
}

Status full_status() {
    Status status;
    status.phase = phase::paused;
    status.reason = "Paused";
    status.message = "Step 1 waits.";
    status.unblock = "A person.";
    status.since = noon;
    status.observed_generation = 4;
    status.guarantee = "Prevent";
    status.current_revision = "web-1";
    status.updated_revision = "web-2";
    status.step = 0;
    status.step_complete = status.initialized = status.in_progress = true;
    status.commands = {true, true, true, 4};
    status.pause = {true, {{std::string{pause_reason::step}, noon}}, true, noon};
    status.abort = {true, "web-0", noon};
    status.restart = {2, noon, 3};
    status.replicas = {{5}, {1}, {5}, {4}};
    status.step_run = RunReport{"web-2-1", "Running", "so far"};
    status.background_run = RunReport{"web-2", "Successful", ""};
    status.rollout = RolloutStatus{.id = 3,
                                   .workload_uid = "uid",
                                   .partition = Partition{0},
                                   .weight = 20,
                                   .pod = "web-3",
                                   .definition = "00ff",
                                   .started = noon,
                                   .step_started = noon + 1s,
                                   .completed = noon + 2s};
    status.conditions = {{"Progressing", "True", "RolloutPluginProgressing", "", noon, noon},
                         {"Paused", "True", "RolloutPluginPaused", "at 1", noon, noon + 1s}};
    return status;
}

TEST(RolloutPluginStatus, ComesBackAsItWasWritten) {
    EXPECT_EQ(read_text(write_status(full_status())), full_status());
    Status bare;
    bare.phase = phase::healthy;
    EXPECT_EQ(read_text(write_status(bare)), bare);
    EXPECT_EQ(write_status(bare),
              R"({"phase":"Healthy","observedGeneration":0,"replicas":0,"updatedReplicas":0,)"
              R"("readyReplicas":0,"availableReplicas":0})");
}

TEST(RolloutPluginStatus, TheCommandsOfBothGenerationsAreRead) {
    EXPECT_EQ(read_text(R"({"abort":true})").commands, (Commands{true, false, false}));
    EXPECT_EQ(read_text(R"({"promoteFull":true})").commands, (Commands{false, true, false}));
    EXPECT_EQ(read_text(R"({"restart":true})").commands, (Commands{false, false, true}));
    EXPECT_EQ(read_text(R"({"abort":false,"restart":"true"})").commands, Commands{});
    const std::string waits =
        R"("controllerPause":true,"pauseConditions":[{"reason":"CanaryPauseStep",)"
        R"("startTime":"2026-01-31T12:00:00Z"}])";
    EXPECT_FALSE(is_resumed(read_text("{" + waits + R"(,"paused":true})").pause));
    EXPECT_FALSE(is_resumed(read_text("{" + waits + "}").pause));
    EXPECT_TRUE(is_resumed(read_text("{" + waits + R"(,"paused":false})").pause));
    EXPECT_TRUE(is_resumed(read_text(R"({"controllerPause":true,"paused":true})").pause));
    EXPECT_TRUE(is_resumed(read_text(R"({"controllerPause":true,"pauseConditions":null})").pause));
    EXPECT_FALSE(is_resumed(read_text(R"({"paused":false})").pause));
}

TEST(RolloutPluginStatus, AReasonToWaitThatIsGarbledIsStillOne) {
    for (const char* text : {R"({"controllerPause":true,"pauseConditions":"x"})",
                             R"({"controllerPause":true,"pauseConditions":[7]})",
                             R"({"controllerPause":true,"pauseConditions":{}})"})
        EXPECT_FALSE(is_resumed(read_text(text).pause)) << text;
}

TEST(RolloutPluginStatus, TextsAndNumbersAreCutToTheirBounds) {
    Status status;
    status.message = std::string(1023, 'x') + "\xc3\xa9\xc3\xa9";
    status.reason = std::string(100, 'r');
    status.step = 101;
    status.conditions.assign(20, {"Paused", "True", "r", std::string(2000, 'm'), noon, noon});
    status.pause.conditions.assign(20, {"r", noon});
    const Status read = read_text(write_status(status));
    EXPECT_EQ(read.message, std::string(1023, 'x'));
    EXPECT_EQ(read.reason.size(), 64U);
    EXPECT_EQ(read.step, 100);
    ASSERT_EQ(read.conditions.size(), 16U);
    EXPECT_EQ(read.conditions[0].message.size(), 1024U);
    EXPECT_EQ(read.pause.conditions.size(), 16U);
}

TEST(RolloutPluginStatus, WhatIsGarbledReadsAsNothing) {
    for (const char* text :
         {"", "null", "[]", "7", "{", "\xff", R"({"phase":7,"currentStepIndex":-1})",
          R"({"since":"soon","observedGeneration":"4","conditions":{},"currentStepIndex":101})",
          R"({"rollout":[],"canary":7,"replicas":-1,"abort":1})",
          R"({"conditions":[7,{},{"type":""}],"canary":{"currentStepAnalysisRunStatus":{}}})"})
        EXPECT_EQ(read_text(text), Status{}) << text;
}

TEST(RolloutPluginStatus, AByteThatFlippedGivesAStatus) {
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

TEST(RolloutPluginConditions, KeepTheirTimesWhileTheyStayTheSame) {
    std::vector<Condition> list;
    list = with_condition(list, {"Paused", "True", "a", "a", noon, noon});
    list = with_condition(list, {"Paused", "True", "a", "a", noon + 1s, noon + 1s});
    EXPECT_EQ(list[0], (Condition{"Paused", "True", "a", "a", noon, noon}));
    list = with_condition(list, {"Paused", "True", "a", "b", noon + 2s, noon + 2s});
    EXPECT_EQ(list[0], (Condition{"Paused", "True", "a", "b", noon + 2s, noon}));
    list = with_condition(list, {"Paused", "False", "a", "b", noon + 3s, noon + 3s});
    EXPECT_EQ(list[0].since, noon + 3s);
    list = with_condition(list, {"Healthy", "True", "", "", noon, noon});
    EXPECT_EQ(list.size(), 2U);
    EXPECT_EQ(without_condition(list, "Paused").size(), 1U);
}

}  // namespace
}  // namespace sluice::api::rollout_plugin
