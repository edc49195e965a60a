// The row of the pilot, whose StatefulSets are let go pod by pod by a hook.
#pragma once

#include "sim/apis/registry.hpp"

namespace sluice::sim::pilot {

Api row();

// What the row is made of.
void promises(Observers& all, const Inspection& inspection);
extern const RandomPart random_part;
std::span<const demo::Story> stories();

}  // namespace sluice::sim::pilot
