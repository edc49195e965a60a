#include "api/registry.hpp"

#include <algorithm>

#include "api/analysis/decide.hpp"
#include "api/analysis/inquire.hpp"
#include "api/extended_job/decide.hpp"
#include "api/extended_job/output.hpp"
#include "api/extended_job/spec.hpp"
#include "api/extended_stateful_set/decide.hpp"
#include "api/extended_stateful_set/owning_references.hpp"
#include "api/extended_stateful_set/services.hpp"
#include "api/extended_stateful_set/spec.hpp"
#include "api/hooks/elasticsearch.hpp"
#include "api/metrics/prometheus.hpp"
#include "api/phased_rollout/decide.hpp"
#include "api/phased_rollout/spec.hpp"
#include "api/pilot/decide.hpp"
#include "api/rollout_plugin/decide.hpp"
#include "api/rollout_plugin/declarations.hpp"
#include "api/rollout_plugin/plugin.hpp"
#include "api/rollout_plugin/run_object.hpp"
#include "api/stateful_cluster/decide.hpp"
#include "api/stateful_cluster/spec.hpp"
#include "base/assert.hpp"

namespace sluice::api {
namespace {

using model::Everybody;
using model::Itself;
using model::Named;
using model::Neighbours;
using model::Owner;
using model::Users;

// What whoever steers workloads looks at. Pods of StatefulSets carry this label; other pods are not
// worth their bytes.
constexpr Watch sets{&model::statefulsets, Itself{}};
constexpr Watch pods_of_sets{
    &model::pods, Owner{&model::statefulsets}, {.labels = "statefulset.kubernetes.io/pod-name"}};

[[maybe_unused]] constexpr Watch settings_in(std::string_view config_map) {
    return {&model::config_maps, Everybody{}, {.name = config_map}};
}

// The kinds of questions. Each has places of its own, so that nobody's peers hold up another's.
constexpr Inquiries metric_checks{.begin = metrics::inquire,
                                  .subject = "metric check",
                                  .bounds = metrics::metric_bounds,
                                  .is_about_metrics = true};
constexpr Inquiries hook_calls{
    .begin = hooks::inquire, .subject = "hook", .bounds = hooks::hook_bounds, .may_act = true};
[[maybe_unused]] constexpr Inquiries metrics_only[] = {metric_checks};
[[maybe_unused]] constexpr Inquiries hooks_only[] = {hook_calls};
[[maybe_unused]] constexpr Inquiries hooks_and_metrics[] = {hook_calls, metric_checks};
constexpr Inquiries plugin_calls[] = {{.begin = rollout_plugin::inquire,
                                       .subject = "plugin",
                                       .bounds = rollout_plugin::plugin_bounds,
                                       .may_act = true}};
constexpr Inquiries measurements[] = {{.begin = analysis::inquire,
                                       .subject = "measurement",
                                       .bounds = metrics::metric_bounds,
                                       .is_about_metrics = true}};

constexpr Watch phased_rollouts[] = {
    sets, pods_of_sets, {&phased_rollout::resource, Named{phased_rollout::target_of}}};
constexpr std::string_view on_phased_sets[] = {phased_rollout::steered_by};

constexpr Watch rollout_plugins[] = {
    sets,
    pods_of_sets,
    {&rollout_plugin::resource, Named{rollout_plugin::target_of}},
    {&analysis::resource, Owner{&rollout_plugin::resource}, {}, analysis::trim},
    settings_in(rollout_plugin::config_map)};
constexpr std::string_view on_runs_of_plugins[] = {rollout_plugin::made_for,
                                                   rollout_plugin::made_for_step};

constexpr Watch analysis_runs[] = {{&analysis::resource, Itself{}, {}, analysis::trim}};
constexpr std::string_view on_runs[] = {analysis::serve_annotation};

constexpr Watch stateful_clusters[] = {{&stateful_cluster::resource, Itself{}},
                                       {.resource = &model::pods,
                                        .concerns = Owner{&stateful_cluster::resource},
                                        .selector = {.labels = stateful_cluster::cluster_label},
                                        .owner_label = stateful_cluster::cluster_label},
                                       settings_in(hooks::config_map)};

constexpr Watch extended_stateful_sets[] = {
    {&extended_stateful_set::resource, Itself{}},
    {&model::statefulsets, Owner{&extended_stateful_set::resource}},
    {.resource = &model::pods,
     .concerns = pods_of_sets.concerns,
     .selector = pods_of_sets.selector,
     .owner_label = extended_stateful_set::owner_label},
    {&analysis::resource, Owner{&extended_stateful_set::resource}, {}, analysis::trim},
    {&model::services,
     Named{extended_stateful_set::followed_by},
     {},
     extended_stateful_set::trim_service},
    {&model::config_map_contents,
     Users{&extended_stateful_set::resource, extended_stateful_set::named_by}},
    {&model::secret_contents,
     Users{&extended_stateful_set::resource, extended_stateful_set::named_by}},
    settings_in(hooks::config_map)};
constexpr std::string_view on_versions[] = {
    extended_stateful_set::version_key,  extended_stateful_set::stale_key,
    extended_stateful_set::template_key, extended_stateful_set::abort_key,
    extended_stateful_set::serves_key,   extended_stateful_set::config_key};

constexpr Watch extended_jobs[] = {
    {&extended_job::resource, Itself{}},
    {&extended_job::neighbour_pods, Neighbours{extended_job::minds_pods}, extended_job::of_no_job,
     extended_job::trim_pod}};
constexpr Inquiries outputs[] = {
    {.begin = extended_job::inquire, .subject = "output", .bounds = extended_job::output_bounds}};

[[maybe_unused]] constexpr Watch sets_and_hooks[] = {sets, pods_of_sets,
                                                     settings_in(hooks::config_map)};
constexpr std::string_view pilot_labels[] = {pilot::label};

const Api table[] = {
    {.name = "phasedrollout",
     .resource = &phased_rollout::resource,
     .watches = phased_rollouts,
     .annotations = on_phased_sets,
     .concerns = phased_rollout::concerns,
     .prepare = phased_rollout::prepare,
     .decide = phased_rollout::decide,
     .asks = metrics_only,
     .dialect = &phased_rollout::dialect,
     .choice = phased_rollout::success_on_choice},
    {.name = "rolloutplugin",
     .needs = "analysisrun",
     .resource = &rollout_plugin::resource,
     .watches = rollout_plugins,
     .annotations = on_runs_of_plugins,
     .concerns = rollout_plugin::concerns,
     .decide = rollout_plugin::decide,
     .declared = {rollout_plugin::read_settings, rollout_plugin::programs_in},
     .asks = plugin_calls,
     .dialect = &rollout_plugin::dialect},
    {.name = "analysisrun",
     .resource = &analysis::resource,
     .watches = analysis_runs,
     .annotations = on_runs,
     .decide = analysis::decide,
     .asks = measurements,
     .dispensable = analysis::dispensable},
    {.name = "statefulcluster",
     .resource = &stateful_cluster::resource,
     .watches = stateful_clusters,
     .annotations = hooks::elasticsearch_annotations,
     .concerns = [](const model::StatefulSet&,
                    const std::vector<model::CustomObject>& objects) { return !objects.empty(); },
     .prepare = stateful_cluster::prepare,
     .decide = stateful_cluster::decide,
     .declared = {hooks::read_settings},
     .asks = hooks_and_metrics,
     .dialect = &stateful_cluster::dialect},
    {.name = "extendedstatefulset",
     .needs = "analysisrun",
     .resource = &extended_stateful_set::resource,
     .watches = extended_stateful_sets,
     .annotations = on_versions,
     .concerns = [](const model::StatefulSet&,
                    const std::vector<model::CustomObject>& objects) { return !objects.empty(); },
     .prepare = extended_stateful_set::prepare,
     .decide = extended_stateful_set::decide,
     .declared = {hooks::read_settings},
     .asks = hooks_and_metrics,
     .dialect = &extended_stateful_set::dialect,
     .choice = extended_stateful_set::references_choice},
    {.name = "extendedjob",
     .resource = &extended_job::resource,
     .watches = extended_jobs,
     .decide = extended_job::decide,
     .asks = outputs,
     .dialect = &extended_job::dialect},
    {.name = "pilot",
     .watches = sets_and_hooks,
     .labels = pilot_labels,
     .annotations = hooks::elasticsearch_annotations,
     .concerns = pilot::concerns,
     .prepare = pilot::prepare,
     .decide = pilot::decide,
     .declared = {hooks::read_settings},
     .asks = hooks_only,
     .dialect = &pilot::dialect},
};

}  // namespace

std::span<const Api> apis() {
    return table;
}

std::vector<std::string> api_names() {
    std::vector<std::string> names;
    for (const Api& api : table)
        names.emplace_back(api.name);
    return names;
}

bool is_served(const Api& api, std::span<const Api> all, const std::vector<std::string>& names) {
    return names.empty() || std::ranges::any_of(all, [&](const Api& one) {
               const bool is_it = one.name == api.name || one.needs == api.name;
               return is_it && std::ranges::find(names, one.name) != names.end();
           });
}

std::span<const Inquiries> inquiries() {
    static const std::vector<Inquiries> all = [] {
        std::vector<Inquiries> found;
        for (const Api& api : table)
            for (const Inquiries& one : api.asks)
                if (std::ranges::find(found, one.begin, &Inquiries::begin) == found.end())
                    found.push_back(one);
        return found;
    }();
    return all;
}

const Api* find_api(std::string_view name) {
    for (const Api& api : table) {
        if (api.name == name) return &api;
    }
    return nullptr;
}

model::Ref Api::subject_of(const model::CustomObject& object) const {
    const auto own = std::ranges::find(watches, resource, &Watch::resource);
    SLUICE_ASSERT(own != watches.end());
    const auto* named = std::get_if<Named>(&own->concerns);
    return named ? named->target_of(object) : ref_to(*resource, object.meta.key);
}

const model::Kept& kept() {
    static const model::Kept all = [] {
        model::Kept::Names labels, annotations;
        for (const Api& api : table) {
            labels.insert(api.labels.begin(), api.labels.end());
            annotations.insert(api.annotations.begin(), api.annotations.end());
        }
        return model::Kept{std::move(labels), std::move(annotations)};
    }();
    return all;
}

}  // namespace sluice::api
