// The row of RolloutPlugin, which goes through weights, pauses and analyses, by itself or through a
// plugin outside of the operator.
#pragma once

#include "sim/apis/registry.hpp"

namespace sluice::sim::rollout_plugin {

Api row();

// What the row is made of.
void promises(Observers& all, const Inspection& inspection);
extern const RandomPart random_part;
std::span<const demo::Story> stories();

}  // namespace sluice::sim::rollout_plugin
