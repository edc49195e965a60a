#include "api/rollout_plugin/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/claims.hpp"
#include "api/rollout_plugin/compile.hpp"
#include "api/rollout_plugin/decide.hpp"
#include "engine/report.hpp"
#include "engine/steering.hpp"

namespace sluice::api::rollout_plugin {
namespace {

using engine::Reason;

// Reasons that make a phase of their own; the others follow from how far the rollout is.
struct PhaseRow {
    Reason reason;
    std::string_view phase;
    std::string_view progressing;  // the reason of the condition, in the original's words
};
constexpr std::string_view progressing_reason = "RolloutPluginProgressing";
constexpr std::string_view paused_reason = "RolloutPluginPaused";
constexpr PhaseRow phases[] = {
    {Reason::StepPaused, phase::paused, paused_reason},
    {Reason::Paused, phase::paused, paused_reason},
    {Reason::AnalysisRunInconclusive, phase::paused, paused_reason},
    {Reason::Aborted, phase::failed, "RolloutPluginAborted"},
    {Reason::RollingBack, phase::failed, "RolloutPluginAborted"},
    {Reason::RolledBack, phase::failed, "RolloutPluginAborted"},
    {Reason::ProgressDeadlineExceeded, phase::failed, "ProgressDeadlineExceeded"},
    {Reason::InvalidSpec, phase::failed, "InvalidSpec"},
    {Reason::TargetMissing, phase::failed, "ReconciliationError"},
    {Reason::OnDelete, phase::failed, "ReconciliationError"},
    {Reason::ClaimedByOther, phase::failed, "ReconciliationError"},
    {Reason::TooManyReplicas, phase::failed, "ReconciliationError"},
    {Reason::PluginError, phase::failed, "ReconciliationError"},
};

const PhaseRow* row_of(Reason reason) {
    const auto* found = std::ranges::find(phases, reason, &PhaseRow::reason);
    return found == std::end(phases) ? nullptr : found;
}

// The template went back by itself: the pods follow it, and nothing has failed.
bool goes_home(const WorkloadState& workload_state) {
    return workload_state.partition && workload_state.memory && workload_state.memory->returning &&
           workload_state.current_revision == workload_state.updated_revision;
}

// A pause of a step is one also while something else is the matter, until its time is over.
bool rests(const ReportInput& on, const PauseStatus& pause, Instant now) {
    if (!pause.begun || is_resumed(pause)) return false;
    const auto place = static_cast<std::size_t>(on.at.step);
    const bool is_known = on.spec && place < on.spec->steps.size();
    const auto* step = is_known ? std::get_if<Pause>(&on.spec->steps[place]) : nullptr;
    return !step || !step->duration || now < pause.start + *step->duration;
}

std::string_view phase_of(const ReportInput& on, const PauseStatus& pause, Instant now) {
    const auto& memory = on.workload_state.memory;
    if (goes_home(on.workload_state)) return phase::progressing;
    if (const PhaseRow* row = row_of(on.decision.report.reason)) return row->phase;
    if (rests(on, pause, now)) return phase::paused;
    if (on.decision.report.phase != engine::Phase::Idle) return phase::progressing;
    if (on.spec && on.spec->paused) return phase::paused;
    return memory && memory->id > 0 ? phase::successful : phase::healthy;
}

// What the conditions say in each phase.
struct ConditionRow {
    std::string_view phase;
    const char* progressing;  // null: the condition is taken away
    const char* healthy;
    const char* completed;
};
constexpr ConditionRow conditions[] = {
    {phase::healthy, nullptr, "True", "True"},      {phase::successful, nullptr, "True", "True"},
    {phase::progressing, "True", "False", "False"}, {phase::paused, "Unknown", "False", "False"},
    {phase::failed, "False", "False", "False"},
};
// The last rollout is done, and the next one will wait.
constexpr ConditionRow paused_at_rest{phase::paused, "Unknown", "True", "True"};

const ConditionRow& row_for(const Status& status, engine::Phase engine_phase) {
    if (status.phase == phase::paused && engine_phase == engine::Phase::Idle) return paused_at_rest;
    return *std::ranges::find(conditions, std::string_view{status.phase}, &ConditionRow::phase);
}

std::vector<Condition> conditions_for(const Status& status, const Status& old,
                                      const engine::StatusReport& report, Instant now) {
    const ConditionRow& row = row_for(status, report.phase);
    std::vector<Condition> all = old.conditions;
    const auto put = [&](std::string_view type, const char* value, std::string_view why) {
        all = with_condition(
            std::move(all), {std::string{type}, value, std::string{why}, status.message, now, now});
    };
    const bool paused = status.phase == phase::paused;
    const PhaseRow* own = row_of(report.reason);
    if (row.progressing)
        put(condition::progressing, row.progressing,
            own      ? own->progressing
            : paused ? paused_reason
                     : progressing_reason);
    else
        all = without_condition(std::move(all), condition::progressing);
    const bool completed = std::string_view{row.completed} == "True";
    put(condition::healthy, row.healthy,
        completed ? "RolloutPluginHealthy" : "RolloutPluginNotHealthy");
    put(condition::completed, row.completed,
        completed ? "RolloutPluginCompleted" : "RolloutPluginNotCompleted");
    const bool was_paused =
        std::ranges::find(all, condition::paused, &Condition::type) != all.end();
    if (paused || was_paused)
        put(condition::paused, paused ? "True" : "False",
            paused ? paused_reason : "RolloutPluginResumed");
    if (report.reason != Reason::InvalidSpec)
        return without_condition(std::move(all), condition::invalid_spec);
    put(condition::invalid_spec, "True", "InvalidSpec");
    return all;
}

// The pause that is under way. It begins with the status that tells of it, and stays until the
// rollout has gone on: a word that ended it must not be lost while pods are waited for.
PauseStatus pause_of(const ReportInput& on, std::optional<int> step, Instant now) {
    const bool is_same = on.at.is_told && on.old.step == step;
    if (is_same && on.old.pause.begun) return on.old.pause;
    const Reason why = on.decision.report.reason;
    const bool is_unclear = why == Reason::AnalysisRunInconclusive;
    if (!on.decision.rests_at || (why != Reason::StepPaused && !is_unclear)) return {};
    const Instant start = now + 1s;  // as the gate has it
    const std::string_view reason = is_unclear ? pause_reason::inconclusive : pause_reason::step;
    return {true, {{std::string{reason}, start}}, true, start};
}

AbortStatus abort_of(const ReportInput& on, const engine::Memory& memory, Instant now) {
    const bool is_aborted =
        memory.failed || (memory.open && memory.returning && !goes_home(on.workload_state));
    if (!is_aborted) return {};
    const bool is_same = on.old.abort.aborted && on.old.abort.revision == memory.revision;
    return {true, memory.revision, is_same ? on.old.abort.at : now};
}

// What was asked for and is still to be done.
Commands commands_of(const ReportInput& on, const engine::Memory& memory) {
    const bool is_open = memory.open && !memory.returning;
    const int last = on.spec ? static_cast<int>(on.spec->steps.size()) : 0;
    Commands left;
    left.abort = on.old.commands.abort && is_open;
    left.promote_full = on.orders.promotes_fully && memory.place < last;
    left.restart = on.old.commands.restart && on.orders.restarts && !is_open;
    const std::int64_t seen_at = on.old.commands.promoted_at;
    if (left.promote_full) left.promoted_at = seen_at > 0 ? seen_at : on.object.meta.generation;
    return left;
}

RestartStatus restart_of(const ReportInput& on, const engine::Memory& memory, Instant now) {
    RestartStatus restart = on.old.restart;
    const bool is_open = memory.open && !memory.returning;
    if (on.spec && on.spec->restart_at && (is_open || !on.orders.restarts))
        restart.generation = on.object.meta.generation;
    if (!on.orders.restarts || !is_open) return restart;
    ++restart.count;
    restart.at = now;
    return restart;
}

RolloutStatus rollout_of(const ReportInput& on, const engine::Memory& memory, int step,
                         Instant now) {
    const auto& old = on.old.rollout;
    const bool is_same = old && old->id == memory.id && old->workload_uid == memory.uid;
    RolloutStatus rollout;
    rollout.id = memory.id;
    rollout.workload_uid = memory.uid;
    rollout.partition = on.workload_state.partition;
    rollout.weight = on.workload_state.weight;
    if (!rollout.weight && on.spec) rollout.weight = weight_at(on.spec->steps, step);
    rollout.definition = definition_text(on.at.list);
    rollout.pod = on.workload_state.next_pod;
    rollout.started = in_whole_seconds(memory.started);
    rollout.step_started =
        memory.open && on.decision.rests_at.value_or(on.at.step) == on.at.step ? on.at.since : now;
    if (!memory.open && is_same) rollout.step_started = old->step_started;
    if (!memory.open && !memory.failed)
        rollout.completed = is_same && old->completed > Instant{} ? old->completed : now;
    return rollout;
}

// What a rollout that is over came to stays, also when its runs are gone.
void report_runs(Status& status, const ReportInput& on, const engine::Memory& memory) {
    if (!memory.open && is_about(on.old, memory, on.at.list)) {
        status.step_run = on.old.step_run;
        status.background_run = on.old.background_run;
    }
    const auto step = on.runs.steps.find(status.step.value_or(-1));
    if (step != on.runs.steps.end()) status.step_run = report_of(step->second);
    if (!on.runs.background) return;
    status.background_run = report_of(*on.runs.background);
    const bool was = on.old.background_run && on.old.background_run->status == accepted &&
                     on.old.background_run->name == status.background_run->name;
    const bool is_unclear = on.runs.background->status.phase == analysis::Phase::Inconclusive;
    if (is_unclear && (was || (on.at.is_told && is_resumed(on.old.pause))))
        status.background_run->status = accepted;
}

// A rollout is told here once the memory on the set knows of it.
void report_rollout(Status& status, const ReportInput& on, const engine::Memory& memory,
                    Instant now) {
    const int last = on.spec ? static_cast<int>(on.spec->steps.size()) : 0;
    status.commands = commands_of(on, memory);
    status.abort = abort_of(on, memory, now);
    status.restart = restart_of(on, memory, now);
    status.in_progress = memory.open;
    if (memory.id == 0) return;
    const bool is_over = !memory.open && !memory.failed;
    const int step = is_over ? last : on.decision.rests_at.value_or(on.at.step);
    status.step = memory.failed && on.old.step ? on.old.step : step;
    if (memory.open && !memory.returning) status.pause = pause_of(on, status.step, now);
    status.step_complete = is_over || is_resumed(status.pause);
    report_runs(status, on, memory);
    status.rollout = rollout_of(on, memory, *status.step, now);
}

}  // namespace

Status report(const ReportInput& on, Instant at) {
    const Instant now = in_whole_seconds(at);
    const auto& memory = on.workload_state.memory;
    const engine::ReasonEntry& why = engine::entry(on.decision.report.reason);
    Status status;
    status.reason = why.name;
    status.message = on.decision.report.message.empty() ? why.meaning : on.decision.report.message;
    status.unblock = on.decision.report.unblock;
    status.observed_generation = on.object.meta.generation;
    status.guarantee = engine::guarantee_text(on.guarantee);
    status.initialized = memory.has_value();
    status.current_revision = on.workload_state.current_revision;
    status.updated_revision = on.workload_state.updated_revision;
    status.replicas = on.workload_state.replicas;
    if (memory) report_rollout(status, on, *memory, now);
    status.phase = phase_of(on, status.pause, now);
    // That it was aborted outlives the memory on the set.
    if (engine::knows_no_rollout(memory) &&
        on.old.abort.revision == on.workload_state.updated_revision)
        status.abort = on.old.abort;
    if (status.phase == phase::paused && on.decision.report.phase == engine::Phase::Idle) {
        status.reason = engine::entry(Reason::Paused).name;
        status.message = "Paused: spec.paused is true. No rollout is pending.";
    }
    if (status.phase == phase::successful) {
        status.reason = engine::entry(Reason::RolloutCompleted).name;
        status.message = fmt::format("All pods run revision {}.", status.updated_revision);
    }
    const auto gate = [](const Status& one) {
        return one.rollout ? one.rollout->partition : std::nullopt;
    };
    const bool is_same = status.phase == on.old.phase && status.reason == on.old.reason &&
                         status.step == on.old.step && gate(status) == gate(on.old) &&
                         on.old.since > Instant{};
    status.since = is_same ? on.old.since : now;
    status.conditions = conditions_for(status, on.old, on.decision.report, now);
    return status;
}

engine::Action clear_paused(const model::CustomObject& object) {
    return write_to(subject_of(resource, object), false,
                    fmt::format(R"([{{"op":"test","path":"/metadata/generation","value":{}}},)"
                                R"({{"op":"test","path":"/spec/paused","value":true}},)"
                                R"({{"op":"replace","path":"/spec/paused","value":false}}])",
                                object.meta.generation));
}

engine::Action clear_restart_at(const model::CustomObject& object, int restart_at) {
    return write_to(subject_of(resource, object), false,
                    fmt::format(R"([{{"op":"test","path":"/spec/restartAt","value":{}}},)"
                                R"({{"op":"remove","path":"/spec/restartAt"}}])",
                                restart_at));
}

}  // namespace sluice::api::rollout_plugin
