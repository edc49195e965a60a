// Where a workload stands on its way to the new revision: how many units it has, how many of them
// are exposed, both revisions, and whether what was asked for is there. A lever reads it from the
// snapshot; gates and the life cycle of a rollout read nothing else of the lever.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/numbers.hpp"
#include "base/time.hpp"
#include "engine/probe.hpp"
#include "engine/snapshot.hpp"
#include "engine/verdict.hpp"

namespace sluice::engine {

// Beyond this, a look at a workload costs more than it should, and nobody runs such a database.
inline constexpr PodCount replicas_max{10'000};

// Pods without ordinals, each with an identity of its own, in the order in which they are kept: the
// last one is the first to be exposed.
struct Members {
    std::vector<std::string> names;
    PodCount exposed;  // to the updated revision
    std::string_view current;
    std::string_view updated;
};

// The pods 0..replicas-1 of the workload; null where there is none. Pods beyond are on their way
// out after a scale-down and are nobody's business, and so are those beyond replicas_max.
class PodRow {
  public:
    explicit PodRow(const Snapshot& seen);
    // Those of these names, in this order.
    PodRow(const Snapshot& seen, std::vector<std::string> names);
    const model::Pod* at(PodIndex index) const;
    std::string name_of(PodIndex index) const;
    PodCount count() const { return {static_cast<std::int32_t>(row_.size())}; }

  private:
    const Snapshot& seen_;
    std::vector<const model::Pod*> row_;
    std::vector<std::string> names_ = {};  // empty: they follow from the workload's own name
};

std::optional<PodRef> reference(const PodRow& row, std::optional<PodIndex> index);

struct Standing {
    // Of the StatefulSet in the snapshot, which must outlive it: its partition exposes the last
    // pods first.
    Standing(const Snapshot& look);  // implicit: a gate can be shown the snapshot itself
    Standing(const Snapshot& look, Members members);

    const Snapshot& seen;
    PodRow pods;               // the units, where they are pods; otherwise none
    PodCount units;            // pods, or hundredths of what a plugin moves
    PodCount exposed;          // that many of them, as it was last asked for
    std::string_view current;  // the revision before
    std::string_view updated;  // the revision that is wanted
    bool is_pending = false;   // some unit is not where it is wanted, or the books are not closed
    std::optional<Hold> lacks = {};  // why what was asked for is not there, where no pods say so

    bool is_exposed(PodIndex index) const { return index.value >= units.value - exposed.value; }
    // Since when all pods have been available, by the clocks of their nodes; those that are not
    // there are no matter.
    Instant available_since(bool exposed_only) const;
    // The unit that was exposed last; only if one is.
    PodIndex last_exposed() const { return {units.value - exposed.value}; }
};

}  // namespace sluice::engine
