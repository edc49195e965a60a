#include "api/registry.hpp"

#include "api/analysis/decide.hpp"
#include "api/phased_rollout/decide.hpp"
#include "api/pilot/decide.hpp"
#include "api/pilot/spec.hpp"
#include "api/rollout_plugin/decide.hpp"
#include "api/rollout_plugin/declarations.hpp"

namespace sluice::api {
namespace {

constexpr Watch phased_rollouts[] = {{&phased_rollout::resource, phased_rollout::target_of}};
constexpr Watch rollout_plugins[] = {{&rollout_plugin::resource, rollout_plugin::target_of},
                                     {&analysis::resource}};
constexpr Watch analysis_runs[] = {{&analysis::resource, analysis::target_of, analysis::trim}};

const Api table[] = {
    {"phasedrollout", phased_rollouts, phased_rollout::concerns, phased_rollout::prepare,
     phased_rollout::decide},
    {"rolloutplugin",
     rollout_plugins,
     rollout_plugin::concerns,
     rollout_plugin::prepare,
     rollout_plugin::decide,
     {"argo-rollouts-config", rollout_plugin::read_settings}},
    {"analysisrun", analysis_runs, nullptr, analysis::prepare, analysis::decide},
    {"pilot",
     {},
     pilot::concerns,
     pilot::prepare,
     pilot::decide,
     {"sluice-hooks", pilot::read_settings}},
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
