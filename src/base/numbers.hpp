// Ordinal, index, partition and count are four different things that Kubernetes spells as four
// integers. An Ordinal is the number in a pod's name; a PodIndex counts from spec.ordinals.start;
// a Partition is an index too (Kubernetes says ordinal, and means index): pods with an index at or
// above it get the new revision; a PodCount counts pods. Only the functions below cross over.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>

#include "base/assert.hpp"

namespace sluice {

namespace detail {
template <class Tag>
struct Number {
    std::int32_t value = 0;
    friend auto operator<=>(Number, Number) = default;
};
}  // namespace detail

using Ordinal = detail::Number<struct OrdinalTag>;
using PodIndex = detail::Number<struct PodIndexTag>;
using Partition = detail::Number<struct PartitionTag>;
using PodCount = detail::Number<struct PodCountTag>;

// Blocks every pod, and those a later scale-up would add.
inline constexpr Partition closed_partition{1'000'000};

constexpr PodIndex index_of(Ordinal ordinal, Ordinal start) {
    return {ordinal.value - start.value};
}
constexpr Ordinal ordinal_of(PodIndex index, Ordinal start) {
    return {index.value + start.value};
}
constexpr bool is_exposed(PodIndex index, Partition partition) {
    return index.value >= partition.value;
}
// How many of the pods 0..replicas-1 the partition exposes to the new revision.
constexpr PodCount exposed_count(Partition partition, PodCount replicas) {
    return {std::max(0, replicas.value - std::max(0, partition.value))};
}
// The partition that exposes exactly `exposed` of `replicas` pods.
constexpr Partition partition_for(PodCount exposed, PodCount replicas) {
    SLUICE_ASSERT(exposed.value >= 0 && exposed <= replicas);
    return {replicas.value - exposed.value};
}
// Where the partition rests when nothing is pending: at `replicas`, as the documents say. A set
// without pods rests closed, for `partition: 0` would let its first pods start ungated.
constexpr Partition resting_partition(PodCount replicas) {
    return replicas.value > 0 ? Partition{replicas.value} : closed_partition;
}

}  // namespace sluice
