// What a RolloutPlugin is told: its status, in the words of its API, and the writes that carry it.
#pragma once

#include <optional>

#include "api/rollout_plugin/position.hpp"
#include "api/rollout_plugin/runs.hpp"
#include "engine/decision.hpp"

namespace sluice::api::rollout_plugin {

// What a report rests on; `spec` is null if it cannot be read.
struct ReportInput {
    const model::CustomObject& object;
    const Status& old;
    const Spec* spec;
    const WorkloadState& workload_state;
    engine::Guarantee guarantee;
    const engine::Decision& decision;
    Position at;
    Orders orders;
    const Runs& runs;
};
// What the status says of an inconclusive analysis in the background that somebody put up with.
inline constexpr std::string_view accepted = "Accepted";

// The status after this decision. Commands that are done, or that there is nothing to do for, are
// taken out of it.
Status report(const ReportInput& input, Instant now);

// Takes the pause of the spec away, as the original does when everything is promoted.
engine::Action clear_paused(const model::CustomObject& object);

// spec.restartAt is a word for once: it is taken away when it was acted on.
engine::Action clear_restart_at(const model::CustomObject& object, int restart_at);

}  // namespace sluice::api::rollout_plugin
