// The decision for one ExtendedJob: pure and total. A run is written down before its strategy is
// set back, and set back before its Job is made: whoever dies in between finds it, and makes no
// other.
#pragma once

#include "api/verb.hpp"
#include "engine/decision.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api::extended_job {

extern const Dialect dialect;

engine::Decision decide(const engine::Snapshot& seen, Instant now);

}  // namespace sluice::api::extended_job
