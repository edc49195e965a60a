#include "api/rollout_plugin/decide.hpp"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "api/json_parts.hpp"
#include "api/rollout_plugin/conclude.hpp"
#include "api/rollout_plugin/plugin_state.hpp"
#include "api/rollout_plugin/steer.hpp"
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

// What unblocks a RolloutPlugin, by the reason that it waits for. The first is for StatefulSets
// only.
constexpr engine::Command commands[] = {
    {Reason::Paused,
     "sluice resume -n {0} rolloutplugin/{2}, or: kubectl -n {0} patch rolloutplugin {2} --type "
     "merge -p '{{\"spec\":{{\"paused\":false}}}}' and kubectl -n {0} annotate statefulset/{1} "
     "rolloutplugin/{2} sluice.dev/paused-"},
    {Reason::StepPaused,
     "sluice promote -n {0} rolloutplugin/{2}, or: kubectl -n {0} patch rolloutplugin {2} "
     "--subresource status --type merge -p '{{\"status\":{{\"pauseConditions\":null}}}}'"},
    {Reason::Paused,
     "sluice resume -n {0} rolloutplugin/{2}, or: kubectl -n {0} patch rolloutplugin {2} --type "
     "merge -p '{{\"spec\":{{\"paused\":false}}}}' and kubectl -n {0} annotate rolloutplugin/{2} "
     "sluice.dev/paused-"},
    {Reason::PluginWorking,
     "the plugin; look at its log if this lasts. To take it back: sluice abort -n {0} "
     "rolloutplugin/{2}"},
    {Reason::PluginError,
     "the plugin is asked again by itself; docs/plugins.md says what the message means"},
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

// Idle: there is nothing to let go.
Decision leave_to_outside(const Snapshot& seen, const CustomObject& object, Instant now) {
    Decision decision;
    engine::Course course;
    course.claim = claim_of(claims, object);
    if (annotation(seen.workload, key::claim) != course.claim) return decision;
    decision = engine::release(seen, course, "The RolloutPlugin names another plugin", now);
    decision.subject = subject_of(resource, object);
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
    }
    if (!spec && is_outside(seen, object)) return refuse_outside(seen, object, spec.error(), now);
    return steer(seen, object, spec, plugin ? &*plugin : nullptr, now);
}

// It has no finalizer, as in the original: once it is gone the set is let go as it stands.
Decision part_from(const Snapshot&, const CustomObject& object, Instant) {
    Decision decision;
    decision.subject = subject_of(resource, object);
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
const CustomObject* outside_holder(const Snapshot& seen) {
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
    const boost::json::value spec = model::parse_json(object.spec);
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

Decision decide(const Snapshot& seen, Instant now) {
    if (seen.subject.resource != &outside_workloads) return api::decide(claims, seen, now);
    const CustomObject* holder = outside_holder(seen);
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
