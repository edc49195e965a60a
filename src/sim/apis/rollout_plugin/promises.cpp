// What RolloutPlugins promise: no more pods than the steps allow, one run for each analysis, and
// nothing asked of a plugin that the status does not say.
#include <fmt/format.h>

#include <algorithm>

#include "sim/api/admission.hpp"
#include "sim/api/state.hpp"
#include "sim/apis/analysis/objects.hpp"
#include "sim/apis/analysis/runs.hpp"
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

class CoursePromise : public Promise {
  public:
    CoursePromise(std::string_view name, const Inspection& inspection, Courses& courses)
        : Promise(name, inspection), courses_(courses) {}

  protected:
    // The RolloutPlugin that a step is taken for, as its operator saw it.
    struct Taken {
        bool is_ours = false;
        const json::object* plugin = nullptr;
        Course course = {};
    };
    Taken taken(const SetWrite& step) const {
        const Api* api = api_of_claim(text_at(step.now(), claim_at));
        if (!step.read || !api || api->resource != plugins) return {};
        const json::object* plugin = steerer_of(*step.read);
        const bool is_target =
            plugin && text_at(*plugin, "/spec/workloadRef/name") == step.change.place.name;
        if (!is_target) return {.is_ours = true};
        return {true, plugin, courses_.of_step(*plugin, step)};
    }
    bool is_own_run(const Change& change) const {
        return change.user == operator_user && change.place.resource == analysis::runs;
    }

    Courses& courses_;
};

// S24: while its RolloutPlugin is paused the gate of a set is not lowered.
class RestsWhilePaused final : public CoursePromise {
  public:
    using CoursePromise::CoursePromise;

    void on_step(const SetWrite& step) override {
        const Taken at = taken(step);
        if (at.plugin && !at.course.is_full && flag_at(*at.plugin, "/spec/paused"))
            broken("the gate was lowered while the RolloutPlugin is paused");
    }
};

// S27: the weights, pauses and analyses of the steps, and the analysis in the background.
class KeepsToItsSteps final : public CoursePromise {
  public:
    using CoursePromise::CoursePromise;

    void on_step(const SetWrite& step) override {
        const Taken at = taken(step);
        if (!at.is_ours) return;
        tested();
        const std::string& name = step.change.place.name;
        if (!at.plugin)
            return broken(
                fmt::format("the gate of {} was lowered, and no RolloutPlugin says how", name));
        if (at.course.is_full) return;
        check_background(step, at.course);
        const std::int64_t replicas = number_at(step.read->set->object(), "/spec/replicas");
        const std::int64_t exposed = replicas - partition_of(step.now());
        const std::int64_t place =
            courses_.reached(*at.plugin, at.course, step.workload.first_place);
        const std::int64_t most = pods_before(*at.plugin, place, replicas);
        if (exposed > most)
            broken(fmt::format("{} pods of {} were exposed where the steps allow {}", exposed, name,
                               most));
    }

  private:
    // As it was when it was last looked at.
    void check_background(const SetWrite& step, const Course& course) const {
        const auto uid = course.runs.find("");
        const json::object* run =
            uid == course.runs.end() ? nullptr : by_uid(step.read->of(analysis::runs), uid->second);
        const std::string phase = run ? text_at(*run, "/status/phase") : std::string{};
        if (phase == "Failed" || phase == "Error" ||
            (phase == "Inconclusive" && !course.is_accepted))
            broken(
                fmt::format("the gate of {} was lowered, and the analysis in the background is "
                            "{}",
                            step.change.place.name, phase));
    }
};

// S28: after an abort the gate is not lowered again in that rollout.
class StaysAborted final : public CoursePromise {
  public:
    using CoursePromise::CoursePromise;

    void on_step(const SetWrite& step) override {
        const Taken at = taken(step);
        if (at.is_ours) tested();
        // One that came after the look, and before the write, cannot be known.
        if (at.course.aborted && step.read && *at.course.aborted < step.read->at)
            broken(
                fmt::format("the gate of {} was lowered after an abort", step.change.place.name));
    }
};

// S10 of runs: their status, and the word that ends them.
class EndsItsRuns final : public CoursePromise {
  public:
    using CoursePromise::CoursePromise;

    void on_change(const Change& change) override {
        const json::object& run = change.object->object();
        if (!is_own_run(change) || !is_of_plugin(run) || !change.before ||
            change.type == Change::Type::Deleted)
            return;
        const json::object& before = change.before->object();
        const bool ends = !flag_at(before, "/spec/terminate") && flag_at(run, "/spec/terminate");
        if (analysis::untouchable(before, ends) != analysis::untouchable(run, ends))
            broken(fmt::format("an operator changed more than the status of run {}",
                               change.place.name));
    }
};

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
class MakesWantedRuns final : public CoursePromise {
  public:
    using CoursePromise::CoursePromise;

    void on_change(const Change& change) override {
        const json::object& run = change.object->object();
        const bool is_new = is_own_run(change) && change.type == Change::Type::Added;
        if (is_new && is_of_plugin(run) && !wanted_by(in_.history, run).plugin)
            broken(fmt::format("an operator made run {}, and no RolloutPlugin wants it",
                               change.place.name));
    }
};

// S29: once for each analysis of a rollout, when its step is reached.
class OneRunForEachAnalysis final : public CoursePromise {
  public:
    using CoursePromise::CoursePromise;

    void on_change(const Change& change) override {
        if (!is_own_run(change) || change.type != Change::Type::Added) return;
        const json::object& run = change.object->object();
        const auto [plugin, read] = wanted_by(in_.history, run);
        if (!plugin) return;
        tested();
        const std::string& name = change.place.name;
        Course* course = courses_.under_way(*plugin, read->set ? &read->set->object() : nullptr);
        if (!course)
            return broken(fmt::format("run {} was made, and no rollout is under way", name));
        check_reached(change, *read, *plugin, *course);
        if (!course->runs.try_emplace(text_at(run, step_at), uid_in(run)).second)
            broken(fmt::format("run {} is the second for the same analysis", name));
    }

  private:
    // It begins when all before it is over, and measures the pods that were let go for it.
    void check_reached(const Change& change, const LiveRead& read, const json::object& plugin,
                       const Course& course) const {
        const std::string step = text_at(change.object->object(), step_at);
        const Workload* workload =
            read.set ? in_.history.workload(uid_in(read.set->object())) : nullptr;
        const std::int64_t place =
            courses_.reached(plugin, course, workload ? workload->first_place : course.first);
        const std::int64_t wanted =
            step.empty() ? number_at(plugin, "/spec/strategy/canary/analysis/startingStep")
                         : std::stoll("0" + step);
        const std::string& name = change.place.name;
        if (wanted > place) broken(fmt::format("run {} was made at step {}", name, place));
        if (step.empty() || !read.set) return;
        const json::object& set = read.set->object();
        const std::string revision = text_at(set, "/status/updateRevision");
        const auto ready = std::ranges::count_if(read.pods, [&](const ObjectPtr& pod) {
            return has_condition(pod->object(), "Ready") &&
                   text_at(pod->object(), revision_at) == revision;
        });
        if (ready < pods_before(plugin, wanted, number_at(set, "/spec/replicas")))
            broken(fmt::format("run {} was made when {} pods were ready for it", name, ready));
    }
};

// S11 of runs: those of a RolloutPlugin that is there, and those whose own time is over.
class DeletesItsRuns final : public CoursePromise {
  public:
    using CoursePromise::CoursePromise;

    void on_change(const Change& change) override {
        const json::object& run = change.object->object();
        if (is_own_run(change) && change.type == Change::Type::Deleted && is_of_plugin(run) &&
            !analysis::is_expired(run, now() + in_.skew) &&
            !courses_.owner_of(change.place.ns, run))
            broken(fmt::format("an operator deleted run {}", change.place.name));
    }
};

// S30: a run that is waited for is neither ended nor deleted, and of the others those are deleted
// that are more than the history keeps, the oldest first.
class KeepsRuns final : public CoursePromise {
  public:
    using CoursePromise::CoursePromise;

    void on_change(const Change& change) override {
        if (!is_own_run(change) || !is_of_plugin(change.object->object())) return;
        if (change.type == Change::Type::Deleted) return on_deleted(change);
        if (change.before) on_changed(change);
    }

  private:
    void on_changed(const Change& change) {
        const json::object& before = change.before->object();
        const json::object& run = change.object->object();
        if (flag_at(before, "/spec/terminate") || !flag_at(run, "/spec/terminate")) return;
        tested();
        const Course* course = courses_.of_run(change.place.ns, run);
        if (course && !course->is_full && !course->aborted && !analysis::is_finished(before))
            broken(fmt::format("run {} was ended, and is still waited for", change.place.name));
    }

    void on_deleted(const Change& change) {
        const json::object& gone = change.object->object();
        const std::string& ns = change.place.ns;
        const json::object* plugin = courses_.owner_of(ns, gone);
        if (!plugin || !in_.history.is_named(uid_in(gone)) ||
            analysis::is_expired(gone, now() + in_.skew))
            return;
        tested();
        if (!analysis::is_finished(gone) || courses_.of_run(ns, gone))
            return broken(
                fmt::format("run {} was deleted, and is still waited for", change.place.name));
        const bool was_good = analysis::is_successful(gone);
        const std::int64_t kept = number_at(*plugin,
                                            was_good ? "/spec/analysis/successfulRunHistoryLimit"
                                                     : "/spec/analysis/unsuccessfulRunHistoryLimit",
                                            5);
        const std::int64_t younger = count_younger(ns, gone);
        if (younger < kept)
            broken(fmt::format("run {} was deleted, and only {} are younger", change.place.name,
                               younger));
    }

    std::int64_t count_younger(const std::string& ns, const json::object& gone) {
        return std::ranges::count_if(
            in_.cluster.api().list(analysis::runs, ns), [&](const ObjectPtr& one) {
                const json::object& other = one->object();
                return owner_uid_of(other) == owner_uid_of(gone) && analysis::is_finished(other) &&
                       analysis::is_successful(other) == analysis::is_successful(gone) &&
                       uid_in(other) != uid_in(gone) && !courses_.of_run(ns, other) &&
                       text_at(other, "/status/completedAt") >=
                           text_at(gone, "/status/completedAt");
            });
    }
};

}  // namespace

Observers promises(const Inspection& inspection) {
    Observers all;
    auto courses = std::make_unique<Courses>(inspection);
    add<RestsWhilePaused>(all, "S24", inspection, *courses);
    add<KeepsToItsSteps>(all, "S27", inspection, *courses);
    add<StaysAborted>(all, "S28", inspection, *courses);
    add<EndsItsRuns>(all, "S10", inspection, *courses);
    add<MakesWantedRuns>(all, "S10", inspection, *courses);
    add<OneRunForEachAnalysis>(all, "S29", inspection, *courses);
    add<DeletesItsRuns>(all, "S11", inspection, *courses);
    add<KeepsRuns>(all, "S30", inspection, *courses);
    all.push_back(outside_promise(inspection, *courses));
    all.push_back(std::move(courses));
    return all;
}

}  // namespace sluice::sim::rollout_plugin
