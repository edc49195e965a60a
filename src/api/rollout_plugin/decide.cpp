#include "api/rollout_plugin/decide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "api/rollout_plugin/outside.hpp"
#include "api/rollout_plugin/outside_state.hpp"
#include "api/rollout_plugin/turn.hpp"
#include "engine/gates.hpp"
#include "engine/steering.hpp"
#include "model/annotations.hpp"
#include "model/json_text.hpp"

namespace sluice::api::rollout_plugin {

const model::Resource resource{"argoproj.io", "v1alpha1", "rolloutplugins", "RolloutPlugin"};

namespace {

namespace key = model::key;
using engine::Decision;
using engine::Phase;
using engine::Reason;
using engine::Snapshot;
using model::CustomObject;
using model::StatefulSet;

constexpr engine::Command commands[] = {
    {Reason::StepPaused,
     "sluice promote -n {0} rolloutplugin/{2}, or: kubectl -n {0} patch rolloutplugin {2} "
     "--subresource status --type merge -p '{{\"status\":{{\"pauseConditions\":null}}}}'"},
    {Reason::Paused,
     "sluice resume -n {0} rolloutplugin/{2}, or: kubectl -n {0} patch rolloutplugin {2} --type "
     "merge -p '{{\"spec\":{{\"paused\":false}}}}' and kubectl -n {0} annotate statefulset/{1} "
     "rolloutplugin/{2} sluice.dev/paused-"},
    {Reason::AnalysisRunning,
     "the measurements; to see them: kubectl -n {0} get analysisruns; to skip them: sluice promote "
     "--full -n {0} rolloutplugin/{2}"},
    {Reason::AnalysisRunInconclusive,
     "sluice promote -n {0} rolloutplugin/{2}, or: sluice abort -n {0} rolloutplugin/{2}"},
    {Reason::RolledBack,
     "change the template, or: sluice retry -n {0} rolloutplugin/{2}, or: kubectl -n {0} patch "
     "rolloutplugin {2} --subresource status --type merge -p "
     "'{{\"status\":{{\"restart\":true}}}}'"},
    {Reason::ProgressDeadlineExceeded,
     "repair the pods, and it goes on by itself; to take them back: sluice abort -n {0} "
     "rolloutplugin/{2}"},
    {Reason::InvalidSpec, "kubectl -n {0} edit rolloutplugin {2}"},
    {Reason::TargetMissing,
     "kubectl -n {0} get statefulsets; kubectl -n {0} edit rolloutplugin {2}"},
};

Decision steer_by(const Snapshot& seen, const CustomObject& object, Instant now);
Decision part_from(const Snapshot& seen, const CustomObject& object, Instant now);
void inform(Decision& decision, const CustomObject& object, const Snapshot& seen, Decision own,
            Instant now);

// Every restart that people ask for is another word to the engine, and each is said until the
// status has counted it.
std::string retry_word(const CustomObject& object, const Status& reported, const Orders& orders) {
    const int count = reported.restart.count + (orders.restarts ? 1 : 0);
    const std::string& annotated = annotation_of(object, key::retry);
    return count > 0 ? fmt::format("{}#{}", annotated, count) : annotated;
}

engine::Course course_of(const CustomObject& object, const Spec* spec, const Status& reported,
                         const Orders& orders) {
    engine::Course course;
    course.claim = claim_of(claims, object);
    course.commands = commands;
    course.reports_on_workload = false;
    course.retry = retry_word(object, reported, orders);
    course.paused_by = paused_by(object, spec);
    if (orders.aborts) course.abort = "The rollout was aborted.";
    if (reported.abort.aborted && !orders.restarts)
        course.quarantine = {reported.abort.revision, true};
    course.allowed = Reason::StepTaken;
    course.returns_freely = true;
    course.name = object.meta.key.name;
    if (!spec) return course;
    course.list = digest_of(spec->steps);
    if (orders.restarts) course.first_place = spec->restart_at.value_or(0);
    return course;
}

engine::Plan refusing(const FieldErrors& errors, PodCount replicas) {
    const engine::Refused refused{Reason::InvalidSpec, to_text(errors)};
    return {.steps = {{replicas, {refused}, {refused}}}};
}

// The plugin for StatefulSets. `read` is errors where there is none that could be served.
Decision steer_set(const Snapshot& seen, const CustomObject& object,
                   const std::expected<Spec, FieldErrors>& read, Instant now) {
    const StatefulSet& set = seen.workload;
    const Spec* spec = read ? &*read : nullptr;
    const Status reported = read_status(object);
    const WorkloadState workload_state = workload_state_of(seen, now);
    const Orders orders = orders_of(reported, spec, workload_state.memory, object.meta.generation);
    if (spec && ends_pause(orders, *spec)) return unpause(object);
    engine::Course course = course_of(object, spec, reported, orders);
    const bool is_held =
        !course.paused_by.empty() || engine::is_paused(annotation(set, key::paused));
    const Position at =
        spec ? position_of(*spec, reported, workload_state, is_held, now) : Position{};
    const Runs runs =
        workload_state.memory ? runs_of(seen, object, *workload_state.memory, at.list) : Runs{};
    course.compile = [&] {
        if (!spec) return refusing(read.error(), set.replicas);
        Circumstances here = circumstances(reported, at, orders, runs);
        here.replicas = set.replicas;
        here.allow_unready = annotation(set, key::allow_unready) == "true" ||
                             annotation_of(object, key::allow_unready) == "true";
        return compile(*spec, here);
    };
    const bool is_ours = annotation(set, key::claim) == course.claim;
    Decision decision = spec || is_ours ? engine::steer(seen, course, now) : Decision{};
    if (!spec && decision.actions.empty())
        decision = reporting(claims, seen, object, Phase::Blocked, Reason::InvalidSpec,
                             to_text(read.error()));
    // Who takes a set that nobody holds looks first: the RolloutPlugin may be gone meanwhile.
    if (patches_workload(decision) && annotation(set, key::claim).empty())
        decision.needs_live = true;
    if (lowers_partition(decision)) look_at_background(decision, seen, runs);
    if (spec && !orders.promotes_fully) check_analyses(decision, object, *spec, seen, now);
    engine::keep_quiet_for_a_moment(decision, seen, now);
    conclude(decision,
             {object, reported, spec, workload_state, seen.environment.guarantee, decision, at,
              orders, runs},
             seen, now);
    return decision;
}

// Idle: there is nothing to let go.
Decision leave_to_outside(const Snapshot& seen, const CustomObject& object, Instant now) {
    Decision decision;
    engine::Course course;
    course.claim = claim_of(claims, object);
    if (annotation(seen.workload, key::claim) != course.claim) return decision;
    decision = engine::release(seen, course, "The RolloutPlugin names another plugin", now);
    decision.subject = subject_of(object);
    return decision;
}

Decision steer_by(const Snapshot& seen, const CustomObject& object, Instant now) {
    auto spec = read_spec(object);
    std::optional<PluginAddress> plugin;
    if (spec) {
        auto found = plugin_of(*spec, seen);
        if (found)
            plugin = std::move(*found);
        else
            spec = std::unexpected{std::move(found.error())};
    }
    if (plugin) {
        // It was steered by the built-in plugin before: what that held is let go first.
        Decision parting = leave_to_outside(seen, object, now);
        if (parting.report.reason != Reason::Idle) return parting;
        return steer_outside(seen, object, *spec, *plugin, now);
    }
    if (!spec && is_outside(seen, object)) return refuse_outside(seen, object, spec.error(), now);
    return steer_set(seen, object, spec, now);
}

// It has no finalizer, as in the original: once it is gone the set is let go as it stands.
Decision part_from(const Snapshot&, const CustomObject& object, Instant) {
    Decision decision;
    decision.subject = subject_of(object);
    return decision;
}

void inform(Decision& decision, const CustomObject& object, const Snapshot& seen, Decision own,
            Instant now) {
    if (object.meta.deleting) return;
    if (is_outside(seen, object)) {
        keep_and_say(own, object, seen, now);
    } else {
        const Status old = read_status(object);
        const WorkloadState workload_state = workload_state_of(seen, now);
        add_status(
            own,
            {object, old, nullptr, workload_state, seen.environment.guarantee, own, {}, {}, Runs{}},
            now);
    }
    for (engine::Action& action : own.actions)
        decision.actions.push_back(std::move(action));
}

// Who is in the middle of a rollout, or else the oldest.
const CustomObject* outside_steersman(const Snapshot& seen) {
    const CustomObject* oldest = nullptr;
    for (const CustomObject& object : seen.objects) {
        if (object.meta.deleting) continue;
        const Status reported = read_status(object);
        if (reported.in_progress && tells_of_outside(reported, object)) return &object;
        if (!oldest) oldest = &object;
    }
    return oldest;
}

}  // namespace

constinit const Claims claims{"rolloutplugin/", "RolloutPlugin", "",    commands,
                              steer_by,         part_from,       inform};

model::Ref target_of(const CustomObject& object) {
    const std::string& ns = object.meta.key.ns;
    boost::system::error_code error;
    const boost::json::value spec = boost::json::parse(object.spec, error);
    if (error) return {&model::statefulsets, ns, {}};
    const std::string_view workload = model::text_at(spec, "/workloadRef/name");
    const std::string_view version = model::text_at(spec, "/workloadRef/apiVersion");
    const std::string_view kind = model::text_at(spec, "/workloadRef/kind");
    const std::string_view plugin = model::text_at(spec, "/plugin/name");
    const bool is_set = is_stateful_set(version, kind) || is_built_in(plugin);
    if (is_set || workload.empty()) return {&model::statefulsets, ns, std::string{workload}};
    return {&outside_workloads, ns, fmt::format("{}/{}/{}/{}", plugin, version, kind, workload)};
}

bool concerns(const StatefulSet& set, const std::vector<CustomObject>& objects) {
    return api::concerns(claims, set, objects);
}

void prepare(Snapshot&) {}

Decision decide(const Snapshot& seen, Instant now) {
    if (seen.subject.resource != &outside_workloads) return api::decide(claims, seen, now);
    const CustomObject* holder = outside_steersman(seen);
    if (!holder) return {};
    Decision decision = steer_by(seen, *holder, now);
    const std::string message =
        fmt::format("rolloutplugin/{} steers this workload.", holder->meta.key.name);
    for (const CustomObject& object : seen.objects)
        if (&object != holder)
            inform(decision, object, seen,
                   reporting(claims, seen, object, Phase::Blocked, Reason::ClaimedByOther, message),
                   now);
    return decision;
}

}  // namespace sluice::api::rollout_plugin
