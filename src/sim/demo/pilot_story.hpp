// The stories of the pilot API: a StatefulSet with a label, and a hook that is asked.
#pragma once

#include "sim/demo/story.hpp"

namespace sluice::sim::demo {

// A rollout that has to wait for its shards, while a script tries to open the gate.
Story pilot_story();
// A version that does not start: the rollout is held until a person repairs it.
Story pilot_failure_story();

}  // namespace sluice::sim::demo
