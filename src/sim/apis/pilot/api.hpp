// The row of the pilot, whose StatefulSets are let go pod by pod by a hook: what the registry needs
// of this folder.
#pragma once

#include "sim/apis/registry.hpp"

namespace sluice::sim::pilot {

std::span<const Action> actions();
std::span<const Expectation> expectations();
std::vector<std::unique_ptr<Observer>> promises(const Inspection& inspection);
extern const RandomPart random_part;
std::span<const demo::Story> stories();

}  // namespace sluice::sim::pilot
