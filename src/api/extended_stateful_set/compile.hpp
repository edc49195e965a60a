// The plan of an upgrade: so many canaries of the new version first, then all of its pods, while
// the old version stays. Before each of the two steps all pods must be ready, unless the object
// says otherwise, and its gates must agree.
#pragma once

#include "api/extended_stateful_set/spec.hpp"
#include "engine/plan.hpp"

namespace sluice::api::extended_stateful_set {

struct Circumstances {
    PodCount pods;
    PodCount exposed = {};  // of the new version, so far
    gates::Circumstances gates = {};
    std::optional<Instant> deadline = {};  // of pods that were made and are not ready yet
    std::optional<PodIndex> old_pod = {};  // of the version that serves, if there is any
    bool can_go_back = true;               // that one would serve without the new one
};

engine::Plan compile(const Spec& spec, const Circumstances& now);

}  // namespace sluice::api::extended_stateful_set
