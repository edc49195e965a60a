// The decision for one ExtendedStatefulSet: pure and total. Which version serves, which one is on
// its way and how many of its pods are to be there is written down first; what is written down is
// carried out afterwards, and an upgrade goes no faster than its gates.
#pragma once

#include "api/verb.hpp"
#include "engine/decision.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api::extended_stateful_set {

extern const Dialect dialect;

// The versions as one workload, for gates and sentences.
void prepare(engine::Snapshot& seen);

engine::Decision decide(const engine::Snapshot& seen, Instant now);

}  // namespace sluice::api::extended_stateful_set
