#include "api/phased_rollout/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/claims.hpp"
#include "api/phased_rollout/decide.hpp"
#include "engine/report.hpp"
#include "engine/standing.hpp"
#include "engine/steering.hpp"
#include "model/annotations.hpp"

namespace sluice::api::phased_rollout {
namespace {

using engine::CheckResult;
using engine::Reason;

// Reasons that make a phase of their own; the others follow from how far the rollout is.
struct PhaseRow {
    Reason reason;
    std::string_view phase;
};
constexpr PhaseRow phases[] = {
    {Reason::ChecksExhausted, phase::failed},
    {Reason::ProgressDeadlineExceeded, phase::failed},
    {Reason::RollingBack, phase::rolling_back},
    {Reason::RolledBack, phase::rolled_back},
    {Reason::Suspended, phase::suspended},
    {Reason::TargetMissing, phase::not_found},
    {Reason::OnDelete, phase::cannot_manage},
    {Reason::ClaimedByOther, phase::cannot_manage},
    {Reason::TooManyReplicas, phase::cannot_manage},
    {Reason::InvalidSpec, phase::cannot_manage},
};

std::string_view phase_of(const engine::StatusReport& report) {
    for (const PhaseRow& row : phases)
        if (row.reason == report.reason) return row.phase;
    return report.phase == engine::Phase::Idle ? phase::updated : phase::rolling;
}

// What the conditions say in each phase; an empty message: that of the report.
struct ConditionRow {
    std::string_view phase;
    const char* ready;
    const char* updated;
    std::string_view message;
};
constexpr ConditionRow conditions[] = {
    {phase::updated, "True", "True", "All pods run the current revision."},
    {phase::rolling, "True", "False", "A rollout is under way."},
    {phase::failed, "True", "False", ""},
    {phase::rolling_back, "True", "False", ""},
    {phase::rolled_back, "True", "False", ""},
    {phase::suspended, "True", "Unknown", ""},
    {phase::not_found, "False", "Unknown", ""},
    {phase::cannot_manage, "False", "Unknown", ""},
};

std::vector<Condition> conditions_for(const Status& status, std::vector<Condition> old,
                                      Instant now) {
    const auto* row =
        std::ranges::find(conditions, std::string_view{status.phase}, &ConditionRow::phase);
    const std::string message{row->message.empty() ? status.message : row->message};
    const bool is_ready = std::string_view{row->ready} == "True";
    const bool suspended = status.phase == phase::suspended;
    Condition ready{"Ready",
                    row->ready,
                    is_ready && !suspended ? "Ready" : status.phase,
                    is_ready ? "Rollouts can be steered." : message,
                    status.observed_generation,
                    now};
    Condition updated{"Updated", row->updated, status.phase, message, status.observed_generation,
                      now};
    return with_condition(with_condition(std::move(old), std::move(ready)), std::move(updated));
}

// The words of the first operator for this kind of object.
struct StepRow {
    Reason reason;
    const char* word;
};
constexpr StepRow step_words[] = {
    {Reason::RolloutStarted, "WaitForPodToBeUpdated"},
    {Reason::StatusStale, "WaitForPodToBeUpdated"},
    {Reason::SettlingRevision, "WaitForPodToBeUpdated"},
    {Reason::PodsNotReady, "WaitForAllPodsToBeAvailable"},
    {Reason::InitialDelay, "WaitForInitialDelay"},
    {Reason::CheckingMetrics, "WaitForChecks"},
    {Reason::CheckFailed, "WaitForChecks"},
    {Reason::ChecksExhausted, "WaitForChecks"},
    {Reason::PrometheusError, "PrometheusError"},
    {Reason::PrometheusConfigError, "PrometheusError"},
};

std::string step_word(const engine::Snapshot& seen, Reason reason) {
    const engine::PodRow row{seen};
    const PodIndex last{effective_partition(seen.workload).value};
    const model::Pod* pod = last.value < row.count().value ? row.at(last) : nullptr;
    const bool is_updated =
        last.value >= row.count().value || (pod && pod->revision == seen.workload.update_revision);
    if (reason == Reason::PodsNotReady && !is_updated) reason = Reason::StatusStale;
    const auto* found = std::ranges::find(step_words, reason, &StepRow::reason);
    return found == std::end(step_words) ? "" : found->word;
}

constexpr const char* results[] = {"", "Passed", "Failed", "Error"};

CheckStatus check_of(const engine::CheckProgress& progress, const Check& check) {
    CheckStatus status;
    status.definition = progress.about;
    status.success_on = check.query.success_on == SuccessOn::Data ? "Data" : "NoData";
    status.tries = progress.tries;
    if (check.max_tries) status.tries_left = std::max(0, *check.max_tries - progress.tries);
    status.successes = progress.successes;
    status.failures = progress.failures;
    status.last_result = results[static_cast<std::size_t>(progress.last_result)];
    if (progress.last_result != CheckResult::Error) status.last_value = progress.last_text;
    status.last = progress.last;
    if (progress.window == Instant{}) return status;
    status.starts = progress.window + check.initial_delay;
    // After an error it is asked again soon; saying when would cost a write each time.
    if (progress.last_result == CheckResult::Error) return status;
    status.next = progress.last > Instant{} ? progress.last + check.period : status.starts;
    return status;
}

RollingPodStatus rolling_pod_of(const engine::CheckProgress& progress, std::string word,
                                Partition partition) {
    RollingPodStatus step;
    step.status = std::move(word);
    step.partition = partition;
    step.analysis_started = progress.window;
    step.last_check = progress.last;
    step.successes_in_a_row = progress.successes;
    step.failures_in_a_row = progress.failures;
    step.failures = progress.failed;
    return step;
}

PodCount updated_pods(const engine::PodRow& row, const std::string& revision) {
    PodCount count{0};
    for (PodIndex index{0}; index.value < row.count().value; ++index.value) {
        const model::Pod* pod = row.at(index);
        if (pod && pod->revision == revision) ++count.value;
    }
    return count;
}

// The rollout that is under way or was the latest, as far as the memory on the set tells.
RolloutStatus rollout_of(const engine::Snapshot& seen, const engine::Memory& memory,
                         const std::optional<RolloutStatus>& old) {
    const model::StatefulSet& set = seen.workload;
    const engine::PodRow row{seen};
    const bool same = old && old->id == memory.id && old->workload_uid == memory.uid;
    RolloutStatus rollout;
    rollout.id = memory.id;
    rollout.workload_uid = memory.uid;
    rollout.revision = memory.revision;
    rollout.previous_revision = set.current_revision;
    if (same && set.current_revision == set.update_revision)
        rollout.previous_revision = old->previous_revision;
    rollout.partition = effective_partition(set);
    rollout.updated_pods = updated_pods(row, memory.revision);
    rollout.pods = row.count();
    rollout.step = fmt::format("{}/{}", rollout.updated_pods.value, rollout.pods.value);
    const int next = std::min(rollout.partition->value, row.count().value) - 1;
    if (memory.open && !memory.returning && next >= 0) rollout.pod = row.name_of(PodIndex{next});
    rollout.started = in_whole_seconds(memory.started);
    if (same) rollout.completed = old->completed;
    return rollout;
}

// That a revision failed stands until somebody asks for a retry or changes the spec, or a pod goes
// all the same. It outlives waits in which nobody is asked, views of the past, and the memory on
// the set.
bool stays_failed(const Status& status, const Status& old, const model::StatefulSet& set,
                  bool is_fresh) {
    const bool is_asked_again = status.retry != old.retry;
    const bool is_done = set.current_revision == set.update_revision;
    if (is_asked_again || is_done || old.failed_revision != set.update_revision) return false;
    const bool is_same_spec = status.observed_generation == old.observed_generation;
    const bool has_gone_on = old.rollout && old.rollout->partition > effective_partition(set);
    return is_fresh || (is_same_spec && !has_gone_on);
}

// A rollout is told here once the memory on the set knows of it.
void report_rollout(Status& status, const Status& old, const Spec* spec,
                    const engine::Snapshot& seen, const engine::Decision& decision, Instant now) {
    const auto memory = engine::recall(seen.workload);
    const bool is_fresh = engine::knows_no_rollout(memory);
    if (stays_failed(status, old, seen.workload, is_fresh))
        status.failed_revision = old.failed_revision;
    if (is_fresh || !memory || !spec) return;
    const bool is_undone = seen.workload.current_revision == seen.workload.update_revision;
    const bool has_failed =
        memory->failed || (memory->returning && !is_undone) || status.phase == phase::failed;
    if (has_failed) status.failed_revision = memory->revision;
    RolloutStatus rollout = rollout_of(seen, *memory, old.rollout);
    const bool is_over = status.phase == phase::updated;
    if (is_over && rollout.completed == Instant{}) rollout.completed = now;
    if (!is_over) rollout.completed = {};
    status.update_revision = rollout.revision;
    status.rollout_start = rollout.started;
    status.rollout_end = rollout.completed;
    if (memory->open && decision.progress) {
        rollout.step_started = decision.progress->since;
        status.check = check_of(*decision.progress, spec->check);
        status.rolling_pod =
            rolling_pod_of(*decision.progress, step_word(seen, decision.report.reason),
                           effective_partition(seen.workload));
    }
    status.rollout = std::move(rollout);
}

}  // namespace

Status report(const model::CustomObject& object, const Status& old, const Spec* spec,
              const engine::Snapshot& seen, const engine::Decision& decision, Instant at) {
    const Instant now = in_whole_seconds(at);
    Status status;
    status.phase = phase_of(decision.report);
    const engine::ReasonEntry& why = engine::entry(decision.report.reason);
    status.message = decision.report.message.empty() ? why.meaning : decision.report.message;
    status.reason = why.name;
    status.unblock = decision.report.unblock;
    status.observed_generation = object.meta.generation;
    status.guarantee = engine::guarantee_text(seen.environment.guarantee);
    const auto retry = object.annotations.find(model::key::retry);
    if (retry != object.annotations.end()) status.retry = retry->second;
    report_rollout(status, old, spec, seen, decision, now);
    if (decision.report.reason == Reason::Idle && status.rollout) {
        status.reason = engine::entry(Reason::RolloutCompleted).name;
        status.message = fmt::format("All pods run revision {}.", status.rollout->revision);
    }
    const auto gate = [](const Status& one) {
        return one.rollout ? one.rollout->partition : std::nullopt;
    };
    const bool same = status.phase == old.phase && status.reason == old.reason &&
                      gate(status) == gate(old) && old.since > Instant{};
    status.since = same ? old.since : now;
    status.conditions = conditions_for(status, old.conditions, now);
    return status;
}

std::optional<engine::CheckProgress> remembered(const model::CustomObject& object) {
    const Status status = read_status(object);
    if (!status.check || !status.rollout || !status.rolling_pod) return std::nullopt;
    engine::CheckProgress progress;
    progress.about = status.check->definition;
    progress.since = status.rollout->step_started;
    progress.window = status.rolling_pod->analysis_started;
    progress.tries = status.check->tries;
    progress.successes = status.check->successes;
    progress.failures = status.check->failures;
    progress.failed = status.rolling_pod->failures;
    for (std::size_t i = 0; i < std::size(results); ++i)
        if (status.check->last_result == results[i])
            progress.last_result = static_cast<CheckResult>(i);
    progress.last_text = status.check->last_value;
    progress.last = status.check->last;
    return progress;
}

}  // namespace sluice::api::phased_rollout
