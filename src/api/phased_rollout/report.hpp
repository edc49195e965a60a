// What a PhasedRollout is told: its status, in the words of its API, and the writes that carry it.
#pragma once

#include <optional>
#include <string>

#include "api/phased_rollout/spec.hpp"
#include "api/phased_rollout/status.hpp"
#include "engine/decision.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api::phased_rollout {

// The status after this decision; `old` is what it was. `spec` is null if it cannot be read.
Status report(const model::CustomObject& object, const Status& old, const Spec* spec,
              const engine::Snapshot& seen, const engine::Decision& decision, Instant now);

// What the status remembers of the checks of a step.
std::optional<engine::CheckProgress> remembered(const model::CustomObject& object);

}  // namespace sluice::api::phased_rollout
