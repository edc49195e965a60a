// What the inspector knows of steps: who may take them, how many pods at once, and what the
// weights, pauses and analyses of a RolloutPlugin allow.
#include <fmt/format.h>

#include <algorithm>

#include "sim/api/admission.hpp"
#include "sim/api/state.hpp"
#include "sim/world/inspector.hpp"
#include "sim/world/notes.hpp"

namespace sluice::sim {
namespace {

constexpr const char* claim_at = "/metadata/annotations/sluice.dev~1claim";
constexpr const char* paused_at = "/metadata/annotations/sluice.dev~1paused";
constexpr std::string_view plugin_prefix = "rolloutplugin/";

const json::object* named(const std::vector<ObjectPtr>& objects, std::string_view name) {
    const auto found = std::ranges::find_if(objects, [&](const ObjectPtr& one) {
        return text_at(one->object(), "/metadata/name") == name;
    });
    return found == objects.end() ? nullptr : &(*found)->object();
}

const json::array& steps_of(const json::object& plugin) {
    return array_at(plugin, "/spec/strategy/canary/steps");
}

bool is_waiting(const json::object& plugin) {
    return !array_at(plugin, "/status/pauseConditions").empty();
}

// Ids come back where somebody took our memory away; the time of the start does not.
std::string rollout_text(const std::string& uid, std::int64_t id, Instant started) {
    return fmt::format("{} {} {}", uid, id, to_rfc3339(in_whole_seconds(started)));
}

std::string rollout_text(const RolloutNote& note) {
    return rollout_text(note.uid, note.id, parse_rfc3339(note.started).value_or(Instant{}));
}

}  // namespace

// Behind the last step come all pods.
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

const Inspector::Steersman& Inspector::steersman_of_claim(const std::string& claim) {
    static const Steersman table[] = {
        {"phasedrollout/", &Inspector::check_checks, &Inspector::has_bad_check, false, true},
        {plugin_prefix, &Inspector::check_steps, &Inspector::is_given_up, true, true},
        {"", &Inspector::check_evidence, nullptr, false, false},
    };
    return *std::ranges::find_if(
        table, [&](const Steersman& one) { return claim.starts_with(one.prefix); });
}

// The gate goes back over pods that were let go before, and that run the revision.
bool Inspector::moves_nobody(const Change& change, const Seen* seen, const Record& record) const {
    if (!seen || !seen->set) return false;
    const json::object& set = seen->set->object();
    const std::string revision = text_at(set, "/status/updateRevision");
    const std::int64_t end =
        std::min(partition_of(change.before->object()), number_at(set, "/spec/replicas"));
    for (std::int64_t index = partition_of(change.object->object()); index < end; ++index) {
        const std::string name =
            fmt::format("{}-{}", change.place.name, index + number_at(set, "/spec/ordinals/start"));
        const json::object* pod = named(seen->pods, name);
        const bool runs =
            pod && text_at(*pod, "/metadata/labels/controller-revision-hash") == revision;
        // A pod that a scale-up has brought was let go by whoever scaled.
        const bool was_let_go =
            index >= record.replicas_then || record.approved.contains({revision, index});
        if (!runs || !was_let_go) return false;
    }
    return true;
}

void Inspector::on_lowered(const Change& change, Record& record) {
    const json::object& before = change.before->object();
    const json::object& now = change.object->object();
    const std::int64_t replicas = number_at(now, "/spec/replicas");
    const std::int64_t exposed_before = std::max<std::int64_t>(0, replicas - partition_of(before));
    const std::int64_t exposed_now = std::max<std::int64_t>(0, replicas - partition_of(now));
    const Seen* seen = last_read();
    if (!has(now, claim_at)) return check_release(change, seen);
    check_read(change, seen);
    held("S24");
    if (text_at(before, paused_at) == "true" && exposed_now > exposed_before)
        broken("S24", "the gate was lowered while the set is paused");
    const bool is_idle = exposed_now == exposed_before || moves_nobody(change, seen, record);
    record.replicas_then = replicas;
    if (is_idle) return;
    const Steersman& steersman = steersman_of_claim(text_at(now, claim_at));
    held("S5");
    if (exposed_now > exposed_before + 1 && !steersman.takes_many)
        broken("S5", fmt::format("{} pods were let go at once", exposed_now - exposed_before));
    const std::int64_t index = partition_of(now);
    held("S4");
    if (!record.lowered_to.insert(index).second)
        broken("S4", fmt::format("the gate was lowered to {} twice in one rollout", index));
    if (!seen || !seen->set) return;
    (this->*steersman.check)(change, *seen, record);
    const std::string revision = text_at(seen->set->object(), "/status/updateRevision");
    for (std::int64_t one = index; one < replicas - exposed_before; ++one)
        record.approved[{revision, one}] = true;
}

// Pauses and commands, as they truly were.
void Inspector::on_plugin(const Change& change) {
    const json::object& now = change.object->object();
    if (change.user != operator_user) return note_command(change);
    Course& course = told_course(now);
    if (!is_waiting(now)) return;
    course.began.try_emplace(number_at(now, "/status/currentStepIndex"), cluster_.now());
}

// What is known of the rollout that the status tells of.
Inspector::Course& Inspector::told_course(const json::object& plugin) {
    const json::object& told = object_at(plugin, "/status/rollout");
    const std::string rollout =
        rollout_text(text_at(told, "/workloadUID"), number_at(told, "/id"),
                     parse_rfc3339(text_at(told, "/startedAt")).value_or(Instant{}));
    const auto [course, is_new] = courses_.try_emplace({text_at(plugin, "/metadata/uid"), rollout});
    if (is_new)
        course->second.first = static_cast<int>(number_at(plugin, "/status/currentStepIndex"));
    return course->second;
}

// A command is about the rollout that is under way, whatever the status says so far.
void Inspector::note_command(const Change& change) {
    if (!change.before) return;
    const json::object& before = change.before->object();
    const json::object& now = change.object->object();
    if (find(now, "/status/abort") || flag_at(now, "/status/aborted"))
        given_up_.insert(text_at(now, "/metadata/uid"));
    const ObjectPtr set = cluster_.api().find("statefulsets.apps", change.place.ns,
                                              text_at(now, "/spec/workloadRef/name"));
    Course* found = course_of(now, set ? &set->object() : nullptr);
    if (!found) return;
    Course& course = *found;
    const bool goes_on =
        is_waiting(before) && (!is_waiting(now) || find(now, "/status/paused") == nullptr ||
                               *find(now, "/status/paused") == json::value(false));
    if (goes_on) course.ended.insert(number_at(before, "/status/currentStepIndex"));
    if (goes_on && phase_of_run(course, "") == "Inconclusive") course.is_accepted = true;
    if (find(now, "/status/promoteFull")) course.is_full = true;
    if (find(now, "/status/abort")) course.is_aborted = true;
    if (steps_of(before) != steps_of(now)) {
        course.began.clear();
        course.ended.clear();
        course.runs.clear();
        course.passed.clear();
    }
}

// What is known of the rollout that is under way: a set says so, or, where there is none, the
// status.
Inspector::Course* Inspector::course_of(const json::object& plugin, const json::object* set) {
    if (is_outside(plugin) && find(plugin, "/status/rolloutInProgress"))
        return &told_course(plugin);
    const auto memory = set ? rollout_note(*set) : std::nullopt;
    if (!memory || !memory->is_open) return nullptr;
    return &courses_[{text_at(plugin, "/metadata/uid"), rollout_text(*memory)}];
}

bool Inspector::is_over(const json::object& step, const Course& course, std::int64_t place) const {
    if (step.contains("analysis")) return is_passed(course, place);
    if (step.contains("setWeight") || course.ended.contains(place)) return true;
    const auto began = course.began.find(place);
    const auto length = parse_duration(text_at(step, "/pause/duration"));
    if (length == Duration{0}) return true;
    // Times are kept in whole seconds, and clocks differ.
    return began != course.began.end() && length &&
           began->second + *length <= cluster_.now() + skew_ + 1s;
}

std::int64_t Inspector::reached(const json::object& plugin, const Course& course,
                                std::int64_t first) const {
    const json::array& steps = steps_of(plugin);
    std::int64_t place = first;
    while (place < std::ssize(steps) &&
           is_over(steps[static_cast<std::size_t>(place)].get_object(), course, place))
        ++place;
    return place;
}

// A person aborted it, one of its runs ended badly, or its time is over.
bool Inspector::is_given_up(const Stored& set, const Seen& read) const {
    const std::string claim = text_at(set.object(), claim_at);
    const json::object* plugin = named(read.plugins, claim.substr(plugin_prefix.size()));
    const auto record = records_.find(text_at(set.object(), "/metadata/uid"));
    if (!plugin || record == records_.end()) return false;
    if (given_up_.contains(text_at(*plugin, "/metadata/uid"))) return true;
    std::int64_t seconds = 600;
    for (const char* name : {"/spec/progressDeadlineSeconds", "/spec/plugin/config/timeoutSeconds"})
        if (has(*plugin, name)) seconds = number_at(*plugin, name);
    return cluster_.now() + skew_ + 1s >= record->second.rollout_since + seconds * 1s;
}

void Inspector::check_steps(const Change& change, const Seen& seen, const Record& record) {
    const json::object& set = seen.set->object();
    const std::string claim = text_at(set, claim_at);
    const json::object* plugin = claim.starts_with(plugin_prefix)
                                     ? named(seen.plugins, claim.substr(plugin_prefix.size()))
                                     : nullptr;
    held("S27");
    held("S28");
    if (!plugin || text_at(*plugin, "/spec/workloadRef/name") != change.place.name)
        return broken("S27",
                      fmt::format("the gate of {} was lowered, and no RolloutPlugin says how",
                                  change.place.name));
    const auto memory = rollout_note(change.object->object());
    const Course& course = courses_[{text_at(*plugin, "/metadata/uid"),
                                     memory ? rollout_text(*memory) : std::string{}}];
    if (course.is_aborted)
        broken("S28", fmt::format("the gate of {} was lowered after an abort", change.place.name));
    if (!course.is_full && find(*plugin, "/spec/paused") &&
        *find(*plugin, "/spec/paused") == json::value(true))
        broken("S24", "the gate was lowered while the RolloutPlugin is paused");
    if (!course.is_full) check_pods(change, seen);
    check_background(change, seen, course);
    const std::int64_t replicas = number_at(set, "/spec/replicas");
    const std::int64_t exposed = replicas - partition_of(change.object->object());
    const std::int64_t place = reached(*plugin, course, record.first_place);
    const std::int64_t most = course.is_full ? replicas : pods_before(*plugin, place, replicas);
    if (exposed > most)
        broken("S27", fmt::format("{} pods of {} were exposed where the steps allow {}", exposed,
                                  change.place.name, most));
}

}  // namespace sluice::sim
