// The row of PhasedRollout, which lets a pod go once Prometheus has answered well: what the
// registry needs of this folder.
#pragma once

#include "sim/apis/registry.hpp"

namespace sluice::sim::phased_rollout {

inline constexpr ReportField report_fields[] = {
    {"step", "/status/rollingPodStatus/status"},  {"pod", "/status/rollout/pod"},
    {"updated", "/status/rollout/step"},          {"failed-revision", "/status/failedRevision"},
    {"completed", "/status/rollout/completedAt"}, {"tries", "/status/check/tries"},
    {"left", "/status/check/triesLeft"},          {"successes", "/status/check/successes"},
    {"failures", "/status/check/failures"},       {"result", "/status/check/lastResult"},
    {"value", "/status/check/lastValue"},
};

std::span<const Action> actions();
std::vector<std::unique_ptr<Observer>> promises(const Inspection& inspection);
extern const RandomPart random_part;
std::span<const demo::Story> stories();

}  // namespace sluice::sim::phased_rollout
