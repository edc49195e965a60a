// The row of ExtendedStatefulSet, whose versions stand side by side.
#pragma once

#include "sim/apis/registry.hpp"

namespace sluice::sim::extended_stateful_set {

Api row();

// What the row is made of.
void promises(Observers& all, const Inspection& inspection);
extern const RandomPart random_part;
std::span<const demo::Story> stories();

}  // namespace sluice::sim::extended_stateful_set
