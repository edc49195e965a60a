// A PhasedRollout as a plan: one pod per step from the highest index down; before each, all pods
// are available and Prometheus has answered well often enough. Nothing is asked after the last.
#pragma once

#include "api/phased_rollout/spec.hpp"
#include "engine/plan.hpp"

namespace sluice::api::phased_rollout {

struct Circumstances {
    PodCount replicas;
    std::string definition;      // what the counts of a step belong to
    Instant step_since;          // when the step that waits began to wait
    bool allow_unready = false;  // go on although pods behind the gate are not ready
};

engine::Plan compile(const Spec& spec, const Circumstances& now);

}  // namespace sluice::api::phased_rollout
