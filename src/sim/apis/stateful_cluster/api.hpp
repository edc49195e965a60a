// The row of StatefulCluster, whose members have identities that are never used again.
#pragma once

#include "sim/apis/registry.hpp"

namespace sluice::sim::stateful_cluster {

Api row();

// What the row is made of.
void promises(Observers& all, const Inspection& inspection);
extern const RandomPart random_part;
std::span<const demo::Story> stories();

}  // namespace sluice::sim::stateful_cluster
