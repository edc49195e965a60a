// The stories of PhasedRollout: a StatefulSet that is updated only while Prometheus is content.
#pragma once

#include "sim/demo/story.hpp"

namespace sluice::sim::demo {

// A rollout that waits for a backup to end.
Story phased_rollout_story();
// A version with errors: it is taken back, pod by pod, and a better one goes through.
Story phased_rollout_failure_story();

}  // namespace sluice::sim::demo
