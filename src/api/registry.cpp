#include "api/registry.hpp"

#include <algorithm>

#include "api/analysis/decide.hpp"
#include "api/phased_rollout/decide.hpp"
#include "api/pilot/decide.hpp"
#include "api/pilot/spec.hpp"
#include "api/rollout_plugin/decide.hpp"
#include "api/rollout_plugin/declarations.hpp"

namespace sluice::api {
namespace {

const Api table[] = {
    {"phasedrollout", &phased_rollout::resource, nullptr, phased_rollout::target_of,
     phased_rollout::concerns, phased_rollout::prepare, phased_rollout::decide},
    {"rolloutplugin",
     &rollout_plugin::resource,
     &analysis::resource,
     rollout_plugin::target_of,
     rollout_plugin::concerns,
     rollout_plugin::prepare,
     rollout_plugin::decide,
     {"argo-rollouts-config", rollout_plugin::read_settings}},
    {"analysisrun",
     &analysis::resource,
     nullptr,
     analysis::target_of,
     nullptr,
     analysis::prepare,
     analysis::decide,
     {},
     analysis::trim},
    {"pilot",
     nullptr,
     nullptr,
     nullptr,
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

bool steers_workloads(const Api& api) {
    return std::ranges::none_of(
        table, [&](const Api& other) { return other.support && other.support == api.resource; });
}

}  // namespace sluice::api
