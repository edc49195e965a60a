// Somebody else does something in mid-rollout.
#include <gtest/gtest.h>

#include "tests/unit/api/pilot/situation.hpp"

namespace sluice::api::pilot {
namespace {

using namespace testing;

template <class Change>
Snapshot with(Snapshot look, Change change) {
    change(look.workload);
    return look;
}

// The partition is not where we left it.
Snapshot moved(const Snapshot& look, int partition) {
    return with(look, [&](auto& set) { set.partition = Partition{partition}; });
}

Snapshot paused(const Snapshot& look) {
    return with(look, [](auto& set) { set.annotations[key::paused] = "true"; });
}

// The pod was lost while the gate was raised.
Snapshot with_old_pod(Snapshot look, int index) {
    for (model::Pod& one : look.pods)
        if (one.meta.key.name == "web-" + std::to_string(index)) one = pod(index, "A");
    return look;
}

Snapshot retried(const Snapshot& look) {
    return with(look, [](auto& set) { set.annotations[key::retry] = "1"; });
}

// The template is C now; Kubernetes has not seen it.
Snapshot new_template(const Snapshot& look) {
    return with(look, [](auto& set) {
        set.template_hash = 0xC;
        ++set.meta.generation;
    });
}

Snapshot revision(const Snapshot& look, const std::string& name) {
    return with(look, [&](auto& set) { set.update_revision = "web-" + name; });
}

Snapshot scaled(const Snapshot& look, int replicas) {
    Snapshot now = with(look, [&](auto& set) { set.replicas = PodCount{replicas}; });
    now.pods.resize(std::min(now.pods.size(), static_cast<std::size_t>(replicas)));
    return now;
}

const Situation touched[] = {
    {"lowered by somebody else", moved(open_at(3, 2), 0),
     "Held GateBypassed; writes, partition 2; tells GateBypassed"},
    {"lowered while waiting for the first pod", moved(waiting(3), 3),
     "Held GateBypassed; writes, partition 1000000; tells GateBypassed"},
    {"lowered by a write that left it out",
     with(waiting(3), [](auto& set) { set.partition.reset(); }),
     "Held GateBypassed; writes, partition 1000000; tells GateBypassed"},
    {"lowered though the hook allowed", moved(allowed(open_at(3, 2)), 1),
     "Held GateBypassed; writes, partition 2; tells GateBypassed"},
    {"lowered and paused", paused(moved(open_at(3, 2), 0)),
     "Held GateBypassed; writes, partition 2; tells GateBypassed"},
    {"paused", paused(open_at(3, 2)), "Held Paused; writes"},
    {"paused though the hook allowed", paused(allowed(open_at(3, 2))), "Held Paused; writes"},
    {"paused with another word than true",
     with(open_at(3, 2), [](auto& set) { set.annotations[key::paused] = "false"; }),
     "Rolling AskingHook; asks web-2 > web-1; wakes in 10s"},
    {"raised by somebody else", moved(open_at(4, 1), 2),
     "Held PartitionRaised; writes; tells PartitionRaised"},
    {"raised beyond all pods", moved(open_at(3, 1), 4),
     "Held PartitionRaised; writes; tells PartitionRaised"},
    {"raised to replicas, as a manifest does", moved(open_at(3, 1), 3),
     "Rolling PartitionRestored; writes, partition 1; tells PartitionRestored"},
    {"raised to replicas, and a pod is back on the old revision",
     with_old_pod(moved(open_at(4, 1), 4), 2),
     "Rolling PartitionRestored; writes, partition 3; tells PartitionRestored"},
    {"raised to replicas, and all pods are back on the old revision",
     with_old_pod(moved(open_at(3, 1), 3), 2),
     "Waiting PartitionRestored; writes, partition 1000000; tells PartitionRestored"},
    {"raised to replicas, and paused", paused(moved(open_at(3, 1), 3)), "Held Paused; writes"},
    {"raised as far as it goes", moved(open_at(3, 1), 1'000'000), "Waiting RolloutStarted; writes"},
    {"raised, and a person says go on", retried(moved(open_at(4, 1), 2)),
     "Rolling RolloutStarted; writes"},
    {"raised beyond all pods, and a person says go on", retried(moved(open_at(3, 1), 3)),
     "Waiting RolloutStarted; writes, partition 1000000"},
    {"raised as far as it goes, and a person says go on", retried(moved(open_at(3, 1), 1'000'000)),
     "Waiting RolloutStarted; writes"},
    {"scaled up behind an open gate", scaled(open_at(3, 2), 5), "Rolling PodsNotReady; writes"},
    {"scaled down, some pods are still exposed", scaled(open_at(3, 1), 2),
     "Rolling AskingHook; asks web-1 > web-0; wakes in 10s"},
    {"scaled down so that no pod is exposed", scaled(open_at(3, 2), 2),
     "Waiting RolloutStarted; writes, partition 1000000"},
    {"scaled to zero", scaled(open_at(3, 2), 0), "Held ScaledToZero; writes; tells ScaledToZero"},
};

const Situation templates[] = {
    {"changed, Kubernetes has not seen it, the gate is open", new_template(open_at(3, 1)),
     "Waiting RolloutStarted; writes, partition 1000000; tells RolloutStarted"},
    {"changed, and a policy closed the gate", moved(new_template(open_at(3, 1)), 1'000'000),
     "Waiting StatusStale; wakes in 10s"},
    {"changed at rest", new_template(resting(3)), "Waiting StatusStale; wakes in 10s"},
    {"changed though the hook allowed", new_template(allowed(open_at(3, 1))),
     "Waiting RolloutStarted; writes, partition 1000000; tells RolloutStarted"},
    {"a third revision, the gate is still open", revision(open_at(3, 1), "C"),
     "Waiting RolloutStarted; writes, partition 1000000, ends superseded; tells RolloutStarted"},
    {"a third revision behind a closed gate", revision(waiting(3), "C"),
     "Waiting RolloutStarted; writes, ends superseded; tells RolloutStarted"},
    {"back to the old one before any pod moved", revision(waiting(3), "A"),
     "Idle Idle; writes, partition 3"},
    {"back to the old one when one pod had moved", revision(open_at(3, 2), "A"),
     "Waiting RolloutStarted; writes, partition 1000000, ends superseded; tells RolloutStarted"},
    {"not seen by Kubernetes, nothing else",
     with(open_at(3, 1), [](auto& set) { ++set.meta.generation; }),
     "Waiting StatusStale; wakes in 10s"},
};

TEST(PilotDecides, WhatToDoWhenSomebodyTouchesARollout) {
    expect_decisions(touched);
}

TEST(PilotDecides, WhatToDoWhenTheTemplateChangesInMidRollout) {
    expect_decisions(templates);
}

TEST(PilotDecides, NotToFightWithWhoeverOpensTheGate) {
    const Snapshot opened_once = moved(open_at(3, 2), 0);
    const Snapshot put_back = after(opened_once, decide(opened_once, noon));
    const Snapshot opened_again = moved(put_back, 0);
    const Decision second = decide(opened_again, noon + 32s);
    EXPECT_FALSE(patch_in(second) && patch_in(second)->partition);
    EXPECT_EQ(second.wake_at, noon + 33s);
    const Decision third = decide(opened_again, noon + 33s);
    ASSERT_TRUE(patch_in(third) && patch_in(third)->partition);
    EXPECT_EQ(patch_in(third)->partition, Partition{2});
}

TEST(PilotDecides, NotToWriteAgainSoonWhenItsOwnWriteCameBackChanged) {
    Snapshot look = open_at(3, 2);
    look.contested_until = noon + 40s;
    EXPECT_EQ(line(decide(look, noon)),
              "Held PartitionContested; writes; tells PartitionContested; wakes in 40s");
    look = after(look, decide(look, noon));
    EXPECT_EQ(line(decide(look, noon)), "Held PartitionContested; wakes in 40s");
    EXPECT_EQ(line(decide(look, noon + 40s)),
              "Rolling AskingHook; asks web-2 > web-1; wakes in 50s");
}

TEST(PilotDecides, ToPutItsMemoryRightWhenItsOwnLoweringWasUndone) {
    Snapshot look = moved(open_at(3, 2), 1'000'000);
    look.contested_until = noon + 40s;
    const Decision decision = decide(look, noon);
    EXPECT_EQ(line(decision),
              "Held PartitionContested; writes; tells PartitionContested; wakes in 40s");
    look = after(look, decision);
    EXPECT_EQ(engine::recall(look.workload)->partition, closed_partition);
    look.contested_until.reset();
    EXPECT_EQ(line(decide(look, noon)), "Waiting AskingHook; asks nil > web-2; wakes in 10s")
        << "and not to take the undone write for somebody's brake";
}

TEST(PilotDecides, ToAskAgainFromTheTopOnceTheGateWasClosed) {
    const Snapshot look = new_template(allowed(open_at(3, 1)));
    Snapshot closed = after(look, decide(look, noon));
    closed = revision(closed, "C");
    closed = after(closed, decide(closed, noon));
    EXPECT_EQ(engine::recall(closed.workload)->revision, "web-C");
    EXPECT_EQ(line(decide(closed, noon)), "Waiting AskingHook; asks nil > web-2; wakes in 10s");
}

TEST(PilotDecides, ThatOneRetryValueLetsOneBrakeGoAndNotTheNext) {
    Snapshot look = retried(moved(open_at(4, 1), 2));
    look = allowed(after(look, decide(look, noon)));
    const Snapshot let_go = after(look, decide(look, noon));
    EXPECT_EQ(let_go.workload.partition, Partition{1});
    EXPECT_EQ(line(decide(moved(let_go, 3), noon)),
              "Held PartitionRaised; writes; tells PartitionRaised");
}

TEST(PilotDecides, ThatWhoeverAppliesAManifestAgainIsNamedAndNotFought) {
    Snapshot look = moved(open_at(3, 1), 3);
    look.workload.partition_owner = "argocd-controller";
    const Decision first = decide(look, noon);
    EXPECT_TRUE(first.needs_live);
    EXPECT_EQ(first.report.message,
              "Field manager argocd-controller set the partition from 1 to 3, the number of "
              "replicas, as a manifest does that holds it; Sluice put it back.");
    const Snapshot again = moved(after(look, first), 3);
    EXPECT_EQ(line(decide(again, noon + 2s)),
              "Held PartitionRestored; writes; tells PartitionRestored; wakes in 33s");
    EXPECT_EQ(line(decide(again, noon + 33s)),
              "Rolling PartitionRestored; writes, partition 1; tells PartitionRestored");
}

TEST(PilotDecides, ThatWhoeverTakesAPodBackAgainMeansIt) {
    Snapshot look = open_at(3, 1);
    Memory memory = opened(look);
    memory.corrected = noon - 5min;
    look = with_old_pod(moved(remembering(look, memory, "Rolling"), 3), 2);
    EXPECT_EQ(line(decide(look, noon)), "Held PartitionRaised; writes; tells PartitionRaised");
    EXPECT_EQ(line(decide(look, noon + 5min)),
              "Waiting PartitionRestored; writes, partition 1000000; tells PartitionRestored");
}

TEST(PilotDecides, ThatAManifestReleasesNoBrake) {
    Snapshot look = open_at(4, 1);
    Memory memory = opened(look);
    memory.brake = Partition{2};
    look = moved(remembering(look, memory, "Held"), 4);
    EXPECT_EQ(line(decide(look, noon)), "Held PartitionRaised; writes; tells PartitionRaised");
}

TEST(PilotDecides, ThatAfterZeroTheSetGoesThroughItsGatesAgain) {
    Snapshot look = scaled(open_at(3, 2), 0);
    look = after(look, decide(look, noon));
    look.workload.current_revision = "web-B";
    EXPECT_EQ(line(decide(look, noon)), "Held ScaledToZero");
    look.workload.replicas = PodCount{2};
    look.pods = {pod(0, "B"), pod(1, "B")};
    EXPECT_EQ(line(decide(look, noon)), "Waiting RolloutStarted; writes, partition 1000000");
}

TEST(PilotDecides, ThatTakingTheRetryAwayReleasesNoBrake) {
    Snapshot look = open_at(4, 1);
    Memory memory = opened(look);
    memory.retry = 77;
    look = moved(remembering(look, memory, "Rolling"), 2);
    EXPECT_EQ(decide(look, noon).report.reason, Reason::PartitionRaised);
    EXPECT_EQ(decide(retried(look), noon).report.reason, Reason::RolloutStarted);
}

}  // namespace
}  // namespace sluice::api::pilot
