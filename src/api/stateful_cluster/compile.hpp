// The plan of an update: so many members at a time as may be away, from the last one on. Between
// two steps may be a pause, before each a check of Prometheus; a hook is asked before the first
// step, between any two, and after the last.
#pragma once

#include "api/gates/gates.hpp"
#include "api/stateful_cluster/spec.hpp"
#include "api/stateful_cluster/status.hpp"
#include "engine/plan.hpp"

namespace sluice::api::stateful_cluster {

struct Circumstances {
    PodCount members;
    PodCount exposed = {};  // of them, so far: by steps that may have been of another size
    gates::Circumstances gates = {};
};

engine::Plan compile(const Spec& spec, const Circumstances& now);

}  // namespace sluice::api::stateful_cluster
