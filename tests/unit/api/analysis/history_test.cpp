#include "api/analysis/history.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/api/analysis/run_world.hpp"

namespace sluice::api::analysis {
namespace {

using ::testing::ElementsAre;
using testing::noon;

FinishedRun run(const std::string& name, Phase phase, Duration age) {
    return {.name = name,
            .uid = name + "-uid",
            .phase = phase,
            .created = noon - age - 1h,
            .completed = noon - age,
            .is_current = false,
            .is_deleting = false};
}

std::vector<std::string> names(const std::vector<FinishedRun>& runs) {
    std::vector<std::string> result;
    for (const FinishedRun& one : runs)
        result.push_back(one.name);
    return result;
}

TEST(History, TheOldestBeyondTheLimitsMayGo) {
    const std::vector runs{run("a", Phase::Successful, 4h),   run("b", Phase::Successful, 3h),
                           run("c", Phase::Successful, 5h),   run("d", Phase::Failed, 1h),
                           run("e", Phase::Inconclusive, 2h), run("f", Phase::Error, 6h)};
    EXPECT_THAT(names(superfluous(runs, 1, 2)), ElementsAre("f", "c", "a"));
    EXPECT_THAT(names(superfluous(runs, 0, -1)), ElementsAre("f", "c", "a", "b", "e", "d"));
    EXPECT_THAT(names(superfluous(runs, 5, 5)), ElementsAre());
}

TEST(History, WhatIsNotOverOrStillLookedAtOrOnItsWayOutStays) {
    std::vector runs{run("running", Phase::Running, 9h), run("pending", Phase::Pending, 9h),
                     run("current", Phase::Failed, 9h), run("leaving", Phase::Failed, 9h),
                     run("old", Phase::Failed, 9h)};
    runs[2].is_current = true;
    runs[3].is_deleting = true;
    EXPECT_THAT(names(superfluous(runs, 0, 0)), ElementsAre("old"));
}

TEST(History, ARunIsReadFromItsObject) {
    model::CustomObject object;
    object.meta = {{"shop", "web-1"}, "uid", 1, 1, true};
    object.created = noon;
    object.status = R"({"phase":"Failed","completedAt":"2026-01-31T12:00:00Z"})";
    EXPECT_EQ(to_finished(object, true),
              (FinishedRun{"web-1", "uid", Phase::Failed, noon, noon, true, true}));
}

TEST(History, TheTimeToLiveIsThatOfTheOutcomeOrElseOfAnyEnd) {
    const auto ended = [](Phase phase) {
        RunStatus status;
        status.phase = phase;
        status.completed = noon;
        return status;
    };
    const TimeToLive ttl{10s, 20s, 30s};
    EXPECT_EQ(expires_at(ttl, ended(Phase::Successful)), noon + 30s);
    EXPECT_EQ(expires_at(ttl, ended(Phase::Failed)), noon + 20s);
    EXPECT_EQ(expires_at(ttl, ended(Phase::Error)), noon + 20s);
    EXPECT_EQ(expires_at(ttl, ended(Phase::Inconclusive)), noon + 10s);
    EXPECT_EQ(expires_at({}, ended(Phase::Failed)), std::nullopt);
    EXPECT_EQ(expires_at({std::nullopt, 0s, std::nullopt}, ended(Phase::Failed)), noon);
    EXPECT_EQ(expires_at(ttl, ended(Phase::Running)), std::nullopt);
}

}  // namespace
}  // namespace sluice::api::analysis
