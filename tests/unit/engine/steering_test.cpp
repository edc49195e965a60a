// Turns that a rollout can take, decided from one look and a plan that is made for the test.
#include "engine/steering.hpp"

#include <gtest/gtest.h>

#include "model/annotations.hpp"
#include "tests/unit/engine/seen.hpp"

namespace sluice::engine {
namespace {

using namespace testing;
namespace key = model::key;

Course course(const Plan& plan = {}) {
    Course course;
    course.claim = "test/web";
    course.compile = [plan] { return plan; };
    return course;
}

// A rollout to B that is open since ten minutes, and the gate where the look finds it.
Memory opened(const Snapshot& look) {
    Memory memory;
    memory.uid = "set";
    memory.id = 2;
    memory.revision = "web-B";
    memory.template_hash = 0xB;
    memory.partition = effective_partition(look.workload);
    memory.open = true;
    memory.started = noon - 10min;
    memory.generation = look.workload.meta.generation;
    return memory;
}

Snapshot remembering(Snapshot look, const Memory& memory) {
    look.workload.has_annotations = true;
    look.workload.annotations[key::claim] = "test/web";
    look.workload.annotations[key::rollout] = encode(memory);
    return look;
}

// The pods from `partition` up were let go and are back on B.
Snapshot open_at(int replicas, int partition) {
    const Snapshot look = rolling(replicas, partition);
    return remembering(look, opened(look));
}

// The last two of three pods are on B, and on their way back behind a closed gate.
Snapshot going_back() {
    Snapshot look = rolling(3, 1);
    look.workload.partition = closed_partition;
    Memory memory = opened(look);
    memory.returning = true;
    return remembering(look, memory);
}

Plan step_to(int target, std::vector<Gate> before = {}) {
    Plan plan;
    plan.steps = {Step{PodCount{target}, std::move(before), {}, 0}};
    return plan;
}

std::optional<Partition> moved_to(const Decision& decision) {
    if (!decision.patch || !decision.patch->moves_partition()) return std::nullopt;
    return decision.patch->partition_to();
}

TEST(GoingBack, TheUpdatedPodsReturnOneByOneTheLowestFirst) {
    const Decision decision = steer(going_back(), course(), noon);
    ASSERT_TRUE(decision.removal.has_value());
    EXPECT_EQ(decision.removal->name, "web-1");
    EXPECT_EQ(decision.removal->uid, "pod-1-B");
    EXPECT_EQ(decision.report.message, "Pod web-1 returns to revision web-A.");
}

TEST(GoingBack, APodThatIsBackMustBeAvailableBeforeTheNextLeaves) {
    Snapshot look = going_back();
    look.workload.min_ready = 30s;
    look.pods[0].ready_since = noon - 10s;
    const Decision decision = steer(look, course(), noon);
    EXPECT_FALSE(decision.removal.has_value());
    EXPECT_EQ(decision.report.message, "Waiting for pod web-0 to be ready on revision web-A.");
    EXPECT_EQ(decision.wake_at, noon + 20s) << "from then on time alone makes it so";
    EXPECT_TRUE(steer(look, course(), noon + 20s).removal.has_value());
}

TEST(GoingBack, TimeAloneMakesNoPodAvailableThatIsNotReadyOrOnItsWayOut) {
    Snapshot look = going_back();
    look.pods[0].ready = false;
    EXPECT_EQ(steer(look, course(), noon).wake_at, std::nullopt);
    look = going_back();
    look.pods[0].meta.deleting = true;
    const Decision decision = steer(look, course(), noon);
    EXPECT_FALSE(decision.removal.has_value());
    EXPECT_EQ(decision.wake_at, std::nullopt);
}

TEST(GoingBack, APersonMaySayThatPodsThatAreNotReadyDoNotMatter) {
    Snapshot look = going_back();
    look.pods[0].ready = false;
    look.workload.annotations[key::allow_unready] = "true";
    EXPECT_TRUE(steer(look, course(), noon).removal.has_value());
    look.pods.erase(look.pods.begin());
    EXPECT_FALSE(steer(look, course(), noon).removal.has_value()) << "but all must exist";
}

TEST(GoingBack, NoPodLeavesWhileTheGateIsOpen) {
    Snapshot look = rolling(3, 1);
    Memory memory = opened(look);
    memory.returning = true;
    look = remembering(look, memory);
    const Decision decision = steer(look, course(), noon);
    EXPECT_EQ(moved_to(decision), closed_partition);
    EXPECT_FALSE(decision.removal.has_value());
}

TEST(GoingBack, EndsWhenAllPodsAreBack) {
    Snapshot look = going_back();
    look.pods[1] = pod(1, "A");
    look.pods[2] = pod(2, "A");
    const Decision decision = steer(look, course(), noon);
    EXPECT_EQ(decision.report.reason, Reason::RolledBack);
    EXPECT_TRUE(decision.needs_live) << "a pod whose last news were lost must not be overlooked";
    ASSERT_TRUE(decision.ended.has_value());
    EXPECT_STREQ(decision.ended->outcome, "rolled_back");
    EXPECT_EQ(decision.ended->took, 10min);
}

TEST(Deadlines, AWaitEndsAtTheDeadlineOfItsStepAtTheLatest) {
    Plan plan = step_to(2, {Refused{Reason::HookRefused, "not yet"}});
    plan.deadline = noon + 5min;
    EXPECT_EQ(steer(open_at(3, 2), course(plan), noon).wake_at, noon + 5min);
    EXPECT_EQ(steer(open_at(3, 2), course(plan), noon + 5min - 1ms).report.reason,
              Reason::HookRefused);
    const Decision late = steer(open_at(3, 2), course(plan), noon + 5min);
    EXPECT_EQ(late.report.reason, Reason::ProgressDeadlineExceeded);
    EXPECT_EQ(late.report.message, "The next step was not reached in time. not yet");
    EXPECT_EQ(moved_to(late), std::nullopt);
}

TEST(Deadlines, ARestThatWasWishedForMissesNone) {
    Plan plan = step_to(2, {Pause{.place = 4}});
    plan.deadline = noon - 5min;
    const Decision decision = steer(open_at(3, 2), course(plan), noon);
    EXPECT_EQ(decision.report.reason, Reason::StepPaused);
    EXPECT_EQ(decision.rests_at, 4);
    EXPECT_EQ(decision.wake_at, std::nullopt);
}

TEST(Deadlines, WhatTheChecksHaveComeToIsRememberedBeyondThem) {
    Plan plan = step_to(2, {MetricCheck{.query = {}, .initial_delay = 1h, .next = PodIndex{1}}});
    plan.deadline = noon - 5min;
    EXPECT_TRUE(steer(open_at(3, 2), course(plan), noon).progress.has_value());
    plan.at_deadline = OnFailure::Rollback;
    const Decision back = steer(open_at(3, 2), course(plan), noon);
    EXPECT_TRUE(back.progress.has_value());
    EXPECT_EQ(moved_to(back), closed_partition);
}

}  // namespace
}  // namespace sluice::engine
