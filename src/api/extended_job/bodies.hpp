// What is made for an ExtendedJob: its Jobs, and the Secrets that their output becomes.
#pragma once

#include <string>
#include <vector>

#include "api/extended_job/output.hpp"
#include "api/extended_job/spec.hpp"
#include "api/extended_job/status.hpp"
#include "engine/decision.hpp"

namespace sluice::api::extended_job {

// Of a run that no pod is the cause of. `started` belongs to it: a number may come again if
// somebody takes the status away.
std::string job_name(const model::CustomObject& object, std::int64_t number, Instant started);
// Of the run for a pod: the same pod in the same state, the same Job.
std::string job_name(const model::CustomObject& object, const model::CustomObject& pod,
                     PodState state);

std::string job_body(const model::CustomObject& object, const Spec& spec, const Run& run);

// Makes the Secret of a container, and writes it if it is there already and the ExtendedJob
// controls it: two actions, the second behind the first.
std::vector<engine::Action> secret_writes(const model::CustomObject& object, const Output& output,
                                          const std::string& container, const Values& values);

}  // namespace sluice::api::extended_job
