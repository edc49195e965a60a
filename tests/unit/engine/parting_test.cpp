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

TEST(Release, TakesANoteThatCannotBeReadForNone) {
    Snapshot look = seen(3);
    look.workload.partition = Partition{2};
    look.workload.has_annotations = true;
    for (const char* note : {"what@2", "@2", "0@what", "0@"}) {
        look.workload.annotations[key::partition_before] = note;
        EXPECT_EQ(recall(after(look, steer(look, course(), noon)))->found, Partition{2}) << note;
    }
}

TEST(Release, MovesNothingWhereThereIsNoGate) {
    Snapshot look = open_at(3, 1);
    look.workload.strategy = model::UpdateStrategy::OnDelete;
    const Decision decision = release(look, course(), "deleted", noon, Parting::Open);
    EXPECT_EQ(moved_to(decision), std::nullopt);
    EXPECT_EQ(told(decision, Reason::Released),
              "deleted: Sluice no longer steers web; its partition stays at 1.");
}

}  // namespace
}  // namespace sluice::engine
