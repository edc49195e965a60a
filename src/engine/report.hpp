// What a person sees of a steered workload: annotations on the StatefulSet, and events.
#pragma once

#include <span>
#include <string>

#include "engine/decision.hpp"
#include "engine/snapshot.hpp"
#include "model/workload_patch.hpp"

namespace sluice::engine {

// The command that unblocks a reason: {0} is the namespace, {1} the StatefulSet's name, {2} that of
// the object that asks for it.
struct Command {
    Reason reason;
    const char* text;
};

// The write that the patch stands for; lowering the partition cannot be taken back.
Action to_action(const model::WorkloadPatch& patch);

// Adds the report's annotations to the patch; those that are right already are left alone. `since`
// moves with phase, reason and gate, and not when a refusal is only worded anew.
void write_report(model::WorkloadPatch& patch, const StatusReport& report, const Snapshot& seen,
                  Instant now);

// Takes all annotations of ours away, except those that people set.
void erase_report(model::WorkloadPatch& patch);

// How the annotation sluice.dev/guarantee spells it.
const char* guarantee_text(Guarantee guarantee);

// What unblocks a hold, with the command to type; `own` are those of the API that asks.
std::string unblock_text(Reason reason, const model::StatefulSet& set,
                         std::span<const Command> own = {}, std::string_view name = {});

}  // namespace sluice::engine
