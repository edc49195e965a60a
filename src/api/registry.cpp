#include "api/registry.hpp"

#include "api/analysis/decide.hpp"
#include "api/analysis/inquire.hpp"
#include "api/metrics/prometheus.hpp"
#include "api/phased_rollout/decide.hpp"
#include "api/pilot/decide.hpp"
#include "api/pilot/spec.hpp"
#include "api/rollout_plugin/decide.hpp"
#include "api/rollout_plugin/declarations.hpp"
#include "api/rollout_plugin/plugin_probe.hpp"

namespace sluice::api {
namespace {

constexpr Watch phased_rollouts[] = {{&phased_rollout::resource, phased_rollout::target_of}};
constexpr Watch rollout_plugins[] = {{&rollout_plugin::resource, rollout_plugin::target_of},
                                     {&analysis::resource}};
constexpr Watch analysis_runs[] = {{&analysis::resource, analysis::target_of, analysis::trim}};

const Api table[] = {
    {"phasedrollout",
     phased_rollouts,
     phased_rollout::concerns,
     phased_rollout::prepare,
     phased_rollout::decide,
     {},
     {.begin = metrics::inquire,
      .subject = "metric check",
      .bounds = metrics::metric_bounds,
      .is_about_metrics = true}},
    {"rolloutplugin",
     rollout_plugins,
     rollout_plugin::concerns,
     rollout_plugin::prepare,
     rollout_plugin::decide,
     {"argo-rollouts-config", rollout_plugin::read_settings, rollout_plugin::programs_in},
     {.begin = rollout_plugin::inquire,
      .subject = "plugin",
      .bounds = rollout_plugin::plugin_bounds,
      .may_act = true}},
    {"analysisrun",
     analysis_runs,
     nullptr,
     analysis::prepare,
     analysis::decide,
     {},
     {.begin = analysis::inquire,
      .subject = "measurement",
      .bounds = metrics::metric_bounds,
      .is_about_metrics = true}},
    {"pilot",
     {},
     pilot::concerns,
     pilot::prepare,
     pilot::decide,
     {"sluice-hooks", pilot::read_settings},
     {.begin = pilot::inquire, .subject = "hook", .bounds = pilot::hook_bounds, .may_act = true}},
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

}  // namespace sluice::api
