// The decision for one StatefulCluster: pure and total. Who the members are is written down first;
// what is written down is carried out afterwards, and an update goes no faster than its gates.
#pragma once

#include "api/verb.hpp"
#include "engine/decision.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api::stateful_cluster {

extern const Dialect dialect;

// The cluster as a workload, for gates and sentences.
void prepare(engine::Snapshot& seen);

engine::Decision decide(const engine::Snapshot& seen, Instant now);

}  // namespace sluice::api::stateful_cluster
