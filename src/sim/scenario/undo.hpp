// What `sluice undo` does, in a scenario.
#pragma once

#include "sim/scenario/statements.hpp"

namespace sluice::sim {

// KIND/NAME [to REVISION]. A refusal is what is wrong.
Problem undo(World& world, Words words);

}  // namespace sluice::sim
