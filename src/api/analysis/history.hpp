// Which finished runs of a rollout may be deleted. Never one that is not over, never one that
// the rollout still looks at, never one that is being deleted already.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "api/analysis/run.hpp"

namespace sluice::api::analysis {

// How many finished runs stay.
struct HistoryLimits {
    int successful = 5;
    int unsuccessful = 5;
    friend bool operator==(const HistoryLimits&, const HistoryLimits&) = default;
};

struct FinishedRun {
    std::string name;
    std::string uid;
    Phase phase = Phase::Pending;
    Instant created;
    Instant completed;
    bool is_current = false;  // the rollout looks at it
    bool is_deleting = false;
    friend bool operator==(const FinishedRun&, const FinishedRun&) = default;
};
FinishedRun to_finished(const model::CustomObject& object, bool is_current);

// Those beyond the limits, oldest first. Failed, Error and Inconclusive are unsuccessful; a limit
// below 0 is 0.
std::vector<FinishedRun> superfluous(std::vector<FinishedRun> runs, int successful_max,
                                     int unsuccessful_max);

// When a run may go by its own ttlStrategy: the time after a success or a failure goes before that
// after any end. Nothing: never, or not over yet.
std::optional<Instant> expires_at(const TimeToLive& ttl, const RunStatus& status);

}  // namespace sluice::api::analysis
