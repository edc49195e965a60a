#include "api/registry.hpp"

#include "api/analysis/decide.hpp"
#include "api/phased_rollout/decide.hpp"
#include "api/phased_rollout/verbs.hpp"
#include "api/pilot/decide.hpp"
#include "api/pilot/spec.hpp"
#include "api/pilot/verbs.hpp"
#include "api/rollout_plugin/decide.hpp"
#include "api/rollout_plugin/declarations.hpp"
#include "api/rollout_plugin/verbs.hpp"

namespace sluice::api {
namespace {

constexpr Watch phased_rollouts[] = {{&phased_rollout::resource, phased_rollout::target_of}};
constexpr Watch rollout_plugins[] = {{&rollout_plugin::resource, rollout_plugin::target_of},
                                     {&analysis::resource}};
constexpr Watch analysis_runs[] = {{&analysis::resource, analysis::target_of, analysis::trim}};

const Api table[] = {
    {.name = "phasedrollout",
     .watches = phased_rollouts,
     .concerns = phased_rollout::concerns,
     .prepare = phased_rollout::prepare,
     .decide = phased_rollout::decide,
     .dialect = &phased_rollout::dialect,
     .choice = phased_rollout::success_on_choice},
    {.name = "rolloutplugin",
     .watches = rollout_plugins,
     .concerns = rollout_plugin::concerns,
     .prepare = rollout_plugin::prepare,
     .decide = rollout_plugin::decide,
     .declared = {"argo-rollouts-config", rollout_plugin::read_settings},
     .dialect = &rollout_plugin::dialect},
    {.name = "analysisrun",
     .watches = analysis_runs,
     .concerns = nullptr,
     .prepare = analysis::prepare,
     .decide = analysis::decide,
     .dispensable = analysis::dispensable},
    {.name = "pilot",
     .watches = {},
     .concerns = pilot::concerns,
     .prepare = pilot::prepare,
     .decide = pilot::decide,
     .declared = {"sluice-hooks", pilot::read_settings},
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

}  // namespace sluice::api
