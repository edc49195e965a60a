#include "api/rollout_plugin/outside.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/rollout_plugin/outside_helm.hpp"

namespace sluice::api::rollout_plugin {

using engine::Decision;
using engine::Memory;
using engine::Phase;
using engine::Reason;
using engine::Snapshot;
using model::CustomObject;

namespace {

Replicas replicas_in(const ResourceStatus& reality) {
    const auto count = [](int number) { return PodCount{std::max(number, 0)}; };
    return {count(reality.replicas), count(reality.updated_replicas), count(reality.ready_replicas),
            count(reality.available_replicas)};
}

}  // namespace

Outside::Outside(const Snapshot& seen, const CustomObject& object, const Spec& spec,
                 const PluginAddress& plugin, Instant now)
    : seen_(seen),
      object_(object),
      spec_(spec),
      now_(now),
      reported_(read_status(object)),
      evidence_(seen, object, spec, plugin),
      binding_(binding_of(object, spec)),
      workload_state_(workload_state_in(reported_, binding_)) {
    if (const ResourceStatus* reality = evidence_.reality()) {
        workload_state_.memory = memory_in(reported_, binding_);
        workload_state_.replicas = replicas_in(*reality);
        workload_state_.current_revision = reality->current_revision;
    }
    is_known_ = workload_state_.memory.has_value();
    memory_ = workload_state_.memory.value_or(Memory{});
    if (evidence_.reality() && !memory_.open)
        workload_state_.updated_revision = evidence_.reality()->updated_revision;
    orders_ = orders_of(reported_, &spec, workload_state_.memory, object.meta.generation);
    at_ = position_of(spec, reported_, workload_state_, !paused_by(object, &spec).empty(), now);
    if (is_known_) runs_ = runs_of(seen, object, memory_, at_.list);
}

Decision Outside::decide() {
    if (ends_pause(orders_, spec_)) return unpause(object_);
    Decision decision = think();
    if (says_nothing_) return decision;
    workload_state_.memory = is_known_ ? std::optional{memory_} : std::nullopt;
    const ReportInput input{
        object_, reported_, &spec_, workload_state_, seen_.environment.guarantee, decision,
        at_,     orders_,   runs_};
    Snapshot known = seen_;
    known.workload.current_revision = workload_state_.current_revision;
    known.workload.update_revision = workload_state_.updated_revision;
    conclude(decision, input, known, now_);
    return decision;
}

Goal Outside::goal() const {
    if (!memory_.open) return {};
    Goal goal{.what = Goal::What::Weigh,
              .rollout = memory_.id,
              .revision = memory_.revision,
              .weight = weight()};
    goal.restarts = goal.weight == 0 && reported_.restart.at > Instant{} && reported_.rollout &&
                    reported_.restart.at == reported_.rollout->started;
    if (memory_.returning) {
        goal.what = Goal::What::Return;
        goal.weight = 0;
    } else if (at_.step >= last_step() && weight() == all) {
        goal.what = Goal::What::Promote;
    }
    return goal;
}

Decision Outside::think() {
    if (memory_.open) return think_of_rollout();
    return watch();
}

// No rollout is under way: is one due?
Decision Outside::watch() {
    const Goal goal{};
    const PluginObservation* observation = evidence_.observed(goal);
    const ResourceStatus* reality = evidence_.reality();
    if (!reality && !last_error().empty()) return erring(goal, last_error());
    if (!reality) return look_again(goal);
    const bool is_due = reality->updated_revision != reality->current_revision;
    const bool is_known = memory_.failed && memory_.revision == workload_state_.updated_revision;
    if (is_due && (!is_known || orders_.restarts)) {
        if (observation && is_fresh()) return begin(*reality);
        return look_again(goal);
    }
    if (is_due)
        return hold(
            goal,
            {Reason::RolledBack,
             fmt::format("Revision {} failed; all is back at revision {}.",
                         workload_state_.updated_revision, workload_state_.current_revision)},
            idle_pace);
    memory_.failed = false;
    return hold(goal, {Reason::Idle, ""}, idle_pace);
}

// A rollout from the top: nothing is at the new revision until the plugin has verified that.
Decision Outside::begin(const ResourceStatus& reality) {
    const std::string& revision = reality.updated_revision;
    const std::optional<Duration> before =
        memory_.open ? std::optional{now_ - memory_.started} : std::nullopt;
    const int first = orders_.restarts ? spec_.restart_at.value_or(0) : 0;
    Memory fresh_memory;
    fresh_memory.uid = binding_;
    fresh_memory.id = memory_.id + 1;
    fresh_memory.revision = revision;
    fresh_memory.open = true;
    fresh_memory.started = in_whole_seconds(now_);
    fresh_memory.place = first;
    fresh_memory.list = at_.list;
    memory_ = std::move(fresh_memory);
    workload_state_.updated_revision = revision;
    workload_state_.weight = 0;
    at_.step = first;
    at_.is_told = false;
    at_.since = in_whole_seconds(now_);
    runs_ = {};
    const std::string message = fmt::format("Revision {} waits behind a closed gate.", revision);
    Decision decision = say(Phase::Waiting, Reason::RolloutStarted, message);
    decision.notices.push_back({Reason::RolloutStarted, message});
    if (before) decision.ended = {"superseded", *before};
    return decision;
}

Decision Outside::think_of_rollout() {
    if (orders_.aborts && !memory_.returning)
        return turn_back(Reason::Aborted, "The rollout was aborted.");
    const bool is_last = at_.step >= last_step() && weight() == all;
    if (orders_.promotes_fully && !is_last) return promote();
    const Goal goal = this->goal();
    const ResourceStatus* reality = evidence_.reality();
    if (!reality && !last_error().empty()) {
        const auto deadline = deadline_of(spec_, here());
        if (deadline && now_ >= *deadline && !memory_.returning && paused().empty())
            return late(goal, last_error());
        return erring(goal, last_error());
    }
    if (reality && reality->updated_revision != memory_.revision) {
        if (reality->updated_revision == reality->current_revision) return go_home();
        if (is_fresh()) return begin(*reality);
        return look_again(goal);
    }
    const PluginObservation* observation = evidence_.observed(goal);
    if (!observation)
        return working(goal, memory_.returning ? Reason::RollingBack : Reason::PluginWorking,
                       fmt::format("{} is asked for {} %.", plugin(), goal.weight));
    if (goal.what == Goal::What::Return) return go_back(goal, *observation);
    if (goal.what == Goal::What::Promote) return finish(goal, *observation);
    return proceed(goal, *observation);
}

Decision Outside::go_back(const Goal& goal, const PluginObservation& observation) {
    if (observation.status.current_revision == observation.status.updated_revision)
        return complete(fmt::format("Revision {} was current before the abort came; it stays.",
                                    memory_.revision));
    if (observation.verified) return returned();
    return working(goal, Reason::RollingBack,
                   fmt::format("{} takes revision {} back. {}", plugin(), memory_.revision,
                               observation.message));
}

// Behind the last step: it becomes the current revision. An analysis in the background that fails
// before that still takes it back.
Decision Outside::finish(const Goal& goal, const PluginObservation& observation) {
    const bool is_current =
        observation.status.current_revision == observation.status.updated_revision;
    if (is_current && observation.verified && observation.status.ready)
        return complete(fmt::format("All of it is at revision {}.", memory_.revision));
    const engine::Plan plan = compile(spec_, here());  // whose steps are all behind us
    const engine::Advance next = engine::advance(plan, PodCount{all}, seen_, now_);
    const auto* failed = std::get_if<engine::Fail>(&next);
    if (failed && !is_current) return turn_back(failed->reason, failed->message);
    const std::string message = fmt::format("{} makes revision {} the current one. {}", plugin(),
                                            memory_.revision, observation.message);
    if (plan.deadline && now_ >= *plan.deadline && !is_current) return late(goal, message);
    return working(goal, Reason::PluginWorking, message);
}

// Somebody took the new revision back: what was updated follows it.
Decision Outside::go_home() {
    const Goal goal{.what = Goal::What::Return,
                    .rollout = memory_.id,
                    .revision = evidence_.reality()->updated_revision,
                    .weight = 0};
    const PluginObservation* observation = evidence_.observed(goal);
    const bool is_whole = observation && observation->status.ready &&
                          observation->status.updated_replicas == observation->status.replicas;
    if (observation && (observation->verified || is_whole))
        return complete(
            fmt::format("The plugin is back at revision {}.", workload_state_.current_revision));
    return working(goal, Reason::PluginWorking,
                   fmt::format("Revision {} was taken back: what was updated returns to revision "
                               "{}.",
                               memory_.revision, workload_state_.current_revision));
}

// What the plan rests on.
Circumstances Outside::here() const {
    Circumstances here = circumstances(reported_, at_, orders_, runs_);
    here.replicas = PodCount{all};
    here.settled.emplace();
    return here;
}

Decision Outside::proceed(const Goal& goal, const PluginObservation& observation) {
    if (observation.status.current_revision == observation.status.updated_revision)
        return promote();
    Circumstances now = here();
    if (!observation.verified)
        now.settled = {engine::Refused{
            Reason::PluginWorking,
            fmt::format("{} brings it to {} %. {}", plugin(), goal.weight, observation.message)}};
    const engine::Plan plan = compile(spec_, now);
    if (plan.exposed_max && weight() > plan.exposed_max->value)
        return take(plan.exposed_max->value, at_.step);
    if (!paused().empty()) return hold(goal, {Reason::Paused, paused()}, resting_pace);
    engine::Advance next = engine::advance(plan, PodCount{weight()}, seen_, now_);
    const auto* held = std::get_if<engine::Hold>(&next);
    if (held && !held->rests_at && plan.deadline && now_ >= *plan.deadline)
        return late(goal, held->message);
    return follow(goal, std::move(next));
}

Decision Outside::follow(const Goal& goal, engine::Advance next) {
    if (auto* held = std::get_if<engine::Hold>(&next)) {
        if (held->reason == Reason::PluginWorking)
            return working(goal, held->reason, std::move(held->message));
        return hold(goal, std::move(*held), resting_pace);
    }
    if (const auto* failed = std::get_if<engine::Fail>(&next)) {
        if (failed->aborts || spec_.on_failure == OnFailure::Rollback)
            return turn_back(failed->reason, failed->message);
        return hold(goal, {failed->reason, failed->message}, resting_pace);
    }
    // A step rests on what is so now.
    if (!is_fresh()) return look_again(goal);
    const auto* step = std::get_if<engine::TakeStep>(&next);
    if (!step || step->place >= last_step()) return promote();
    return take(step->target.value, step->place);
}

// Written first, asked for afterwards.
Decision Outside::take(int weight, int place) {
    workload_state_.weight = weight;
    memory_.place = std::max(memory_.place, place);
    at_.step = std::max(at_.step, place);
    at_.is_told = false;
    at_.since = in_whole_seconds(now_);
    Decision decision = say(Phase::Rolling, Reason::PluginWorking,
                            fmt::format("{} is asked for {} %.", plugin(), weight));
    decision.notices.push_back(
        {Reason::StepTaken,
         fmt::format("{} brings {} % to revision {}.", plugin(), weight, memory_.revision)});
    decision.takes_step = true;
    look_at_background(decision, seen_, runs_);
    return decision;
}

Decision Outside::promote() {
    Decision decision = take(all, last_step());
    decision.report.message =
        fmt::format("{} is asked to make revision {} the current one.", plugin(), memory_.revision);
    return decision;
}

Decision Outside::turn_back(Reason reason, const std::string& why) {
    memory_.returning = true;
    Decision decision = say(Phase::Held, Reason::RollingBack,
                            why + " What was updated returns to the revision before.");
    decision.notices = {{reason, why}};
    decision.wake_at = now_ + working_pace;
    return decision;
}

Decision Outside::returned() {
    const Duration took = now_ - memory_.started;
    memory_.open = memory_.returning = false;
    memory_.failed = true;
    workload_state_.weight = 0;
    Decision decision = say(Phase::Held, Reason::RolledBack,
                            fmt::format("Revision {} failed; all is back at revision {}.",
                                        memory_.revision, workload_state_.current_revision));
    decision.ended = {"rolled_back", took};
    return decision;
}

Decision Outside::complete(std::string message) {
    const Duration took = now_ - memory_.started;
    memory_.open = memory_.returning = false;
    workload_state_.updated_revision = workload_state_.current_revision;
    Decision decision = say(Phase::Idle, Reason::RolloutCompleted, message);
    decision.notices = {{Reason::RolloutCompleted, std::move(message)}};
    decision.ended = {"completed", took};
    return decision;
}

Decision steer_outside(const Snapshot& seen, const CustomObject& object, const Spec& spec,
                       const PluginAddress& plugin, Instant now) {
    return Outside{seen, object, spec, plugin, now}.decide();
}

}  // namespace sluice::api::rollout_plugin
