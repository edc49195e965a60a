// The arithmetic of partitions, over all small worlds.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "api/pilot/decide.hpp"
#include "base/numbers.hpp"

namespace sluice {
namespace {

struct Small {
    PodCount replicas;
    Ordinal start;
    Partition partition;
};

void for_each_small_world(const std::function<void(const Small&)>& check) {
    for (int replicas = 0; replicas <= 7; ++replicas) {
        for (const int start : {0, 3}) {
            for (const int partition : {0, 1, 2, 3, 4, 5, 6, 7, 8, 1'000'000})
                check({PodCount{replicas}, Ordinal{start}, Partition{partition}});
        }
    }
}

// Kubernetes' own rule: the pod of this ordinal is made from the current revision.
bool keeps_current_revision(Ordinal ordinal, const Small& world) {
    return ordinal.value < world.start.value + world.partition.value;
}

TEST(EveryPartition, ExposesExactlyThePodsThatKubernetesWouldUpdate) {
    for_each_small_world([](const Small& world) {
        int exposed = 0;
        for (int index = 0; index < world.replicas.value; ++index) {
            const Ordinal ordinal = ordinal_of(PodIndex{index}, world.start);
            EXPECT_EQ(index_of(ordinal, world.start), PodIndex{index});
            EXPECT_EQ(is_exposed(PodIndex{index}, world.partition),
                      !keeps_current_revision(ordinal, world));
            if (!keeps_current_revision(ordinal, world)) ++exposed;
        }
        EXPECT_EQ(exposed_count(world.partition, world.replicas), PodCount{exposed});
    });
}

TEST(EveryPartition, IsTheOneForThePodsThatItExposes) {
    for_each_small_world([](const Small& world) {
        const PodCount exposed = exposed_count(world.partition, world.replicas);
        const Partition least = partition_for(exposed, world.replicas);
        EXPECT_EQ(exposed_count(least, world.replicas), exposed);
        if (world.partition.value <= world.replicas.value) EXPECT_EQ(least, world.partition);
    });
}

TEST(EveryPartition, LoweredByOneExposesOnePodMore) {
    for_each_small_world([](const Small& world) {
        if (world.partition.value == 0 || world.partition.value > world.replicas.value) return;
        const Partition lower{world.partition.value - 1};
        EXPECT_EQ(exposed_count(lower, world.replicas).value,
                  exposed_count(world.partition, world.replicas).value + 1);
        EXPECT_TRUE(is_exposed(PodIndex{lower.value}, lower));
        EXPECT_FALSE(is_exposed(PodIndex{lower.value}, world.partition));
    });
}

TEST(EveryPartition, AtRestExposesNoPodNorTheFirstPodsOfAnEmptySet) {
    for_each_small_world([](const Small& world) {
        const Partition rest = resting_partition(world.replicas);
        EXPECT_EQ(exposed_count(rest, world.replicas), PodCount{0});
        if (world.replicas.value == 0) EXPECT_EQ(exposed_count(rest, PodCount{7}), PodCount{0});
    });
}

TEST(EveryPartition, TheClosedOneExposesNoPodHoweverFarTheSetIsScaledUp) {
    for_each_small_world([](const Small& world) {
        EXPECT_EQ(exposed_count(closed_partition, world.replicas), PodCount{0});
        EXPECT_LE(world.partition, closed_partition);
    });
}

TEST(EveryPlan, LetsEachPodGoOnceFromTheTopAndAsksAboutItsNeighbours) {
    for (int replicas = 0; replicas <= 7; ++replicas) {
        const auto plan = api::pilot::compile({"careful", false}, PodCount{replicas}, 30s);
        ASSERT_EQ(plan.steps.size(), static_cast<std::size_t>(replicas));
        for (int step = 0; step < replicas; ++step) {
            const auto& one = plan.steps[static_cast<std::size_t>(step)];
            const Partition partition = partition_for(one.target, PodCount{replicas});
            EXPECT_EQ(partition.value, replicas - 1 - step);
            const auto& asks = std::get<engine::HookApproval>(one.before.at(1));
            EXPECT_EQ(asks.next, PodIndex{partition.value});
            EXPECT_EQ(asks.prev.has_value(), step > 0);
            if (step > 0) EXPECT_EQ(asks.prev, PodIndex{partition.value + 1});
            EXPECT_EQ(one.after.empty(), step + 1 < replicas);
        }
    }
}

}  // namespace
}  // namespace sluice
