#include "controller/sessions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace sluice::controller {
namespace {

// Pods of StatefulSets carry this label; other pods are not worth their bytes.
constexpr const char* stateful_pods = "statefulset.kubernetes.io/pod-name";

std::vector<const model::Resource*> resources_of(const Settings& settings,
                                                 std::span<const api::Api> apis) {
    std::vector<const model::Resource*> resources;
    for (const api::Api& api : apis)
        if (api.resource() && is_served(settings, api)) resources.push_back(api.resource());
    return resources;
}

}  // namespace

bool is_served(const Settings& settings, const api::Api& api) {
    return settings.apis.empty() ||
           std::ranges::find(settings.apis, api.name) != settings.apis.end();
}

std::string selector_of(const api::Api& api) {
    return fmt::format("metadata.name={}", api.declared.config_map);
}

std::vector<runtime::WatchSession> make_sessions(const Settings& settings,
                                                 std::span<const api::Api> apis) {
    std::set<std::string> namespaces{settings.namespaces.begin(), settings.namespaces.end()};
    if (namespaces.empty()) namespaces.emplace();
    std::vector<runtime::WatchSession> sessions;
    for (const std::string& ns : namespaces) {
        const std::uint64_t seed = settings.seed + sessions.size();
        sessions.emplace_back(runtime::WatchScope{&model::statefulsets, ns}, seed);
        sessions.emplace_back(runtime::WatchScope{&model::pods, ns, stateful_pods}, seed + 1);
        for (const model::Resource* resource : resources_of(settings, apis))
            sessions.emplace_back(runtime::WatchScope{resource, ns},
                                  settings.seed + sessions.size());
    }
    for (const api::Api& api : apis)
        if (is_served(settings, api) && !api.declared.config_map.empty())
            sessions.emplace_back(
                runtime::WatchScope{
                    &model::config_maps, settings.config_namespace, {}, selector_of(api)},
                settings.seed + sessions.size());
    return sessions;
}

bool covers(const runtime::WatchScope& scope, const std::string& ns) {
    return scope.is_of(model::config_maps) || scope.ns.empty() || scope.ns == ns;
}

bool needs(const api::Api& api, const runtime::WatchScope& scope) {
    if (scope.is_of(model::config_maps))
        return !api.declared.config_map.empty() && scope.field_selector == selector_of(api);
    if (scope.is_custom())
        return std::ranges::find(api.watches, scope.resource, &api::Watch::resource) !=
               api.watches.end();
    return api.steers_workloads();
}

}  // namespace sluice::controller
