// The pilot's decision for one StatefulSet: pure and total. Refuses to lower the partition unless
// the hook allowed this very transition; whoever else opens the gate is noticed and the gate
// closed. The plan is one pod per step from the highest index down, the hook asked before the first
// pod, between any two, and after the last.
#pragma once

#include "api/pilot/spec.hpp"
#include "api/verb.hpp"
#include "engine/decision.hpp"
#include "engine/plan.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api::pilot {

engine::Plan compile(const Subscription& subscription, PodCount replicas, Duration hook_retry);

engine::Decision decide(const engine::Snapshot& seen, Instant now);

// What people read about rollouts of this API, and what each verb does to one.
extern const Dialect dialect;

}  // namespace sluice::api::pilot
