// What the inspector knows of AnalysisRuns: when they may be made, ended and deleted, and whose
// Jobs may be made.
#include <fmt/format.h>

#include <algorithm>

#include "sim/api/admission.hpp"
#include "sim/api/state.hpp"
#include "sim/world/inspector.hpp"
#include "sim/world/notes.hpp"

namespace sluice::sim {
namespace {

constexpr const char* runs = "analysisruns.argoproj.io";
constexpr const char* serve_at = "/metadata/annotations/sluice.dev~1serve";
constexpr const char* step_at = "/metadata/labels/step-index";

std::string uid_of(const json::object& object) {
    return text_at(object, "/metadata/uid");
}

std::string owner_uid_of(const json::object& run) {
    return text_at(run, "/metadata/ownerReferences/0/uid");
}

bool is_of_plugin(const json::object& run) {
    return text_at(run, "/metadata/ownerReferences/0/kind") == "RolloutPlugin" &&
           flag_at(run, "/metadata/ownerReferences/0/controller");
}

bool is_finished(const json::object& run) {
    const std::string phase = text_at(run, "/status/phase");
    return !phase.empty() && phase != "Pending" && phase != "Running";
}

bool is_successful(const json::object& run) {
    return text_at(run, "/status/phase") == "Successful";
}

// A run that is over, for as long as its own spec says that it is kept.
bool is_expired(const json::object& run, Instant now) {
    const auto end = parse_rfc3339(text_at(run, "/status/completedAt"));
    const json::object& ttl = object_at(run, "/spec/ttlStrategy");
    const char* after = is_successful(run) ? "/secondsAfterSuccess" : "/secondsAfterFailure";
    if (!has(ttl, after)) after = "/secondsAfterCompletion";
    return end && has(ttl, after) && *end + number_at(ttl, after) * 1s <= now;
}

// What an operator may not touch on a run: all but its status and the word that ends it.
json::object untouchable_run(json::object run, bool may_end) {
    run.erase("status");
    for (const char* key : {"resourceVersion", "generation", "managedFields"})
        erase(run, std::string{"/metadata/"} + key);
    if (may_end) erase(run, "/spec/terminate");
    return run;
}

const json::object* by_uid(const std::vector<ObjectPtr>& objects, const std::string& uid) {
    const auto found = std::ranges::find_if(
        objects, [&](const ObjectPtr& one) { return uid_of(one->object()) == uid; });
    return found == objects.end() ? nullptr : &(*found)->object();
}

}  // namespace

// One that somebody else deletes may be made again.
void Inspector::on_run(const Change& change) {
    const json::object& run = change.object->object();
    const std::string phase = text_at(run, "/status/phase");
    run_phases_[uid_of(run)] = phase;
    if (is_of_plugin(run) && (phase == "Failed" || phase == "Error"))
        given_up_.insert(owner_uid_of(run));
    if (change.type != Change::Type::Deleted || change.user == operator_user) return;
    for (auto& [rollout, course] : courses_)
        std::erase_if(course.runs, [&](const auto& one) {
            if (one.second != uid_of(run)) return false;
            if (!one.first.empty() && is_passed(course, std::stoll(one.first)))
                course.passed.insert(std::stoll(one.first));
            return true;
        });
}

// The RolloutPlugin that has a run; nothing if it is gone.
const json::object* Inspector::owner_of(const std::string& ns, const json::object& run) const {
    if (!is_of_plugin(run)) return nullptr;
    const ObjectPtr owner = cluster_.api().find("rolloutplugins.argoproj.io", ns,
                                                text_at(run, "/metadata/ownerReferences/0/name"));
    return owner && uid_of(owner->object()) == owner_uid_of(run) ? &owner->object() : nullptr;
}

// The rollout that is under way and goes forth, if this is one of its runs.
const Inspector::Course* Inspector::course_of_run(const std::string& ns, const json::object& run) {
    const json::object* plugin = owner_of(ns, run);
    const ObjectPtr set = plugin ? cluster_.api().find("statefulsets.apps", ns,
                                                       text_at(*plugin, "/spec/workloadRef/name"))
                                 : nullptr;
    const auto memory = set ? rollout_note(set->object()) : std::nullopt;
    const bool goes_forth = plugin && is_outside(*plugin) ? !flag_at(*plugin, "/status/aborted")
                                                          : memory && !memory->is_returning;
    if (!plugin || !goes_forth) return nullptr;
    const Course* course = course_of(*plugin, set ? &set->object() : nullptr);
    const bool is_of_now = course && std::ranges::any_of(course->runs, [&](const auto& one) {
                               return one.second == uid_of(run);
                           });
    return is_of_now ? course : nullptr;
}

std::string Inspector::phase_of_run(const Course& course, const std::string& step) const {
    const auto run = course.runs.find(step);
    const auto phase = run == course.runs.end() ? run_phases_.end() : run_phases_.find(run->second);
    return phase == run_phases_.end() ? std::string{} : phase->second;
}

bool Inspector::is_passed(const Course& course, std::int64_t place) const {
    const std::string phase = phase_of_run(course, std::to_string(place));
    return course.passed.contains(place) || phase == "Successful" ||
           (phase == "Inconclusive" && course.ended.contains(place));
}

// The analysis in the background, as it was when it was last looked at.
void Inspector::check_background(const Change& change, const Seen& seen, const Course& course) {
    const auto uid = course.runs.find("");
    const json::object* run = uid == course.runs.end() ? nullptr : by_uid(seen.runs, uid->second);
    if (!run || course.is_full) return;
    const std::string phase = text_at(*run, "/status/phase");
    if (phase == "Failed" || phase == "Error" || (phase == "Inconclusive" && !course.is_accepted))
        broken("S27", fmt::format("the gate of {} was lowered, and the analysis in the background "
                                  "is {}",
                                  change.place.name, phase));
}

void Inspector::check_own_run(const Change& change) {
    const json::object& run = change.object->object();
    if (change.type == Change::Type::Deleted) return check_cleared(change);
    if (!change.before) return check_new_run(change);
    const json::object& before = change.before->object();
    if (!is_of_plugin(run) && text_at(run, serve_at) != "true")
        broken("S10",
               fmt::format("an operator changed run {}, which is not for it", change.place.name));
    const bool ends = !flag_at(before, "/spec/terminate") && flag_at(run, "/spec/terminate");
    const bool may_end = ends && is_of_plugin(run);
    if (untouchable_run(before, may_end) != untouchable_run(run, may_end))
        broken("S10", fmt::format("an operator changed more than the status of run {}",
                                  change.place.name));
    if (!may_end) return;
    held("S30");
    const Course* course = course_of_run(change.place.ns, run);
    if (course && !course->is_full && !course->is_aborted && !is_finished(before))
        broken("S30", fmt::format("run {} was ended, and is still waited for", change.place.name));
}

// Made for a RolloutPlugin that lives, as far as its maker could know, and once for each analysis
// of a rollout.
void Inspector::check_new_run(const Change& change) {
    const json::object& run = change.object->object();
    const json::object* plugin = nullptr;
    const Seen* seen = nullptr;
    for (const auto& [who, read] : reads_) {
        const json::object* found =
            who.first == creator_ ? by_uid(read.plugins, owner_uid_of(run)) : nullptr;
        const bool is_target =
            found &&
            (is_outside(*found) || (read.set && text_at(*found, "/spec/workloadRef/name") ==
                                                    text_at(read.set->object(), "/metadata/name")));
        if (!is_target) continue;
        plugin = found;
        seen = &read;
    }
    if (!plugin || !is_of_plugin(run) || has(run, "/status"))
        return broken("S10", fmt::format("an operator made run {}, and no RolloutPlugin wants it",
                                         change.place.name));
    Course* course = course_of(*plugin, seen->set ? &seen->set->object() : nullptr);
    held("S29");
    if (!course)
        return broken(
            "S29", fmt::format("run {} was made, and no rollout is under way", change.place.name));
    check_reached(change, *seen, *plugin, *course);
    if (!course->runs.try_emplace(text_at(run, step_at), uid_of(run)).second)
        broken("S29", fmt::format("run {} is the second for the same analysis", change.place.name));
}

// An analysis begins when all before it is over, and measures the pods that were let go for it.
void Inspector::check_reached(const Change& change, const Seen& seen, const json::object& plugin,
                              const Course& course) {
    const std::string step = text_at(change.object->object(), step_at);
    const auto record = seen.set ? records_.find(uid_of(seen.set->object())) : records_.end();
    const std::int64_t first = record == records_.end() ? course.first : record->second.first_place;
    const std::int64_t place = reached(plugin, course, first);
    const std::int64_t wanted =
        step.empty() ? number_at(plugin, "/spec/strategy/canary/analysis/startingStep")
                     : std::stoll("0" + step);
    if (wanted > place)
        broken("S29", fmt::format("run {} was made at step {}", change.place.name, place));
    if (step.empty() || !seen.set) return;
    const json::object& set = seen.set->object();
    const std::int64_t replicas = number_at(set, "/spec/replicas");
    const std::string revision = text_at(set, "/status/updateRevision");
    const auto ready = std::ranges::count_if(seen.pods, [&](const ObjectPtr& pod) {
        return has_condition(pod->object(), "Ready") &&
               text_at(pod->object(), "/metadata/labels/controller-revision-hash") == revision;
    });
    if (ready < pods_before(plugin, wanted, replicas))
        broken("S29", fmt::format("run {} was made when {} pods were ready for it",
                                  change.place.name, ready));
}

// A run goes when its own time is over, or when its RolloutPlugin keeps no more of its kind, the
// oldest first.
void Inspector::check_cleared(const Change& change) {
    const json::object& gone = change.object->object();
    const std::string& name = change.place.name;
    if (!deleting_.contains(uid_of(gone)))
        return broken("S11", fmt::format("run {} was deleted without naming its UID", name));
    if (is_expired(gone, cluster_.now() + skew_)) return;
    const json::object* plugin = owner_of(change.place.ns, gone);
    if (!plugin) return broken("S11", fmt::format("an operator deleted run {}", name));
    held("S30");
    if (!is_finished(gone) || course_of_run(change.place.ns, gone))
        return broken("S30", fmt::format("run {} was deleted, and is still waited for", name));
    const char* limit_at = is_successful(gone) ? "/spec/analysis/successfulRunHistoryLimit"
                                               : "/spec/analysis/unsuccessfulRunHistoryLimit";
    std::int64_t younger = 0;
    for (const ObjectPtr& one : cluster_.api().list(runs, change.place.ns)) {
        const json::object& other = one->object();
        const bool is_alike = owner_uid_of(other) == owner_uid_of(gone) && is_finished(other) &&
                              is_successful(other) == is_successful(gone) &&
                              uid_of(other) != uid_of(gone) &&
                              !course_of_run(change.place.ns, other);
        if (is_alike &&
            text_at(other, "/status/completedAt") >= text_at(gone, "/status/completedAt"))
            ++younger;
    }
    if (younger < number_at(*plugin, limit_at, 5))
        broken("S30", fmt::format("run {} was deleted, and only {} are younger", name, younger));
}

// A Job of a run: made as it is, and taken away again.
void Inspector::check_own_job(const Change& change) {
    const json::object& job = change.object->object();
    const json::object& owner = object_at(job, "/metadata/ownerReferences/0");
    const ObjectPtr run = cluster_.api().find(runs, change.place.ns, text_at(owner, "/name"));
    const bool is_ours =
        text_at(owner, "/kind") == "AnalysisRun" &&
        (change.type != Change::Type::Added ||
         (run && text_at(run->object(), "/metadata/uid") == text_at(owner, "/uid")));
    const bool goes =
        change.type == Change::Type::Deleted || has(job, "/metadata/deletionTimestamp");
    if (!is_ours || (change.type != Change::Type::Added && !goes))
        broken("S10",
               fmt::format("an operator wrote Job {}, which is no run's", change.place.name));
}

}  // namespace sluice::sim
