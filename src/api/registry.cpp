#include "api/registry.hpp"

#include <algorithm>

#include "api/analysis/decide.hpp"
#include "api/analysis/inquire.hpp"
#include "api/metrics/prometheus.hpp"
#include "api/phased_rollout/decide.hpp"
#include "api/phased_rollout/spec.hpp"
#include "api/pilot/decide.hpp"
#include "api/pilot/hooks/elasticsearch.hpp"
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
using model::Owner;

// What whoever steers workloads looks at. Pods of StatefulSets carry this label; other pods are not
// worth their bytes.
constexpr Watch sets{&model::statefulsets, Itself{}};
constexpr Watch pods_of_sets{
    &model::pods, Owner{&model::statefulsets}, {.labels = "statefulset.kubernetes.io/pod-name"}};

[[maybe_unused]] constexpr Watch settings_in(std::string_view config_map) {
    return {&model::config_maps, Everybody{}, {.name = config_map}};
}

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
                                        .owner_label = stateful_cluster::cluster_label}};

constexpr Watch piloted[] = {sets, pods_of_sets, settings_in(pilot::config_map)};
constexpr std::string_view pilot_labels[] = {pilot::label};

const Api table[] = {
    {.name = "phasedrollout",
     .resource = &phased_rollout::resource,
     .watches = phased_rollouts,
     .annotations = on_phased_sets,
     .concerns = phased_rollout::concerns,
     .prepare = phased_rollout::prepare,
     .decide = phased_rollout::decide,
     .asks = {.begin = metrics::inquire,
              .subject = "metric check",
              .bounds = metrics::metric_bounds,
              .is_about_metrics = true},
     .dialect = &phased_rollout::dialect,
     .choice = phased_rollout::success_on_choice},
    {.name = "rolloutplugin",
     .resource = &rollout_plugin::resource,
     .watches = rollout_plugins,
     .annotations = on_runs_of_plugins,
     .concerns = rollout_plugin::concerns,
     .decide = rollout_plugin::decide,
     .declared = {rollout_plugin::read_settings, rollout_plugin::programs_in},
     .asks = {.begin = rollout_plugin::inquire,
              .subject = "plugin",
              .bounds = rollout_plugin::plugin_bounds,
              .may_act = true},
     .dialect = &rollout_plugin::dialect},
    {.name = "analysisrun",
     .resource = &analysis::resource,
     .watches = analysis_runs,
     .annotations = on_runs,
     .decide = analysis::decide,
     .asks = {.begin = analysis::inquire,
              .subject = "measurement",
              .bounds = metrics::metric_bounds,
              .is_about_metrics = true},
     .dispensable = analysis::dispensable},
    {.name = "statefulcluster",
     .resource = &stateful_cluster::resource,
     .watches = stateful_clusters,
     .concerns = [](const model::StatefulSet&,
                    const std::vector<model::CustomObject>& objects) { return !objects.empty(); },
     .prepare = stateful_cluster::prepare,
     .decide = stateful_cluster::decide,
     .dialect = &stateful_cluster::dialect},
    {.name = "pilot",
     .watches = piloted,
     .labels = pilot_labels,
     .annotations = pilot::elasticsearch_annotations,
     .concerns = pilot::concerns,
     .prepare = pilot::prepare,
     .decide = pilot::decide,
     .declared = {pilot::read_settings},
     .asks = {.begin = pilot::inquire,
              .subject = "hook",
              .bounds = pilot::hook_bounds,
              .may_act = true},
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
