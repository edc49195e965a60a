// Whose business a StatefulSet is, and what happens when we meet it for the first time.
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

Snapshot without_label(const Snapshot& look) {
    return with(look, [](auto& set) { set.labels.clear(); });
}

const Situation strangers[] = {
    {"a set without the label and without our claim", without_label(seen(3)), "Idle Released"},
    {"the label is gone at rest", without_label(resting(3)),
     "Idle Released; writes, partition 0; tells Released"},
    {"the label is gone in mid-rollout", without_label(open_at(3, 1)),
     "Idle Released; writes, ends released; tells Released"},
    {"the label is gone before the status is current",
     with(without_label(open_at(3, 1)), [](auto& set) { set.observed_generation = 4; }),
     "Waiting StatusStale; wakes in 10s"},
    {"the label and the claim are gone, the reports are not",
     with(without_label(resting(3)), [](auto& set) { set.annotations.erase(key::claim); }),
     "Idle Released; writes; tells Released"},
    {"the label is gone, the claim is another's",
     with(without_label(open_at(3, 1)), [](auto& set) { set.annotations[key::claim] = "x/y"; }),
     "Idle Released"},
    {"the set is being deleted", with(open_at(3, 1), [](auto& set) { set.meta.deleting = true; }),
     "Idle Idle"},
    {"another steersman holds it",
     with(pending(3), [](auto& set) { set.annotations[key::claim] = "phased-rollout/web"; }),
     "Blocked ClaimedByOther; tells ClaimedByOther"},
    {"the claim of a pilot of another name",
     with(pending(3), [](auto& set) { set.annotations[key::claim] = "pilot/other"; }),
     "Blocked ClaimedByOther; tells ClaimedByOther"},
    {"the strategy is OnDelete",
     with(seen(3), [](auto& set) { set.strategy = model::UpdateStrategy::OnDelete; }),
     "Blocked OnDelete; writes; tells OnDelete"},
    {"the strategy is one that we do not know",
     with(open_at(3, 1), [](auto& set) { set.strategy = model::UpdateStrategy::Unknown; }),
     "Blocked OnDelete; writes; tells OnDelete"},
    {"a set with more pods than anybody has",
     with(seen(3), [](auto& set) { set.replicas = PodCount{2'147'483'647}; }),
     "Blocked TooManyReplicas; writes; tells TooManyReplicas"},
    {"a set that Kubernetes has not looked at yet",
     with(seen(3), [](auto& set) { set.observed_generation = 0; }),
     "Waiting StatusStale; wakes in 10s"},
    {"a set without an update revision",
     with(seen(3), [](auto& set) { set.update_revision.clear(); }),
     "Waiting StatusStale; wakes in 10s"},
};

const Situation newcomers[] = {
    {"idle, parked at replicas as documented", seen(3), "Idle Adopted; writes; tells Adopted"},
    {"idle, wide open", with(seen(3), [](auto& set) { set.partition = Partition{0}; }),
     "Idle Adopted; writes, partition 3; tells Adopted"},
    {"idle, without a rollingUpdate block", with(seen(3), [](auto& set) { set.partition.reset(); }),
     "Idle Adopted; writes, partition 3; tells Adopted"},
    {"idle, closed", with(seen(3), [](auto& set) { set.partition = closed_partition; }),
     "Idle Adopted; writes, partition 3; tells Adopted"},
    {"idle, without pods", with(seen(0), [](auto& set) { set.partition = Partition{0}; }),
     "Idle Adopted; writes, partition 1000000; tells Adopted"},
    {"pending, parked at replicas", pending(3, Partition{3}),
     "Waiting RolloutStarted; writes, partition 1000000; tells Adopted; tells RolloutStarted"},
    {"pending, wide open", pending(3, Partition{0}),
     "Waiting RolloutStarted; writes, partition 1000000; tells Adopted; tells RolloutStarted"},
    {"pending, without a rollingUpdate block",
     with(pending(3), [](auto& set) { set.partition.reset(); }),
     "Waiting RolloutStarted; writes, partition 1000000; tells Adopted; tells RolloutStarted"},
    {"pending, closed already", pending(3),
     "Waiting RolloutStarted; writes; tells Adopted; tells RolloutStarted"},
    {"changing while we look, wide open",
     with(pending(3, Partition{0}), [](auto& set) { set.observed_generation = 4; }),
     "Waiting Adopted; writes, partition 1000000; tells Adopted"},
    {"its claim was taken away",
     with(open_at(3, 1), [](auto& set) { set.annotations.erase(key::claim); }),
     "Waiting RolloutStarted; writes, partition 1000000; tells Adopted; tells RolloutStarted"},
    {"half rolled out by somebody else", rolling(3, 1),
     "Waiting RolloutStarted; writes, partition 1000000; tells Adopted; tells RolloutStarted"},
    {"with memory that cannot be read",
     with(open_at(3, 1), [](auto& set) { set.annotations[key::rollout] = "{"; }),
     "Waiting RolloutStarted; writes, partition 1000000; tells Adopted; tells RolloutStarted"},
    {"with the memory of a namesake", with(open_at(3, 1), [](auto& set) { set.meta.uid = "new"; }),
     "Waiting RolloutStarted; writes, partition 1000000; tells Adopted; tells RolloutStarted"},
};

TEST(PilotDecides, WhoseBusinessASetIs) {
    expect_decisions(strangers);
}

TEST(PilotDecides, ToCloseTheGateOfASetThatItMeetsForTheFirstTime) {
    expect_decisions(newcomers);
}

TEST(PilotDecides, ToRememberWhatItAdopts) {
    const Snapshot idle = after(seen(3), decide(seen(3), noon));
    ASSERT_TRUE(engine::recall(idle.workload).has_value());
    EXPECT_FALSE(engine::recall(idle.workload)->open);
    EXPECT_EQ(annotation(idle.workload, key::claim), "pilot/web");
    const Snapshot started = after(pending(3), decide(pending(3), noon));
    EXPECT_TRUE(engine::recall(started.workload)->open);
    EXPECT_EQ(engine::recall(started.workload)->revision, "web-B");
    EXPECT_EQ(engine::recall(started.workload)->partition, closed_partition);
}

TEST(PilotReleases, TakingAwayAllItsAnnotationsAndLeavingThePartition) {
    Snapshot look = without_label(open_at(3, 1));
    look.workload.annotations[key::paused] = "true";
    look.workload.annotations["sluice.dev/allow-scale-to-zero"] = "true";
    for (const auto& name : {key::reason, key::message, key::unblock, key::since, key::guarantee,
                             key::fence, key::refused})
        look.workload.annotations[name] = "something";
    const Snapshot released = after(look, decide(look, noon));
    EXPECT_EQ(released.workload.partition, Partition{1});
    EXPECT_EQ(released.workload.annotations,
              (model::Texts{{key::paused, "true"},
                            {"sluice.dev/allow-scale-to-zero", "true"},
                            {key::partition_before, "absent@1"}}))
        << "what people set stays, and so does what the partition was before";
    EXPECT_EQ(line(decide(released, noon)), "Idle Released");
}

TEST(PilotConcern, ASetIsOursWhileItHasTheLabelOrOurClaim) {
    EXPECT_TRUE(concerns(seen(3).workload, {}));
    EXPECT_TRUE(concerns(without_label(resting(3)).workload, {}));
    EXPECT_FALSE(concerns(without_label(seen(3)).workload, {}));
    Snapshot other = without_label(resting(3));
    other.workload.annotations[key::claim] = "phased-rollout/web";
    EXPECT_FALSE(concerns(other.workload, {}));
}

}  // namespace
}  // namespace sluice::api::pilot
