// What RolloutPlugins promise: no more pods than the steps allow, one run for each analysis, and
// nothing asked of a plugin that the status does not say.
#include <algorithm>

#include "sim/api/state.hpp"
#include "sim/apis/analysis/objects.hpp"
#include "sim/apis/rollout_plugin/api.hpp"
#include "sim/apis/rollout_plugin/courses.hpp"
#include "sim/apis/rollout_plugin/objects.hpp"

namespace sluice::sim::rollout_plugin {
namespace {

constexpr const char* step_at = "/metadata/labels/step-index";

const json::object* by_uid(const std::vector<ObjectPtr>& objects, const std::string& uid) {
    const auto found = std::ranges::find_if(
        objects, [&](const ObjectPtr& one) { return uid_in(one->object()) == uid; });
    return found == objects.end() ? nullptr : &(*found)->object();
}

struct CoursePromise : Promise {
    CoursePromise(std::string_view name, const Inspection& inspection, Courses& of)
        : Promise(name, inspection), courses(of) {}

    Courses& courses;
};

// The RolloutPlugin that a step is taken for, as its operator saw it.
struct Taken {
    bool is_ours = false;
    const json::object* plugin = nullptr;
    Course course = {};
};
Taken taken(const Courses& courses, const SetWrite& step) {
    const Api* api = api_of_claim(text_at(step.now(), claim_at));
    if (!step.read || !api || api->resource != plugins) return {};
    const json::object* plugin = steerer_of(*step.read);
    const bool is_target =
        plugin && text_at(*plugin, "/spec/workloadRef/name") == step.change.place.name;
    if (!is_target) return {.is_ours = true};
    return {true, plugin, courses.of_step(*plugin, step)};
}

// A run of a RolloutPlugin that is there before and after the change.
bool keeps_run(const Change& change) {
    return change.place.resource == analysis::runs && is_of_plugin(change.object->object()) &&
           change.before && change.type != Change::Type::Deleted;
}

bool ends_run(const Change& change) {
    return !flag_at(change.before->object(), "/spec/terminate") &&
           flag_at(change.object->object(), "/spec/terminate");
}

bool makes_run(const Change& change) {
    return change.place.resource == analysis::runs && change.type == Change::Type::Added;
}

bool deletes_run(const Change& change) {
    return change.place.resource == analysis::runs && change.type == Change::Type::Deleted;
}

// S24: while its RolloutPlugin is paused the gate of a set is not lowered.
void rests_while_paused(const CoursePromise& promise, const SetWrite& step) {
    const Taken at = taken(promise.courses, step);
    if (at.plugin && !at.course.is_full && flag_at(*at.plugin, "/spec/paused"))
        promise.broken("the gate was lowered while the RolloutPlugin is paused");
}

// As it was when it was last read.
void check_background(const Promise& promise, const SetWrite& step, const Course& course) {
    const auto uid = course.runs.find("");
    const json::object* run =
        uid == course.runs.end() ? nullptr : by_uid(step.read->of(analysis::runs), uid->second);
    const std::string phase = run ? text_at(*run, "/status/phase") : std::string{};
    if (phase == "Failed" || phase == "Error" || (phase == "Inconclusive" && !course.is_accepted))
        promise.broken("the gate of {} was lowered, and the analysis in the background is {}",
                       step.change.place.name, phase);
}

// S27: the weights, pauses and analyses of the steps, and the analysis in the background.
void keeps_to_its_steps(const CoursePromise& promise, const SetWrite& step) {
    const Taken at = taken(promise.courses, step);
    if (!at.is_ours) return;
    promise.tested();
    const std::string& name = step.change.place.name;
    if (!at.plugin)
        return promise.broken("the gate of {} was lowered, and no RolloutPlugin says how", name);
    if (at.course.is_full) return;
    check_background(promise, step, at.course);
    const std::int64_t replicas = number_at(step.read->set->object(), "/spec/replicas");
    const std::int64_t exposed = replicas - partition_of(step.now());
    const std::int64_t place =
        promise.courses.reached(*at.plugin, at.course, step.workload.first_place);
    const std::int64_t most = pods_before(*at.plugin, place, replicas);
    if (exposed > most)
        promise.broken("{} pods of {} were exposed where the steps allow {}", exposed, name, most);
}

// S28: after an abort the gate is not lowered again in that rollout.
void stays_aborted(const CoursePromise& promise, const SetWrite& step) {
    const Taken at = taken(promise.courses, step);
    if (at.is_ours) promise.tested();
    // One that came after the read, and before the write, cannot be known.
    if (at.course.aborted && step.read && *at.course.aborted < step.read->at)
        promise.broken("the gate of {} was lowered after an abort", step.change.place.name);
}

// S10 of runs: their status, and the word that ends them.
void ends_its_runs(const CoursePromise& promise, const Change& change) {
    if (!keeps_run(change)) return;
    const bool ends = ends_run(change);
    if (analysis::untouchable(change.before->object(), ends) !=
        analysis::untouchable(change.object->object(), ends))
        promise.broken("an operator changed more than the status of run {}", change.place.name);
}

// The RolloutPlugin that a new run is for, and the read that showed it to whoever made the run.
struct Wanted {
    const json::object* plugin = nullptr;
    const LiveRead* read = nullptr;
};

Wanted wanted_by(const History& history, const json::object& run) {
    Wanted found;
    if (!is_of_plugin(run) || has(run, "/status")) return found;
    for (const LiveRead* read : history.reads_of(history.creator())) {
        const json::object* plugin = by_uid(read->of(plugins), owner_uid_of(run));
        const bool is_target =
            plugin &&
            (is_outside(*plugin) || (read->set && text_at(*plugin, "/spec/workloadRef/name") ==
                                                      name_in(read->set->object())));
        if (is_target) found = {plugin, read};
    }
    return found;
}

// S10 of new runs: for a RolloutPlugin that lives, as far as their maker could know.
void makes_wanted_runs(const CoursePromise& promise, const Change& change) {
    const json::object& run = change.object->object();
    if (makes_run(change) && is_of_plugin(run) && !wanted_by(promise.in.history, run).plugin)
        promise.broken("an operator made run {}, and no RolloutPlugin wants it", change.place.name);
}

// It begins when all before it is over, and measures the pods that were let go for it.
void check_reached(const CoursePromise& promise, const Change& change, const Wanted& by,
                   const Course& course) {
    const auto& [plugin, read] = by;
    const std::string step = text_at(change.object->object(), step_at);
    const Workload* workload =
        read->set ? promise.in.history.workload(uid_in(read->set->object())) : nullptr;
    const std::int64_t place =
        promise.courses.reached(*plugin, course, workload ? workload->first_place : course.first);
    const std::int64_t wanted =
        step.empty() ? number_at(*plugin, "/spec/strategy/canary/analysis/startingStep")
                     : std::stoll("0" + step);
    const std::string& name = change.place.name;
    if (wanted > place) promise.broken("run {} was made at step {}", name, place);
    if (step.empty() || !read->set) return;
    const json::object& set = read->set->object();
    const std::string revision = text_at(set, "/status/updateRevision");
    const auto ready = std::ranges::count_if(read->pods, [&](const ObjectPtr& pod) {
        return has_condition(pod->object(), "Ready") &&
               text_at(pod->object(), revision_at) == revision;
    });
    if (ready < pods_before(*plugin, wanted, number_at(set, "/spec/replicas")))
        promise.broken("run {} was made when {} pods were ready for it", name, ready);
}

// S29: once for each analysis of a rollout, when its step is reached.
void one_run_for_each_analysis(const CoursePromise& promise, const Change& change) {
    if (!makes_run(change)) return;
    const json::object& run = change.object->object();
    const Wanted by = wanted_by(promise.in.history, run);
    if (!by.plugin) return;
    promise.tested();
    const std::string& name = change.place.name;
    const ObjectPtr& set = by.read->set;
    Course* course = promise.courses.under_way(*by.plugin, set ? &set->object() : nullptr);
    if (!course) return promise.broken("run {} was made, and no rollout is under way", name);
    check_reached(promise, change, by, *course);
    if (!course->runs.try_emplace(text_at(run, step_at), uid_in(run)).second)
        promise.broken("run {} is the second for the same analysis", name);
}

// S11 of runs: those of a RolloutPlugin that is there, and those whose own time is over.
void deletes_its_runs(const CoursePromise& promise, const Change& change) {
    const json::object& run = change.object->object();
    if (deletes_run(change) && is_of_plugin(run) &&
        !analysis::is_expired(run, promise.now() + promise.in.skew) &&
        !promise.courses.owner_of(change.place.ns, run))
        promise.broken("an operator deleted run {}", change.place.name);
}

// S30: a run that is waited for is not ended.
void ends_no_run_too_early(const CoursePromise& promise, const Change& change) {
    if (!keeps_run(change) || !ends_run(change)) return;
    promise.tested();
    const Course* course = promise.courses.of_run(change.place.ns, change.object->object());
    if (course && !course->is_full && !course->aborted &&
        !analysis::is_finished(change.before->object()))
        promise.broken("run {} was ended, and is still waited for", change.place.name);
}

std::int64_t count_younger(const CoursePromise& promise, const std::string& ns,
                           const json::object& gone) {
    return std::ranges::count_if(
        promise.in.cluster.api().list(analysis::runs, ns), [&](const ObjectPtr& one) {
            const json::object& other = one->object();
            return owner_uid_of(other) == owner_uid_of(gone) && analysis::is_finished(other) &&
                   analysis::is_successful(other) == analysis::is_successful(gone) &&
                   uid_in(other) != uid_in(gone) && !promise.courses.of_run(ns, other) &&
                   text_at(other, "/status/completedAt") >= text_at(gone, "/status/completedAt");
        });
}

// S30: nor deleted; and of the others those are that are more than the history keeps, the oldest
// first.
void keeps_runs(const CoursePromise& promise, const Change& change) {
    const json::object& gone = change.object->object();
    const std::string& ns = change.place.ns;
    if (!deletes_run(change)) return;
    const json::object* plugin = promise.courses.owner_of(ns, gone);
    if (!plugin || !promise.in.history.is_named(uid_in(gone)) ||
        analysis::is_expired(gone, promise.now() + promise.in.skew))
        return;
    promise.tested();
    const std::string& name = change.place.name;
    if (!analysis::is_finished(gone) || promise.courses.of_run(ns, gone))
        return promise.broken("run {} was deleted, and is still waited for", name);
    const char* limit = analysis::is_successful(gone)
                            ? "/spec/analysis/successfulRunHistoryLimit"
                            : "/spec/analysis/unsuccessfulRunHistoryLimit";
    const std::int64_t younger = count_younger(promise, ns, gone);
    if (younger < number_at(*plugin, limit, 5))
        promise.broken("run {} was deleted, and only {} are younger", name, younger);
}

constexpr Rule<CoursePromise> rules[] = {
    {.name = "S24", .on_step = rests_while_paused},
    {.name = "S27", .on_step = keeps_to_its_steps},
    {.name = "S28", .on_step = stays_aborted},
    {.name = "S10", .on_own_change = ends_its_runs},
    {.name = "S10", .on_own_change = makes_wanted_runs},
    {.name = "S29", .on_own_change = one_run_for_each_analysis},
    {.name = "S11", .on_own_change = deletes_its_runs},
    {.name = "S30", .on_own_change = ends_no_run_too_early},
    {.name = "S30", .on_own_change = keeps_runs},
};

}  // namespace

void promises(Observers& all, const Inspection& inspection) {
    auto courses = std::make_unique<Courses>(inspection);
    add(all, rules, inspection, *courses);
    all.push_back(outside_promise(inspection, *courses));
    all.push_back(std::move(courses));
}

}  // namespace sluice::sim::rollout_plugin
