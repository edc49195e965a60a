// How a run comes to know what became of its Job: what it looks at and what it writes until there
// is an answer. Pure; the controller reads and writes.
//
// Promises: a Job is made without a look before it, and one that is there already is found by its
// name; only a Job that the run controls is read or deleted, and this one by its UID; a refusal
// that will not pass is a sentence about the Job, without a byte of its spec.
#pragma once

#include <variant>

#include "api/analysis/question.hpp"
#include "engine/decision.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api::analysis {

// What is known of it; or what must be looked at; or what must be done.
using JobStep = std::variant<decltype(MeasurementAnswer::what), model::Ref, engine::Action>;

JobStep next_step(const JobQuestion& question, const std::string& ns, const engine::Snapshot& seen);

}  // namespace sluice::api::analysis
