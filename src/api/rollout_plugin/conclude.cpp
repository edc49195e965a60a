#include "api/rollout_plugin/conclude.hpp"

#include <algorithm>

#include "api/analysis/decide.hpp"
#include "api/rollout_plugin/decide.hpp"
#include "engine/steering.hpp"
#include "model/annotations.hpp"

namespace sluice::api::rollout_plugin {
namespace {

namespace key = model::key;
using engine::Decision;
using engine::Reason;
using engine::Snapshot;
using model::CustomObject;

// Until templates that could not be used are looked at again.
constexpr Duration template_pace = 30s;

// Whether somebody went on though the analysis in the background is inconclusive. That is told
// first and acted on then, for the pause that was ended is over with the next step.
bool is_accepted(const Status& reported, const KnownRun& run) {
    return reported.background_run && reported.background_run->status == accepted &&
           reported.background_run->name == run.object->meta.key.name;
}

void add_runs(Circumstances& now, const Runs& runs, const Status& reported, const Position& at) {
    for (const auto& [place, run] : runs.steps)
        now.analyses.emplace(place, gate_of(run, place));
    if (!runs.background) return;
    now.background = gate_of(*runs.background, at.step);
    now.background->is_accepted = is_accepted(reported, *runs.background);
}

// Moments that the original posts events about, under its own names: alerts of people listen to
// them.
struct Moment {
    std::string_view name;
    Reason reason;  // for its tone
    bool (*is_here)(const Status& old, const Status& now);
};
constexpr Moment moments[] = {
    {"RolloutPluginUpdated", Reason::RolloutStarted,
     [](const Status& old, const Status& now) {
         return !old.updated_revision.empty() && old.updated_revision != now.updated_revision;
     }},
    {"RolloutPluginProgressing", Reason::RolloutStarted,
     [](const Status& old, const Status& now) {
         const auto id = [](const Status& one) { return one.rollout ? one.rollout->id : 0; };
         return now.in_progress && (!old.in_progress || id(old) != id(now));
     }},
    {"RolloutPluginPaused", Reason::StepPaused,
     [](const Status& old, const Status& now) {
         return old.phase != phase::paused && now.phase == phase::paused;
     }},
    {"RolloutPluginResumed", Reason::RolloutStarted,
     [](const Status& old, const Status& now) {
         return old.phase == phase::paused && now.phase != phase::paused &&
                now.phase != phase::failed;
     }},
    {"RolloutPluginAborted", Reason::Aborted,
     [](const Status& old, const Status& now) { return !old.abort.aborted && now.abort.aborted; }},
    {"RolloutPluginRestarted", Reason::RolloutStarted,
     [](const Status& old, const Status& now) { return now.restart.count > old.restart.count; }},
    {"RolloutPluginCompleted", Reason::RolloutCompleted,
     [](const Status& old, const Status& now) {
         return old.in_progress && !now.in_progress && now.phase == phase::successful;
     }},
};

void tell_moments(Decision& decision, const Status& old, const Status& now) {
    for (const Moment& moment : moments)
        if (moment.is_here(old, now))
            decision.notices.push_back({moment.reason, now.message, moment.name});
}

// What the status must say at once, however short the wait. One for the StatefulSet controller is
// over before anybody could read of it.
bool is_urgent(const Status& status, const Status& old, Reason reason) {
    if (reason == Reason::StatusStale && status.commands == old.commands) return false;
    const bool was_plain = old.phase == phase::progressing || old.phase == phase::successful ||
                           old.phase == phase::healthy;
    return !was_plain || status.commands != old.commands || status.restart != old.restart ||
           status.in_progress != old.in_progress;
}

bool is_at_leisure(const Decision& decision) {
    return decision.actions.empty();
}

RunsWanted runs_wanted(const Decision& decision, const ReportInput& on) {
    if (!on.spec || !on.workload_state.memory) return {};
    const engine::Memory& memory = *on.workload_state.memory;
    RunsWanted wanted;
    wanted.is_open = memory.open && !memory.returning;
    wanted.reached = on.at.step;
    // For another revision than its own a rollout asks for nothing any more: that one has its own.
    const bool asks = wanted.is_open && memory.revision == on.workload_state.updated_revision;
    const auto place = static_cast<std::size_t>(decision.rests_at.value_or(-1));
    if (asks && place < on.spec->steps.size() &&
        std::holds_alternative<AnalysisCall>(on.spec->steps[place]))
        wanted.step = decision.rests_at;
    wanted.background =
        asks && on.spec->background && on.at.step >= on.spec->background->starting_step;
    return wanted;
}

// Whether it was told that a run of the step under way cannot be made or read. That stands until
// the run is there; else the step and what is wrong with it would be told by turns, for ever.
bool is_refused(const ReportInput& on, const RunsWanted& wanted) {
    const bool lacks_run = (wanted.background && !on.runs.background) ||
                           (wanted.step && !on.runs.steps.contains(*wanted.step));
    const bool was_refused = on.old.reason == engine::entry(Reason::InvalidSpec).name ||
                             on.old.reason == engine::entry(Reason::TooManyBytes).name;
    return lacks_run && on.at.is_told && on.old.commands == Commands{} && was_refused;
}

Decision refusing_runs(const engine::Refused& why, const CustomObject& object, const Snapshot& seen,
                       Instant now) {
    Decision refused =
        reporting(claims, seen, object, engine::Phase::Blocked, why.reason, why.message);
    refused.wake_at = now + template_pace;
    return refused;
}

// Runs are made, ended and cleared away when there is nothing else to write.
void add_run_actions(Decision& decision, const ReportInput& on, const engine::Memory& memory,
                     const RunsWanted& wanted, const Snapshot& seen, Instant now) {
    const WorkloadState& state = on.workload_state;
    const auto why = add_run_action(
        decision, {seen, on.object, *on.spec, state.current_revision, state.updated_revision},
        memory, on.at.list, wanted);
    if (!why) return;
    Decision refused = refusing_runs(*why, on.object, seen, now);
    refused.probe = decision.probe;
    add_status(refused,
               {on.object, on.old, on.spec, on.workload_state, on.guarantee, refused, on.at,
                on.orders, on.runs},
               now);
    decision = std::move(refused);
}

}  // namespace

std::optional<engine::Refused> paused_by(const CustomObject& object, const Spec* spec) {
    if (auto paused = engine::paused_by(annotation_of(object, key::paused))) return paused;
    if (!spec || !spec->paused) return std::nullopt;
    return engine::Refused{Reason::Paused, "Paused: spec.paused is true."};
}

bool ends_pause(const Orders& orders, const Spec& spec) {
    return orders.promotes_fully && spec.paused;
}

Decision unpause(const CustomObject& object) {
    Decision decision;
    decision.subject = subject_of(resource, object);
    decision.actions.push_back(clear_paused(object));
    return decision;
}

Circumstances circumstances(const Status& reported, const Position& at, const Orders& orders,
                            const Runs& runs) {
    Circumstances now{
        .step = at.step, .step_since = at.since, .promotes_fully = orders.promotes_fully};
    if (at.is_told && reported.pause.begun) {
        now.pause_began = reported.pause.start;
        now.pause_is_over = is_resumed(reported.pause);
    }
    add_runs(now, runs, reported, at);
    return now;
}

void add_status(Decision& decision, const ReportInput& on, Instant now) {
    decision.subject = subject_of(resource, on.object);
    if (!decision.actions.empty()) return;
    const Status status = report(on, now);
    const bool is_known = decision.silent && !is_urgent(status, on.old, decision.report.reason);
    const bool begins = status.pause.begun && (!on.old.pause.begun || on.old.step != status.step);
    if (begins) decision.notices.push_back({Reason::StepPaused, status.message});
    if (!is_known) tell_moments(decision, on.old, status);
    // What a person asked for is struck off by whoever knows how things stand, and not by an old
    // view in which it has been done, or makes no sense.
    if (!is_known && status.commands != on.old.commands) decision.needs_live = true;
    add_write(decision, on.object, on.old, is_known ? on.old : status);
}

void add_write(Decision& decision, const CustomObject& object, const Status& old,
               const Status& status) {
    auto write = status_write(subject_of(resource, object), object, old, status);
    auto notices = std::exchange(decision.notices, {});
    if (!write) return;
    write->notices = std::move(notices);
    decision.actions.push_back(std::move(*write));
}

void look_at_background(Decision& decision, const Snapshot& seen, const Runs& runs) {
    if (!runs.background) return;
    const model::Ref run = ref_to(analysis::resource, runs.background->object->meta.key);
    const bool is_seen = std::ranges::any_of(
        seen.fetched, [&](const engine::Fetched& one) { return one.ref == run; });
    if (!is_seen) decision.rests_on.push_back(run);
}

void check_analyses(Decision& decision, const RunsOf& rollout, Instant now) {
    if (const auto faults = check_calls(decision, rollout))
        decision = refusing_runs({Reason::InvalidSpec, to_text(*faults)}, rollout.object,
                                 rollout.seen, now);
}

void conclude(Decision& decision, const ReportInput& on, const Snapshot& seen, Instant now) {
    const RunsWanted wanted = runs_wanted(decision, on);
    decision.subject = subject_of(resource, on.object);
    if (!is_refused(on, wanted)) add_status(decision, on, now);
    if (!on.spec) return;
    if (on.workload_state.memory && is_at_leisure(decision))
        add_run_actions(decision, on, *on.workload_state.memory, wanted, seen, now);
    const bool is_used_up =
        on.spec->restart_at && on.old.restart.generation == on.object.meta.generation;
    if (is_used_up && is_at_leisure(decision))
        decision.actions.push_back(clear_restart_at(on.object, *on.spec->restart_at));
}

}  // namespace sluice::api::rollout_plugin
