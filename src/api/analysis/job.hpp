// The Jobs of a run. The name follows from the run's UID, the metric and the number of the
// measurement, so that a Job that was made before a crash is found again instead of made twice.
// How a run comes to know what became of its Job is in api/jobs.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "api/analysis/question.hpp"
#include "engine/decision.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api::analysis {

// Of the run that an analysis is made for.
struct RunContext {
    std::string ns;
    std::string name;
    std::string uid;
};

// Fit to be the label of the Job's pods: at most 63 bytes.
std::string job_name(const RunContext& run, const std::string& metric, std::int64_t number);

// The JSON of the Job: the metric's own labels, annotations and spec; owned by the run, which takes
// it along when it goes; named and labelled by us, whatever the template says.
std::string job_body(const RunContext& run, const std::string& metric, const Job& job,
                     const std::string& name);

// What is known of it; or what must be looked at; or what must be done.
using JobStep = std::variant<decltype(MeasurementAnswer::what), model::Ref, engine::Action>;

JobStep next_step(const JobQuestion& question, const std::string& ns, const engine::Snapshot& seen);

}  // namespace sluice::api::analysis
