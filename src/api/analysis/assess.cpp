#include "api/analysis/assess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/printable.hpp"

namespace sluice::api::analysis {
namespace {

constexpr std::array from_best{Phase::Successful,   Phase::Running, Phase::Pending,
                               Phase::Inconclusive, Phase::Error,   Phase::Failed};

bool is_worse(Phase one, Phase other) {
    return std::ranges::find(from_best, one) > std::ranges::find(from_best, other);
}

// A condition as the sentence about it calls it.
Result<bool> told(const language::Expression& condition, const language::Value& value, Instant now,
                  const char* name) {
    auto outcome = holds(condition, {{"result", value}}, now);
    if (!outcome) outcome.error().message = fmt::format("{}: {}", name, outcome.error().message);
    return outcome;
}

// A limit that was overstepped, the worst one first.
std::optional<Assessment> overstepped(const KnownMetric& metric, const MetricResult& result) {
    if (metric.failure_limit >= 0 && result.failed > metric.failure_limit)
        return Assessment{Phase::Failed, fmt::format("{} failed, and failureLimit is {}",
                                                     result.failed, metric.failure_limit)};
    if (result.consecutive_error > metric.consecutive_error_limit)
        return Assessment{Phase::Error,
                          fmt::format("{} in a row could not be made, and consecutiveErrorLimit "
                                      "is {}",
                                      result.consecutive_error, metric.consecutive_error_limit)};
    if (result.inconclusive > metric.inconclusive_limit)
        return Assessment{Phase::Inconclusive,
                          fmt::format("{} decided nothing, and inconclusiveLimit is {}",
                                      result.inconclusive, metric.inconclusive_limit)};
    return std::nullopt;
}

bool has_outcome(const MetricResult& result) {
    return result.successful > 0 || result.failed > 0 || result.inconclusive > 0;
}

Assessment ended_early(const MetricResult& result) {
    if (result.successful > 0) return {Phase::Successful, ""};
    if (result.error > 0 && !has_outcome(result))
        return {Phase::Error, "none could be made before the run was ended"};
    return {Phase::Inconclusive, "none succeeded before the run was ended"};
}

void count(Summary& summary, Phase phase) {
    ++summary.count;
    if (phase == Phase::Successful) ++summary.successful;
    if (phase == Phase::Failed) ++summary.failed;
    if (phase == Phase::Error) ++summary.error;
    if (phase == Phase::Inconclusive) ++summary.inconclusive;
}

}  // namespace

Assessment assess(const KnownMetric& metric, const language::Value& value, Instant now) {
    bool succeeds = false;
    bool fails = false;
    if (metric.success) {
        const auto outcome = told(*metric.success, value, now, "successCondition");
        if (!outcome) return {Phase::Error, outcome.error().message};
        succeeds = *outcome;
    }
    if (metric.failure) {
        const auto outcome = told(*metric.failure, value, now, "failureCondition");
        if (!outcome) return {Phase::Error, outcome.error().message};
        fails = *outcome;
    }
    if (!metric.failure) fails = metric.success && !succeeds;
    if (!metric.success) succeeds = !fails;
    if (fails) return {Phase::Failed, ""};
    return {succeeds ? Phase::Successful : Phase::Inconclusive, ""};
}

Assessment assess(const KnownMetric& metric, const MetricResult& result, bool is_ending) {
    const bool is_hollow = result.phase == Phase::Successful && !has_outcome(result);
    if (is_over(result.phase) && !is_hollow) return {result.phase, result.message};
    const bool is_begun = !result.measurements.empty() || has_outcome(result) || result.error > 0;
    if (!is_begun) return is_ending ? ended_early(result) : Assessment{};
    if (!result.measurements.empty() && !is_over(result.measurements.back().phase))
        return {Phase::Running, ""};
    if (auto limit = overstepped(metric, result)) return *limit;
    if (metric.consecutive_success_limit > 0 &&
        result.consecutive_success >= metric.consecutive_success_limit)
        return {Phase::Successful, ""};
    if (metric.count && result.count >= *metric.count && has_outcome(result)) {
        if (metric.consecutive_success_limit == 0) return {Phase::Successful, ""};
        return {Phase::Inconclusive,
                fmt::format("never {} in a row succeeded, as consecutiveSuccessLimit asks",
                            metric.consecutive_success_limit)};
    }
    return is_ending ? ended_early(result) : Assessment{Phase::Running, ""};
}

bool is_ending(const RunSpec& spec, const RunStatus& status,
               const std::vector<KnownMetric>& metrics) {
    return spec.terminate || std::ranges::any_of(metrics, [&](const KnownMetric& metric) {
               const MetricResult* result = result_of(status, metric.name);
               return !metric.treatment.dry_run && result && is_over(result->phase) &&
                      result->phase != Phase::Successful;
           });
}

const MetricResult* result_of(const RunStatus& status, const std::string& metric) {
    const auto found = std::ranges::find(status.results, metric, &MetricResult::name);
    return found == status.results.end() ? nullptr : &*found;
}

RunStatus with_outcome(RunStatus status, const RunSpec& spec,
                       const std::vector<KnownMetric>& metrics) {
    status.summary = {};
    status.dry_run_summary = {};
    bool is_complete = true;
    bool is_measured = false;
    Assessment worst{Phase::Successful, spec.terminate ? "The run was ended." : ""};
    for (const KnownMetric& metric : metrics) {
        const MetricResult* result = result_of(status, metric.name);
        const Phase phase = result ? result->phase : Phase::Pending;
        count(metric.treatment.dry_run ? status.dry_run_summary : status.summary, phase);
        is_complete = is_complete && is_over(phase);
        is_measured = is_measured || (result && has_outcome(*result));
        if (metric.treatment.dry_run || !is_worse(phase, worst.phase)) continue;
        worst = {phase, fmt::format("Metric {} is {}: of its measurements {}.", quoted(metric.name),
                                    to_text(phase), result ? result->message : "")};
    }
    if (worst.phase == Phase::Successful && !is_measured)
        worst = {Phase::Inconclusive, "No measurement could be made, so nothing was proven."};
    status.phase = is_complete ? worst.phase : Phase::Running;
    status.message = is_complete ? worst.message : "";
    return status;
}

}  // namespace sluice::api::analysis
