// Members of a cluster, each with an identity of its own, of which the last ones are updated first.
// The lever says how many an update has reached; whoever owns the members replaces those, and
// remembers the number before anything follows from it.
#pragma once

#include <optional>
#include <string>

#include "engine/recorded_lever.hpp"

namespace sluice::engine {

class MembersLever : public RecordedLever {
  public:
    // `cluster` must outlive it.
    MembersLever(const Snapshot& seen, const Course& course, const MemberCluster& cluster,
                 Instant now);

    const Standing& standing() const override { return standing_; }
    const std::optional<Memory>& memory() const override { return cluster_.memory; }
    bool asks_for_retry() const override;
    std::optional<Decision> blocked() const override { return std::nullopt; }
    Decision rest(Memory memory) const override;
    std::optional<Decision> take_back(const Memory& memory) const override;
    Decision narrow(Memory memory, PodCount exposed_max) const override;
    Memory fresh_memory() const override;
    Memory caught_up(Memory memory) const override;
    // Nobody is exposed while nothing is pending.
    Partition resting() const override { return closed_partition; }
    StepText step_text(const TakeStep& step) const override;
    std::string completed_text() const override;
    std::string returning_text() const override;
    std::string returned_text() const override;

  private:
    const MemberCluster& cluster_;
    Standing standing_;
};

}  // namespace sluice::engine
