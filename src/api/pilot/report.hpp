// What a person sees of a pilot rollout: annotations on the StatefulSet, and events.
#pragma once

#include <string>

#include "api/pilot/spec.hpp"
#include "engine/decision.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api::pilot {

// Adds the report's annotations to the patch; those that are right already are left alone. `since`
// moves with phase, reason and gate, and not when a refusal is only worded anew.
void write_report(model::WorkloadPatch& patch, const engine::StatusReport& report,
                  const engine::Snapshot& seen, Instant now);

// Takes all annotations of ours away, except those that people set.
void erase_report(model::WorkloadPatch& patch);

// How the annotation sluice.dev/guarantee spells it.
const char* guarantee_text(engine::Guarantee guarantee);

// What unblocks a hold, with the command to type.
std::string unblock_text(engine::Reason reason, const model::StatefulSet& set);

}  // namespace sluice::api::pilot
