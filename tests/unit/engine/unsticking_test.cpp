// Pods that never became ready on a revision that is not wanted any more: when they are replaced.
#include <gtest/gtest.h>

#include "tests/unit/engine/steered.hpp"

namespace sluice::engine {
namespace {

using namespace testing;
namespace key = model::key;

// Pod 2 was let go to B and never became ready; C is wanted now, behind a closed gate.
Snapshot superseded() {
    Snapshot look = rolling(3, 2);
    look.workload.update_revision = "web-C";
    look.workload.template_hash = 0xC;
    look.workload.partition = closed_partition;
    look.pods[2].ready = false;
    look.pods[2].never_ready = true;
    look.pods[2].ready_since = noon - 30s;
    Memory memory = opened(look);
    memory.revision = "web-C";
    memory.template_hash = 0xC;
    return remembering(look, memory);
}

Plan when_ready() {
    return step_to(3, {PodsReady{}});
}

Course elsewhere(const Plan& plan = when_ready()) {
    Course one = course(plan);
    one.reports_on_workload = false;
    return one;
}

TEST(Unsticking, ReplacesAPodThatWasNeverReadyOnARevisionThatNobodyWants) {
    const Decision decision = steer(superseded(), elsewhere(), noon);
    ASSERT_TRUE(removal_in(decision));
    EXPECT_EQ(removal_in(decision)->object.uid, "pod-2-B");
    EXPECT_EQ(removal_in(decision)->version, superseded().pods[2].meta.resource_version)
        << "one that becomes ready meanwhile stays";
    EXPECT_EQ(told(decision, Reason::StuckPodReplaced),
              "Pod web-2 was never ready on revision web-B, which is not wanted any more; it is "
              "replaced by one of revision web-A.");
    EXPECT_EQ(decision.report.phase, Phase::Waiting) << "behind the gate";
}

TEST(Unsticking, IsReportedOnTheWorkloadBeforeThePodGoes) {
    Snapshot look = superseded();
    const Decision first = steer(look, course(when_ready()), noon);
    ASSERT_TRUE(patch_in(first));
    EXPECT_FALSE(tells(first, Reason::StuckPodReplaced));
    look.workload = after(look, first);
    const Decision second = steer(look, course(when_ready()), noon);
    EXPECT_FALSE(patch_in(second));
    EXPECT_TRUE(removal_in(second));
    EXPECT_TRUE(tells(second, Reason::StuckPodReplaced));
}

TEST(Unsticking, LeavesAlonePodsThatWereReadyAreWantedOrWouldComeBackTheSame) {
    Snapshot was_ready = superseded();
    was_ready.pods[2].never_ready = false;
    EXPECT_FALSE(removal_in(steer(was_ready, elsewhere(), noon)));
    Snapshot wanted = superseded();
    wanted.pods[2].revision = "web-C";
    EXPECT_FALSE(removal_in(steer(wanted, elsewhere(), noon)));
    Snapshot same = superseded();
    same.pods[2].revision = "web-A";
    EXPECT_FALSE(removal_in(steer(same, elsewhere(), noon)));
    Snapshot going = superseded();
    going.pods[2].meta.deleting = true;
    EXPECT_FALSE(removal_in(steer(going, elsewhere(), noon)));
}

TEST(Unsticking, ReplacesAPodOfTheOldRevisionOnceItIsLetGo) {
    Snapshot look = open_at(3, 2);
    look.pods[2] = pod(2, "A");
    look.pods[2].ready = false;
    look.pods[2].never_ready = true;
    look.pods[2].ready_since = noon - 10min;
    const Decision decision = steer(look, elsewhere(), noon);
    ASSERT_TRUE(removal_in(decision));
    EXPECT_EQ(removal_in(decision)->object.uid, "pod-2-A");
    EXPECT_EQ(told(decision, Reason::StuckPodReplaced),
              "Pod web-2 was never ready on revision web-A, which is not wanted any more; it is "
              "replaced by one of revision web-B.");
    EXPECT_EQ(decision.report.phase, Phase::Rolling);
}

TEST(Unsticking, GoesFromTheNewestOnOneByOneAndWaitsForTheOthers) {
    Snapshot look = superseded();
    look.pods[1] = look.pods[2];
    look.pods[1].meta.key.name = "web-1";
    look.pods[1].meta.uid = "pod-1-B";
    EXPECT_EQ(removal_in(steer(look, elsewhere(), noon))->object.uid, "pod-1-B");
    look.pods[1] = pod(1, "A");
    look.pods[1].ready = false;
    const Decision waits = steer(look, elsewhere(), noon);
    EXPECT_FALSE(removal_in(waits)) << "not ready again yet";
    EXPECT_EQ(waits.wake_at, std::nullopt) << "time alone does not make it so";
    look.workload.annotations[key::allow_unready] = "true";
    EXPECT_TRUE(removal_in(steer(look, elsewhere(), noon))) << "a person said so";
    look.pods.erase(look.pods.begin() + 1);
    EXPECT_FALSE(removal_in(steer(look, elsewhere(), noon))) << "not there yet";
}

TEST(Unsticking, GivesAPodTimeToBecomeReady) {
    Snapshot young = superseded();
    young.pods[2].ready_since = noon - 20s;
    const Decision waits = steer(young, elsewhere(), noon);
    EXPECT_FALSE(removal_in(waits));
    EXPECT_EQ(waits.wake_at, noon + 10s) << "nothing else would bring us back";
    EXPECT_TRUE(removal_in(steer(young, elsewhere(), noon + 10s)));
    young.workload.annotations[key::unstick] = "Never";
    EXPECT_EQ(steer(young, elsewhere(), noon).wake_at, std::nullopt);

    Snapshot unknown = superseded();
    unknown.pods[2].ready_since = {};
    EXPECT_FALSE(removal_in(steer(unknown, elsewhere(), noon))) << "nobody knows its age";

    Snapshot current = open_at(3, 2);
    current.pods[2] = pod(2, "A");
    current.pods[2].ready = false;
    current.pods[2].never_ready = true;
    current.pods[2].ready_since = noon - 5min;
    const Decision longer = steer(current, elsewhere(), noon);
    EXPECT_FALSE(removal_in(longer)) << "it may just have been replaced";
    EXPECT_EQ(longer.wake_at, noon + 5min);
}

TEST(Unsticking, GivesTimeToTheFirstPodToo) {
    Snapshot young = superseded();
    young.pods[0] = young.pods[2];
    young.pods[0].meta.key.name = "web-0";
    young.pods[0].ready_since = noon - 20s;
    young.pods[2] = pod(2, "A");
    EXPECT_EQ(steer(young, elsewhere(), noon).wake_at, noon + 10s);
}

TEST(Unsticking, AsksTheGatesFirst) {
    const Plan refused = step_to(3, {Refused{Reason::HookRefused, "no"}});
    EXPECT_FALSE(removal_in(steer(superseded(), elsewhere(refused), noon)));
    const Plan open = step_to(1, {PodsReady{.except = PodIndex{2}}});
    EXPECT_EQ(moved_to(steer(superseded(), elsewhere(open), noon)), Partition{2});
}

TEST(Unsticking, DoesNotWaitForPodsThatWaitForTheStuckOne) {
    Snapshot look = superseded();
    look.workload.replicas = PodCount{5};
    EXPECT_EQ(removal_in(steer(look, elsewhere(), noon))->object.uid, "pod-2-B");
    look.pods.erase(look.pods.begin());
    EXPECT_FALSE(removal_in(steer(look, elsewhere(), noon))) << "one below it is away";
}

TEST(Unsticking, PutsNoPodOnARevisionThatNobodyRunsAndNoGateLetPass) {
    Snapshot anew = superseded();
    anew.workload.current_revision = "web-C";
    EXPECT_FALSE(removal_in(steer(anew, elsewhere(), noon)));
    anew.pods[0].revision = "web-C";
    EXPECT_TRUE(removal_in(steer(anew, elsewhere(), noon))) << "that is an undo";
}

TEST(Unsticking, IsTurnedOffByAPauseAndByAnyWordButAlways) {
    for (const char* word : {"Never", "never", "false"}) {
        Snapshot look = superseded();
        look.workload.annotations[key::unstick] = word;
        EXPECT_FALSE(removal_in(steer(look, elsewhere(), noon))) << word;
    }
    Snapshot always = superseded();
    always.workload.annotations[key::unstick] = "Always";
    EXPECT_TRUE(removal_in(steer(always, elsewhere(), noon)));
    Snapshot paused = superseded();
    paused.workload.annotations[key::paused] = "true";
    EXPECT_FALSE(removal_in(steer(paused, elsewhere(), noon)));
}

}  // namespace
}  // namespace sluice::engine
