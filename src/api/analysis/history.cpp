#include "api/analysis/history.hpp"

#include <algorithm>
#include <tuple>

namespace sluice::api::analysis {

FinishedRun to_finished(const model::CustomObject& object, bool is_current) {
    const RunStatus status = read_run_status(object);
    return {.name = object.meta.key.name,
            .uid = object.meta.uid,
            .phase = status.phase,
            .created = object.created,
            .completed = status.completed,
            .is_current = is_current,
            .is_deleting = object.meta.deleting};
}

std::vector<FinishedRun> superfluous(std::vector<FinishedRun> runs, int successful_max,
                                     int unsuccessful_max) {
    const auto age = [](const FinishedRun& run) {
        return std::tuple{run.completed == Instant{} ? run.created : run.completed, run.created,
                          run.name};
    };
    std::erase_if(runs, [](const FinishedRun& run) {
        return !is_over(run.phase) || run.is_current || run.is_deleting;
    });
    std::ranges::sort(runs, std::ranges::greater{}, age);
    int successful = std::max(successful_max, 0);
    int unsuccessful = std::max(unsuccessful_max, 0);
    std::erase_if(runs, [&](const FinishedRun& run) {
        int& room = run.phase == Phase::Successful ? successful : unsuccessful;
        const bool stays = room > 0;
        if (stays) --room;
        return stays;
    });
    std::ranges::reverse(runs);
    return runs;
}

std::optional<Instant> expires_at(const TimeToLive& ttl, const RunStatus& status) {
    if (!is_over(status.phase) || status.completed == Instant{}) return std::nullopt;
    std::optional<Duration> stays = ttl.after_completion;
    const bool is_failure = status.phase == Phase::Failed || status.phase == Phase::Error;
    if (status.phase == Phase::Successful && ttl.after_success) stays = ttl.after_success;
    if (is_failure && ttl.after_failure) stays = ttl.after_failure;
    if (!stays) return std::nullopt;
    return status.completed + *stays;
}

}  // namespace sluice::api::analysis
