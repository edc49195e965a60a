#include "sim/apis/rollout_plugin/courses.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/api/admission.hpp"
#include "sim/api/state.hpp"
#include "sim/apis/analysis/objects.hpp"
#include "sim/apis/rollout_plugin/objects.hpp"

namespace sluice::sim::rollout_plugin {
namespace {

constexpr std::string_view claim_prefix = "rolloutplugin/";

const json::array& steps_of(const json::object& plugin) {
    return array_at(plugin, "/spec/strategy/canary/steps");
}

bool is_waiting(const json::object& plugin) {
    return !array_at(plugin, "/status/pauseConditions").empty();
}

// Ids come back where somebody took our memory away; the time of the start does not.
std::string rollout_text(const std::string& uid, std::int64_t id, const std::string& started) {
    return fmt::format("{} {} {}", uid, id,
                       to_rfc3339(in_whole_seconds(parse_rfc3339(started).value_or(Instant{}))));
}

std::string rollout_text(const RolloutNote& note) {
    return rollout_text(note.uid, note.id, note.started);
}

}  // namespace

std::string owner_uid_of(const json::object& run) {
    return text_at(run, "/metadata/ownerReferences/0/uid");
}

bool is_outside(const json::object& plugin) {
    return text_at(plugin, "/spec/workloadRef/kind") != "StatefulSet";
}

std::int64_t pods_before(const json::object& plugin, std::int64_t place, std::int64_t replicas) {
    const json::array& steps = steps_of(plugin);
    if (place >= std::ssize(steps)) return replicas;
    std::int64_t pods = 0;
    for (std::int64_t i = 0; i < place; ++i) {
        const std::int64_t weight =
            number_at(steps[static_cast<std::size_t>(i)].get_object(), "/setWeight");
        const std::int64_t least = weight > 0 ? 1 : 0;
        pods = std::max({pods, replicas * weight / 100, least});
    }
    return pods;
}

const json::object* steerer_of(const LiveRead& read) {
    const std::string claim = text_at(read.set->object(), claim_at);
    return claim.starts_with(claim_prefix)
               ? named(read.of(plugins), claim.substr(claim_prefix.size()))
               : nullptr;
}

bool is_of_plugin(const json::object& run) {
    return text_at(run, "/metadata/ownerReferences/0/kind") == "RolloutPlugin" &&
           flag_at(run, "/metadata/ownerReferences/0/controller");
}

// Pauses and commands, as they truly were.
void Courses::on_change(const Change& change) {
    const json::object& now = change.object->object();
    if (change.place.resource == analysis::runs) on_run(change);
    if (change.place.resource != plugins) return;
    if (change.user != operator_user) return on_command(change);
    Course& course = reported(now);
    if (is_waiting(now))
        course.began.try_emplace(number_at(now, "/status/currentStepIndex"), in_.cluster.now());
}

Course& Courses::reported(const json::object& plugin) {
    const json::object& status = object_at(plugin, "/status/rollout");
    const std::string rollout = rollout_text(
        text_at(status, "/workloadUID"), number_at(status, "/id"), text_at(status, "/startedAt"));
    const auto [course, is_new] = courses_.try_emplace({uid_in(plugin), rollout});
    if (is_new) course->second.first = number_at(plugin, "/status/currentStepIndex");
    return course->second;
}

// A command is about the rollout that is under way, whatever the status says so far.
void Courses::on_command(const Change& change) {
    if (!change.before) return;
    const json::object& before = change.before->object();
    const json::object& now = change.object->object();
    if (find(now, "/status/abort") || flag_at(now, "/status/aborted"))
        given_up_.insert(uid_in(now));
    const ObjectPtr set = in_.cluster.api().find("statefulsets.apps", change.place.ns,
                                                 text_at(now, "/spec/workloadRef/name"));
    Course* course = under_way(now, set ? &set->object() : nullptr);
    if (!course) return;
    const bool goes_on =
        is_waiting(before) && (!is_waiting(now) || find(now, "/status/paused") == nullptr ||
                               *find(now, "/status/paused") == json::value(false));
    if (goes_on) course->ended.insert(number_at(before, "/status/currentStepIndex"));
    if (goes_on && phase_of_run(*course, "") == "Inconclusive") course->is_accepted = true;
    if (find(now, "/status/promoteFull")) course->is_full = true;
    if (find(now, "/status/abort") && !course->aborted) course->aborted = in_.cluster.now();
    if (steps_of(before) != steps_of(now)) {
        course->began.clear();
        course->ended.clear();
        course->runs.clear();
        course->passed.clear();
    }
}

Course* Courses::under_way(const json::object& plugin, const json::object* set) {
    if (is_outside(plugin) && find(plugin, "/status/rolloutInProgress")) return &reported(plugin);
    const auto note = set ? rollout_note(*set) : std::nullopt;
    if (!note || !note->is_open) return nullptr;
    return &courses_[{uid_in(plugin), rollout_text(*note)}];
}

Course Courses::of_step(const json::object& plugin, const SetWrite& step) const {
    const auto found =
        courses_.find({uid_in(plugin), step.note ? rollout_text(*step.note) : std::string{}});
    return found == courses_.end() ? Course{} : found->second;
}

// One that somebody else deletes may be made again.
void Courses::on_run(const Change& change) {
    const json::object& run = change.object->object();
    const std::string phase = text_at(run, "/status/phase");
    run_phases_[uid_in(run)] = phase;
    if (is_of_plugin(run) && (phase == "Failed" || phase == "Error"))
        given_up_.insert(owner_uid_of(run));
    if (change.type != Change::Type::Deleted || change.user == operator_user) return;
    for (auto& [rollout, course] : courses_)
        std::erase_if(course.runs, [&](const auto& one) {
            if (one.second != uid_in(run)) return false;
            if (!one.first.empty() && is_passed(course, std::stoll(one.first)))
                course.passed.insert(std::stoll(one.first));
            return true;
        });
}

const json::object* Courses::owner_of(const std::string& ns, const json::object& run) const {
    if (!is_of_plugin(run)) return nullptr;
    const ObjectPtr owner =
        in_.cluster.api().find(plugins, ns, text_at(run, "/metadata/ownerReferences/0/name"));
    return owner && uid_in(owner->object()) == owner_uid_of(run) ? &owner->object() : nullptr;
}

const Course* Courses::of_run(const std::string& ns, const json::object& run) {
    const json::object* plugin = owner_of(ns, run);
    if (!plugin) return nullptr;
    const ObjectPtr set =
        in_.cluster.api().find("statefulsets.apps", ns, text_at(*plugin, "/spec/workloadRef/name"));
    const auto note = set ? rollout_note(set->object()) : std::nullopt;
    const bool goes_forth =
        is_outside(*plugin) ? !flag_at(*plugin, "/status/aborted") : note && !note->is_returning;
    if (!goes_forth) return nullptr;
    const Course* course = under_way(*plugin, set ? &set->object() : nullptr);
    const bool is_of_now = course && std::ranges::any_of(course->runs, [&](const auto& one) {
                               return one.second == uid_in(run);
                           });
    return is_of_now ? course : nullptr;
}

std::string Courses::phase_of_run(const Course& course, const std::string& step) const {
    const auto run = course.runs.find(step);
    const auto phase = run == course.runs.end() ? run_phases_.end() : run_phases_.find(run->second);
    return phase == run_phases_.end() ? std::string{} : phase->second;
}

bool Courses::is_passed(const Course& course, std::int64_t place) const {
    const std::string phase = phase_of_run(course, std::to_string(place));
    return course.passed.contains(place) || phase == "Successful" ||
           (phase == "Inconclusive" && course.ended.contains(place));
}

bool Courses::is_over(const json::object& step, const Course& course, std::int64_t place) const {
    if (step.contains("analysis")) return is_passed(course, place);
    if (step.contains("setWeight") || course.ended.contains(place)) return true;
    const auto began = course.began.find(place);
    const auto length = parse_duration(text_at(step, "/pause/duration"));
    if (length == Duration{0}) return true;
    // Times are kept in whole seconds, and clocks differ.
    return began != course.began.end() && length &&
           began->second + *length <= in_.cluster.now() + in_.skew + 1s;
}

std::int64_t Courses::reached(const json::object& plugin, const Course& course,
                              std::int64_t first) const {
    const json::array& steps = steps_of(plugin);
    std::int64_t place = first;
    while (place < std::ssize(steps) &&
           is_over(steps[static_cast<std::size_t>(place)].get_object(), course, place))
        ++place;
    return place;
}

bool Courses::has_cause_to_go_back(const json::object& set, const LiveRead& read) const {
    const std::string claim = text_at(set, claim_at);
    if (!claim.starts_with(claim_prefix)) return false;
    if (is_undone(set)) return true;
    const json::object* plugin = named(read.of(plugins), claim.substr(claim_prefix.size()));
    const Workload* workload = in_.history.workload(uid_in(set));
    if (!plugin || !workload) return false;
    if (given_up_.contains(uid_in(*plugin))) return true;
    std::int64_t seconds = 600;
    for (const char* name : {"/spec/progressDeadlineSeconds", "/spec/plugin/config/timeoutSeconds"})
        if (has(*plugin, name)) seconds = number_at(*plugin, name);
    return in_.cluster.now() + in_.skew + 1s >= workload->rollout_since + seconds * 1s;
}

bool Courses::excuses_pods(const SetWrite& step) const {
    const json::object* plugin = step.read ? steerer_of(*step.read) : nullptr;
    return plugin && of_step(*plugin, step).is_full;
}

}  // namespace sluice::sim::rollout_plugin
