// What measurements come to: a measurement by its conditions, a metric by its limits, a run by the
// worst of its metrics. Pure and total.
//
// As in Argo Rollouts: Failed is worse than Error, Error than Inconclusive; failures up to the
// limit are tolerated; a metric whose count is reached within its limits is Successful; metrics in
// dry-run have no say. Otherwise than there: what was ended before anything succeeded is not
// Successful but Inconclusive, or Error where everything erred; and a run is Successful only if
// something was measured at all, be it in dry-run.
#pragma once

#include <string>
#include <vector>

#include "api/analysis/known.hpp"
#include "api/analysis/question.hpp"
#include "api/analysis/run.hpp"

namespace sluice::api::analysis {

struct Assessment {
    Phase phase = Phase::Pending;
    std::string message;  // why; empty where there is nothing to explain
};

// What a value is, by the metric's conditions, which may ask for the time. Without any it is a
// success.
Assessment assess(const KnownMetric& metric, const language::Value& value, Instant now);

// What the counts of a metric amount to. `is_ending` says that no measurement will be begun.
Assessment assess(const KnownMetric& metric, const MetricResult& result, bool is_ending);

// No measurement is begun any more: somebody wants it, or a metric that counts is not Successful.
bool is_ending(const RunSpec& spec, const RunStatus& status,
               const std::vector<KnownMetric>& metrics);

// The result of a metric; nothing if it was not measured yet.
const MetricResult* result_of(const RunStatus& status, const std::string& metric);

// Phase, message and summaries of the whole, once each metric's result has its phase.
RunStatus with_outcome(RunStatus status, const RunSpec& spec,
                       const std::vector<KnownMetric>& metrics);

}  // namespace sluice::api::analysis
