#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "api/json_parts.hpp"
#include "api/rollout_plugin/decide.hpp"
#include "api/rollout_plugin/spec.hpp"
#include "api/rollout_plugin/status.hpp"

namespace sluice::api::rollout_plugin {
namespace {

namespace json = boost::json;

constexpr std::string_view names[] = {"rolloutplugin", "rp"};

bool is_steered(const Steered&) {
    return true;
}

WorkloadRef ref_of(const model::CustomObject& object) {
    const json::value spec = model::parse_json(object.spec);
    const JsonReader ref = JsonReader{&spec}.part("workloadRef");
    return {ref.text("apiVersion"), ref.text("kind"), ref.text("name")};
}

std::string workload_of(const model::CustomObject& object) {
    WorkloadRef ref = ref_of(object);
    return ref.kind == model::statefulsets.kind ? std::move(ref.name) : std::string{};
}

// What a person set, also in a spec that is faulty otherwise.
bool is_held_by_spec(const model::CustomObject& object) {
    const json::value spec = model::parse_json(object.spec);
    return JsonReader{&spec}.flag("paused");
}

bool is_paused_at_step(const Status& status) {
    const PauseStatus& pause = status.pause;
    const bool begun = pause.begun || !pause.conditions.empty() || pause.paused == true;
    return begun && !is_resumed(pause);
}

bool is_under_way(const Status& status) {
    if (status.abort.aborted) return false;
    return status.in_progress || status.phase == phase::progressing ||
           status.current_revision != status.updated_revision;
}

std::string reason_of(const model::CustomObject& object, const Status& status) {
    if (!status.reason.empty()) return status.reason;
    if (is_held_by_spec(object)) return "Paused";
    if (!status.pause.conditions.empty()) return status.pause.conditions.front().reason;
    const auto progressing =
        std::ranges::find(status.conditions, condition::progressing, &Condition::type);
    return progressing == status.conditions.end() ? "" : progressing->reason;
}

Mood mood_in(const Status& status) {
    if (status.phase == phase::healthy || status.phase == phase::successful) return Mood::Resting;
    const bool goes_on = status.phase == phase::progressing && !is_paused_at_step(status);
    return goes_on ? Mood::Moving : Mood::Stuck;
}

Standing standing(const Steered& steered) {
    const Status status = read_status(steered.object);
    const WorkloadRef ref = ref_of(steered.object);
    const auto spec = read_spec(steered.object);
    Standing standing = standing_of(status);
    standing.workload = ref.kind == model::statefulsets.kind
                            ? workload_title(ref.name)
                            : fmt::format("{}/{}", ref.kind, ref.name);
    standing.mood = mood_in(status);
    standing.reason = reason_of(steered.object, status);
    if (status.step && spec && !spec->steps.empty()) {
        const int all = static_cast<int>(spec->steps.size());
        standing.step = fmt::format("{}/{}", std::min(*status.step + 1, all), all);
    }
    if (standing.since == Instant{} && !status.pause.conditions.empty())
        standing.since = status.pause.conditions.front().start;
    return standing;
}

struct StepText {
    std::string operator()(const SetWeight& step) const {
        return fmt::format("setWeight {}", step.percent);
    }
    std::string operator()(const Pause& step) const {
        return step.duration ? "pause for " + sluice::to_text(*step.duration)
                             : std::string{"pause until promoted"};
    }
    std::string operator()(const AnalysisCall& step) const {
        std::string text = "analysis";
        for (const analysis::TemplateRef& one : step.templates)
            text += " " + one.name;
        return text;
    }
};

std::string step_text(const Spec& spec, const Status& status) {
    const std::size_t all = spec.steps.size();
    if (!status.step) return fmt::format("none of {} has begun", all);
    const auto at = static_cast<std::size_t>(*status.step);
    if (at >= all) return fmt::format("all {} are done", all);
    std::string text =
        fmt::format("{} of {}: {}", at + 1, all, std::visit(StepText{}, spec.steps[at]));
    text += at + 1 < all ? ", then " + std::visit(StepText{}, spec.steps[at + 1])
                         : std::string{", then all of it"};
    return text;
}

std::string run_text(const RunReport& run) {
    const std::string text = fmt::format("{} is {}", run.name, run.status);
    return run.message.empty() ? text : text + ": " + run.message;
}

std::vector<Fact> facts(const Steered& steered, Instant now) {
    const Status status = read_status(steered.object);
    const auto spec = read_spec(steered.object);
    std::vector<Fact> facts;
    if (spec) facts.push_back({"plugin", spec->plugin.name});
    if (spec) facts.push_back({"step", step_text(*spec, status)});
    if (!spec) facts.push_back({"spec", to_text(spec.error())});
    const RolloutStatus rollout = status.rollout.value_or(RolloutStatus{});
    if (status.in_progress && !rollout.partition && rollout.weight)
        facts.push_back(
            {"weight", fmt::format("{} % at revision {}, the rest at {}", *rollout.weight,
                                   status.updated_revision, status.current_revision)});
    if (status.step_run) facts.push_back({"analysis", run_text(*status.step_run)});
    if (status.background_run) facts.push_back({"background", run_text(*status.background_run)});
    if (status.abort.aborted)
        facts.push_back({"aborted", fmt::format("{} {}", status.abort.revision,
                                                ago_text(status.abort.at, now))});
    const Commands& asked = status.commands;
    for (const auto& [is_asked, word] :
         {std::pair{asked.abort, "abort"}, std::pair{asked.promote_full, "promote --full"},
          std::pair{asked.restart, "retry"}})
        if (is_asked)
            facts.push_back({"asked for", fmt::format("{}; the operator has not acted yet", word)});
    return facts;
}

Write to_status(json::object fields) {
    return {Place::Status, {{"status", std::move(fields)}}};
}

Write hold(bool paused) {
    return {Place::Object, {{"spec", json::object{{"paused", paused}}}}};
}

Write end_of_pause() {
    return to_status({{"pauseConditions", nullptr}, {"paused", false}});
}

std::string phase_text(const Status& status) {
    return status.phase.empty() ? "the operator has not reported on it yet"
                                : "its phase is " + status.phase;
}

Reply promote(const Steered& steered, Instant) {
    const Status status = read_status(steered.object);
    if (!is_paused_at_step(status))
        return decline("{} is not paused at a step, so there is nothing to promote: {}.",
                       steered.title, phase_text(status));
    const bool stays = is_held_by_spec(steered.object);
    return Change{{end_of_pause()},
                  fmt::format("{} is promoted: {}", steered.title,
                              stays ? "the pause of this step is over, but spec.paused still holds "
                                      "the rollout until you resume it."
                                    : "the pause of this step is over, and the next step begins.")};
}

Reply promote_full(const Steered& steered, Instant) {
    const Status status = read_status(steered.object);
    if (status.commands.promote_full)
        return decline("{} was asked to promote in full already.", steered.title);
    if (status.abort.aborted) return decline("{} was aborted; retry it first.", steered.title);
    if (status.commands.abort) return decline("{} is about to be aborted.", steered.title);
    if (!is_under_way(status))
        return decline("{} has no rollout under way: {}.", steered.title, phase_text(status));
    return Change{{to_status({{"promoteFull", true}})},
                  fmt::format("{} is promoted in full: the steps that are left are skipped, and "
                              "all of it is updated.",
                              steered.title)};
}

Reply pause(const Steered& steered, Instant) {
    if (is_held_by_spec(steered.object))
        return decline("{} is paused already; resume lets it go on.", steered.title);
    const bool pending = is_under_way(read_status(steered.object));
    return Change{{hold(true)},
                  fmt::format("{} is paused: {} until you resume it.", steered.title,
                              pending ? "nothing more is updated"
                                      : "nothing is pending, and the next rollout waits")};
}

Reply resume(const Steered& steered, Instant) {
    const Status status = read_status(steered.object);
    Change change;
    // While the spec still holds it, the end of the pause alone moves nothing.
    if (is_paused_at_step(status)) change.writes.push_back(end_of_pause());
    if (is_held_by_spec(steered.object)) change.writes.push_back(hold(false));
    if (change.writes.empty())
        return decline("{} is not paused: {}.", steered.title, phase_text(status));
    change.done = fmt::format("{} is resumed: {}", steered.title,
                              is_paused_at_step(status)
                                  ? "the pause of its step is over, and the next step begins."
                                  : "the rollout goes on from where it stood.");
    return change;
}

Reply abort(const Steered& steered, Instant) {
    const Status status = read_status(steered.object);
    if (status.abort.aborted)
        return decline("{} was aborted already; retry starts it again.", steered.title);
    if (status.commands.abort) return decline("{} was asked to abort already.", steered.title);
    if (!is_under_way(status))
        return decline("{} has no rollout under way: {}.", steered.title, phase_text(status));
    return Change{{to_status({{"abort", true}})},
                  fmt::format("{} is aborted: its gate closes, and what was updated goes back to "
                              "the old revision.",
                              steered.title)};
}

Reply retry(const Steered& steered, Instant) {
    const Status status = read_status(steered.object);
    if (status.commands.restart) return decline("{} was asked to retry already.", steered.title);
    if (!status.abort.aborted)
        return decline("{} was not aborted, so there is nothing to retry: {}.", steered.title,
                       phase_text(status));
    return Change{
        {to_status({{"restart", true}})},
        fmt::format("{} tries again: the rollout begins anew at its first step.", steered.title)};
}

}  // namespace

const Dialect dialect{
    "rolloutplugin", &resource,
    names,           is_steered,
    workload_of,     standing,
    facts,           {promote, promote_full, pause, resume, abort, retry, undo_by<workload_of>}};

}  // namespace sluice::api::rollout_plugin
