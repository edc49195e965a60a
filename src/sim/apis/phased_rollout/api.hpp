// The row of PhasedRollout, which lets a pod go once Prometheus has answered well.
#pragma once

#include "sim/apis/registry.hpp"

namespace sluice::sim::phased_rollout {

Api row();

// What the row is made of.
void promises(Observers& all, const Inspection& inspection);
extern const RandomPart random_part;
std::span<const demo::Story> stories();

}  // namespace sluice::sim::phased_rollout
