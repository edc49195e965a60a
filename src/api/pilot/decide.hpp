// The pilot's decision for one StatefulSet: pure and total. Refuses to lower the partition unless
// the hook allowed this very transition; whoever else opens the gate is noticed and the gate
// closed.
#pragma once

#include "engine/decision.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api::pilot {

engine::Decision decide(const engine::Snapshot& seen, Instant now);

}  // namespace sluice::api::pilot
