// What a decision about a RolloutPlugin rests on and what is written once it is made.
#pragma once

#include <string>

#include "api/claims.hpp"
#include "api/rollout_plugin/compile.hpp"
#include "api/rollout_plugin/report.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api::rollout_plugin {

extern const Claims claims;

// A sentence that says who holds the rollout; empty: nobody.
std::optional<engine::Refused> paused_by(const model::CustomObject& object, const Spec* spec);

// Whoever promotes everything means that it goes on: the pause of the spec that they saw is taken
// away first, as in the original.
bool ends_pause(const Orders& orders, const Spec& spec);
engine::Decision unpause(const model::CustomObject& object);

// All but what only whoever moves the workload knows.
Circumstances circumstances(const Status& reported, const Position& at, const Orders& orders,
                            const Runs& runs);

// Turns the report of a decision into a write of the status, and what was to be told with it.
void add_status(engine::Decision& decision, const ReportInput& input, Instant now);

// The write that brings the status there, with what was to be told; nothing is told if there is
// nothing to write.
void add_write(engine::Decision& decision, const model::CustomObject& object, const Status& old,
               const Status& status);

// An analysis in the background may have failed since it was last seen: it is looked at before more
// is let go.
void look_at_background(engine::Decision& decision, const engine::Snapshot& seen, const Runs& runs);

// A rollout whose analyses could not be made later does not take its first step.
void check_analyses(engine::Decision& decision, const RunsOf& rollout, Instant now);

// Adds what is to be written: the status, then the runs of its analyses, then the end of commands
// that are done.
void conclude(engine::Decision& decision, const ReportInput& input, const engine::Snapshot& seen,
              Instant now);

}  // namespace sluice::api::rollout_plugin
