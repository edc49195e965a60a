// A subscription as a plan: one pod per step from the highest index down, the hook asked before the
// first pod, between any two, and after the last.
#pragma once

#include "api/pilot/spec.hpp"
#include "base/time.hpp"
#include "engine/plan.hpp"

namespace sluice::api::pilot {

engine::Plan compile(const Subscription& subscription, PodCount replicas, Duration hook_retry);

}  // namespace sluice::api::pilot
