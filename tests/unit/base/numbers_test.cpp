#include "base/numbers.hpp"

#include <gtest/gtest.h>

#include <concepts>

#include "base/assert.hpp"

namespace sluice {
namespace {

TEST(Numbers, AnIndexCountsFromTheStartOfTheOrdinals) {
    EXPECT_EQ(index_of(Ordinal{5}, Ordinal{3}), PodIndex{2});
    EXPECT_EQ(ordinal_of(PodIndex{2}, Ordinal{3}), Ordinal{5});
}

TEST(Numbers, APodAtThePartitionIsExposedAndOneBelowIsNot) {
    EXPECT_TRUE(is_exposed(PodIndex{2}, Partition{2}));
    EXPECT_FALSE(is_exposed(PodIndex{1}, Partition{2}));
}

TEST(Numbers, APartitionBeyondAllPodsExposesNone) {
    EXPECT_EQ(exposed_count(Partition{7}, PodCount{3}), PodCount{0});
    EXPECT_EQ(exposed_count(closed_partition, PodCount{3}), PodCount{0});
}

TEST(Numbers, APartitionBelowZeroExposesNoMoreThanAll) {
    EXPECT_EQ(exposed_count(Partition{-1}, PodCount{3}), PodCount{3});
}

TEST(Numbers, TheGateRestsAtReplicasSoThatNoPodIsExposed) {
    EXPECT_EQ(resting_partition(PodCount{3}), Partition{3});
    EXPECT_EQ(exposed_count(resting_partition(PodCount{3}), PodCount{3}), PodCount{0});
}

TEST(Numbers, ASetWithoutPodsRestsClosedSoThatItsFirstPodsAreNotExposed) {
    EXPECT_EQ(resting_partition(PodCount{0}), closed_partition);
}

TEST(Numbers, TheFourKindsOfNumberDoNotMix) {
    static_assert(!std::equality_comparable_with<Ordinal, PodIndex>);
    static_assert(!std::equality_comparable_with<Partition, PodCount>);
    static_assert(!std::convertible_to<PodIndex, Partition>);
    static_assert(!std::convertible_to<int, Ordinal>);
}

TEST(Numbers, MorePodsThanThereAreCannotBeExposed) {
    EXPECT_THROW(static_cast<void>(partition_for(PodCount{4}, PodCount{3})), AssertionFailed);
}

}  // namespace
}  // namespace sluice
