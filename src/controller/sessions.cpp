#include "controller/sessions.hpp"

#include <algorithm>
#include <set>

namespace sluice::controller {
namespace {

// What several watch is there once.
std::vector<api::Watch> distinct(const std::vector<runtime::Watches>& all) {
    std::vector<api::Watch> watches;
    for (const runtime::Watches& some : all)
        for (const api::Watch& one : some)
            if (std::ranges::none_of(watches, [&](const api::Watch& other) {
                    return one.is_of(other.resource, other.selector);
                }))
                watches.push_back(one);
    return watches;
}

}  // namespace

std::vector<runtime::Watches> watches_of(const Settings& settings, std::span<const api::Api> apis) {
    std::vector<runtime::Watches> all;
    for (const api::Api& api : apis)
        if (api::is_served(api, apis, settings.apis)) all.push_back(api.watches);
    return all;
}

std::vector<runtime::WatchSession> make_sessions(const Settings& settings,
                                                 std::span<const api::Api> apis) {
    std::set<std::string> namespaces{settings.namespaces.begin(), settings.namespaces.end()};
    if (namespaces.empty()) namespaces.emplace();
    const std::vector<api::Watch> watches = distinct(watches_of(settings, apis));
    std::vector<runtime::WatchSession> sessions;
    const auto add = [&](const std::string& ns, bool is_of_operator) {
        for (const api::Watch& one : watches) {
            runtime::WatchScope scope{one.resource, ns, one.selector};
            if (scope.is_of_operator() != is_of_operator || is_of_named(scope)) continue;
            sessions.emplace_back(std::move(scope), settings.seed + sessions.size());
            if (std::holds_alternative<model::Neighbours>(one.concerns)) sessions.back().sleep();
        }
    };
    for (const std::string& ns : namespaces)
        add(ns, false);
    add(settings.config_namespace, true);
    return sessions;
}

const api::Watch* settings_watch(const api::Api& api) {
    for (const api::Watch& watch : api.watches)
        if (!watch.selector.name.empty()) return &watch;
    return nullptr;
}

bool covers(const runtime::WatchScope& scope, const std::string& ns) {
    return scope.is_of_operator() || scope.ns.empty() || scope.ns == ns;
}

bool watches_named(const Settings& settings, std::span<const api::Api> apis) {
    return std::ranges::any_of(watches_of(settings, apis), [](const runtime::Watches& all) {
        return std::ranges::any_of(all, [](const api::Watch& one) {
            return std::holds_alternative<model::Users>(one.concerns);
        });
    });
}

bool is_of_named(const runtime::WatchScope& scope) {
    return scope.resource->form == model::Form::Content;
}

bool needs(const api::Api& api, const runtime::WatchScope& scope) {
    return !is_of_named(scope) && std::ranges::any_of(api.watches, [&](const api::Watch& watch) {
        return watch.is_of(scope.resource, scope.selector);
    });
}

}  // namespace sluice::controller
