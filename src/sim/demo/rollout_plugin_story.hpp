// The stories of RolloutPlugin: a StatefulSet that is updated weight by weight, with pauses that a
// person ends.
#pragma once

#include "sim/demo/story.hpp"

namespace sluice::sim::demo {

// A rollout that rests until somebody promotes it.
Story rollout_plugin_story();
// A version that somebody aborts: its pods are taken back, and a better one goes through.
Story rollout_plugin_failure_story();

}  // namespace sluice::sim::demo
