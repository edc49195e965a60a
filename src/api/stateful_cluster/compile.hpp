// The plan of an update: so many members at a time as may be away, from the last one on.
#pragma once

#include "api/stateful_cluster/spec.hpp"
#include "engine/plan.hpp"

namespace sluice::api::stateful_cluster {

engine::Plan compile(const Spec& spec, PodCount members);

}  // namespace sluice::api::stateful_cluster
