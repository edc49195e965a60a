// Hooks, which several APIs ask: who is declared, what they say, and what they were asked.
#pragma once

#include "sim/apis/registry.hpp"

namespace sluice::sim::hooks {

Api row();

}  // namespace sluice::sim::hooks
