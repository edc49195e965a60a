// The plan of an update: so many members at a time as may be away, from the last one on.
#pragma once

#include "api/stateful_cluster/spec.hpp"
#include "engine/plan.hpp"

namespace sluice::api::stateful_cluster {

// `allow_unready`: a person said that members that were not updated yet need not be ready.
engine::Plan compile(const Spec& spec, PodCount members, bool allow_unready = false);

}  // namespace sluice::api::stateful_cluster
