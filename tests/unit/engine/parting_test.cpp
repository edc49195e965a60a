// Hands off: what becomes of the partition, and what people are told.
#include <gtest/gtest.h>

#include "tests/unit/engine/steered.hpp"

namespace sluice::engine {
namespace {

using namespace testing;
namespace key = model::key;

// Adopted while the partition was `found`, and at rest since.
Snapshot at_rest_since(std::optional<Partition> found) {
    Snapshot look = seen(3);
    look.workload.partition = found;
    look.workload = after(look, steer(look, course(), noon));
    look.workload.observed_generation = look.workload.meta.generation;
    return look;
}

TEST(Release, OpensTheGateOnlyIfItIsToAndOnlyIfItIsNotOpen) {
    const Snapshot look = open_at(3, 1);
    const Decision open = release(look, course(), "deleted", noon, Parting::Open);
    EXPECT_EQ(moved_to(open), Partition{0});
    EXPECT_EQ(told(open, Reason::Released),
              "deleted: Sluice no longer steers web; Kubernetes updates its pods by itself.");
    const Decision frozen = release(look, course(), "deleted", noon);
    EXPECT_EQ(moved_to(frozen), std::nullopt);
    EXPECT_EQ(told(frozen, Reason::Released),
              "deleted: Sluice no longer steers web; its partition stays at 1. To let Kubernetes "
              "update the pods by itself: kubectl -n shop patch statefulset web --type merge -p "
              "'{\"spec\":{\"updateStrategy\":{\"rollingUpdate\":{\"partition\":0}}}}'");
    Snapshot bare = open_at(3, 0);
    bare.workload.partition.reset();
    const Decision as_it_was = release(bare, course(), "deleted", noon, Parting::Open);
    EXPECT_EQ(moved_to(as_it_was), std::nullopt);
    EXPECT_EQ(after(bare, as_it_was).partition, std::nullopt);
}

TEST(Release, GivesBackThePartitionThatWasFoundWhileNothingIsPending) {
    for (const std::optional<Partition> found :
         {std::optional<Partition>{}, std::optional{Partition{0}}, std::optional{Partition{2}},
          std::optional{Partition{3}}}) {
        const Snapshot look = at_rest_since(found);
        EXPECT_EQ(look.workload.partition, Partition{3});
        const Decision decision = release(look, course(), "deleted", noon);
        EXPECT_EQ(after(look, decision).partition, found);
        EXPECT_TRUE(after(look, decision).annotations.empty());
        EXPECT_EQ(decision.needs_live, found != Partition{3}) << "what lowers it looks first";
    }
    const Snapshot look = at_rest_since(Partition{2});
    EXPECT_EQ(told(release(look, course(), "deleted", noon), Reason::Released),
              "deleted: Sluice no longer steers web; its partition is 2 again, as it was before.");
}

TEST(Release, TakesAPartitionThatWasClosedForUsForNobodysWish) {
    const Snapshot look = at_rest_since(closed_partition);
    EXPECT_EQ(after(look, release(look, course(), "deleted", noon)).partition, Partition{0});
}

TEST(Release, KeepsTheRestOfABlockThatSomebodyElseHasFilled) {
    Snapshot look = at_rest_since(std::nullopt);
    look.workload.limits_unavailable = true;
    EXPECT_EQ(moved_to(release(look, course(), "deleted", noon)), Partition{0});
    EXPECT_EQ(after(look, release(look, course(), "deleted", noon)).partition, Partition{0});
}

TEST(Release, LeavesNoFenceBehind) {
    Snapshot look = at_rest_since(Partition{0});
    look.environment.fence = "lease/1";
    EXPECT_EQ(patch_in(release(look, course(), "deleted", noon))->body.find("lease/1"),
              std::string::npos);
    look.workload.partition = Partition{1};
    EXPECT_NE(patch_in(steer(look, course(), noon))->body.find("lease/1"), std::string::npos)
        << "who steers writes it";
}

TEST(Release, WaitsUntilItIsKnownWhetherSomethingIsPending) {
    Snapshot look = at_rest_since(Partition{0});
    ++look.workload.meta.generation;
    const Decision decision = release(look, course(), "deleted", noon);
    EXPECT_FALSE(patch_in(decision));
    EXPECT_EQ(decision.report.reason, Reason::StatusStale);
    EXPECT_TRUE(patch_in(release(look, course(), "deleted", noon, Parting::Open)))
        << "who opens it needs not know";
}

TEST(Release, LeavesWordOfThePartitionInMidRolloutAndFindsItAgain) {
    Snapshot look = at_rest_since(std::nullopt);
    look.workload.update_revision = "web-B";
    look.workload.template_hash = 0xB;
    look.workload = after(look, steer(look, course(), noon));
    look.workload.observed_generation = look.workload.meta.generation;
    EXPECT_EQ(look.workload.partition, closed_partition);
    look.workload = after(look, release(look, course(), "deleted", noon));
    EXPECT_EQ(look.workload.partition, closed_partition);
    EXPECT_EQ(look.workload.annotations, (model::Texts{{key::partition_before, "absent@1000000"}}));
    look.workload = after(look, steer(look, course(), noon));
    EXPECT_FALSE(look.workload.annotations.contains(key::partition_before));
    EXPECT_EQ(recall(look.workload)->found, std::nullopt);
    look.workload.annotations.erase(key::rollout);
    using Left = std::pair<const char*, Partition>;
    for (const auto& [left, found] :
         {Left{"2@1000000", Partition{2}}, Left{"0@1000000", Partition{0}},
          Left{"1000000@1000000", Partition{0}}, Left{"2@3", Partition{0}}, Left{"2", Partition{0}},
          Left{"-1@1000000", Partition{0}}, Left{"what", Partition{0}}}) {
        look.workload.annotations[key::partition_before] = left;
        EXPECT_EQ(recall(after(look, steer(look, course(), noon)))->found, found) << left;
    }
}

TEST(Release, LeavesAPartitionAloneThatSomebodyElseHasMovedOrTaken) {
    Snapshot moved = at_rest_since(Partition{0});
    moved.workload.partition = Partition{1};
    EXPECT_EQ(moved_to(release(moved, course(), "deleted", noon)), std::nullopt);
    EXPECT_TRUE(after(moved, release(moved, course(), "deleted", noon)).annotations.empty());
    Snapshot taken = at_rest_since(Partition{0});
    taken.workload.annotations.erase(key::claim);
    EXPECT_EQ(moved_to(release(taken, course(), "deleted", noon)), std::nullopt);
}

TEST(Release, KnowsThePartitionOfASetThatThisOneReplacesAndTakesItsOwnForNobodys) {
    Snapshot anew = at_rest_since(Partition{2});
    anew.workload.meta.uid = "another";
    anew.workload = after(anew, steer(anew, course(), noon));
    EXPECT_EQ(recall(anew.workload)->found, Partition{2});
    Snapshot erased = at_rest_since(Partition{0});
    erased.workload.annotations.erase(key::rollout);
    EXPECT_EQ(recall(after(erased, steer(erased, course(), noon)))->found, Partition{0});
}

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
}

TEST(Unsticking, GoesFromTheNewestOnOneByOneAndWaitsForTheOthers) {
    Snapshot look = superseded();
    look.pods[1] = look.pods[2];
    look.pods[1].meta.key.name = "web-1";
    look.pods[1].meta.uid = "pod-1-B";
    EXPECT_EQ(removal_in(steer(look, elsewhere(), noon))->object.uid, "pod-1-B");
    look.pods[1] = pod(1, "A");
    look.pods[1].ready = false;
    EXPECT_FALSE(removal_in(steer(look, elsewhere(), noon))) << "not ready again yet";
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
