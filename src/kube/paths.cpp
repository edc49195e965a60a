#include "kube/paths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/percent.hpp"

namespace sluice::kube {
namespace {

struct Resource {
    std::string_view group_path;
    std::string_view plural;
};
constexpr std::array resources{Resource{"/apis/apps/v1", "statefulsets"},
                               Resource{"/api/v1", "pods"},
                               Resource{"/api/v1", "configmaps"}};  // in the order of model::Kind

constexpr std::array<std::string_view, 8> known_plurals{"statefulsets",
                                                        "pods",
                                                        "configmaps",
                                                        "secrets",
                                                        "leases",
                                                        "events",
                                                        "mutatingadmissionpolicies",
                                                        "mutatingadmissionpolicybindings"};

std::string namespaced(std::string_view group_path, const std::string& ns, std::string_view rest) {
    if (ns.empty()) return fmt::format("{}/{}", group_path, rest);
    return fmt::format("{}/namespaces/{}/{}", group_path, percent_encoded(ns), rest);
}

std::string selectors(const runtime::WatchScope& scope) {
    std::string query;
    if (!scope.label_selector.empty())
        query += "&labelSelector=" + percent_encoded(scope.label_selector);
    if (!scope.field_selector.empty())
        query += "&fieldSelector=" + percent_encoded(scope.field_selector);
    return query;
}

}  // namespace

std::string_view plural_of(model::Kind kind) {
    return resources[static_cast<std::size_t>(kind)].plural;
}

std::string collection_path(const runtime::WatchScope& scope) {
    const Resource& resource = resources[static_cast<std::size_t>(scope.kind)];
    return namespaced(resource.group_path, scope.ns, resource.plural);
}

std::string list_path(const runtime::WatchScope& scope, const runtime::ListRequest& request) {
    std::string path = fmt::format("{}?limit={}", collection_path(scope), request.limit);
    if (!request.next.empty()) path += "&continue=" + percent_encoded(request.next);
    return path + selectors(scope);
}

std::string watch_path(const runtime::WatchScope& scope, const runtime::WatchRequest& request) {
    std::string path = fmt::format("{}?watch=1&allowWatchBookmarks=true&timeoutSeconds={}",
                                   collection_path(scope), request.timeout / 1s);
    if (request.initial_events) path += "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
    if (!request.resource_version.empty())
        path += "&resourceVersion=" + percent_encoded(request.resource_version);
    return path + selectors(scope);
}

std::string statefulset_path(const model::ObjectKey& key) {
    return namespaced("/apis/apps/v1", key.ns, "statefulsets/" + percent_encoded(key.name));
}

std::string pod_path(const model::ObjectKey& key) {
    return namespaced("/api/v1", key.ns, "pods/" + percent_encoded(key.name));
}

std::string secret_path(const model::ObjectKey& key) {
    return namespaced("/api/v1", key.ns, "secrets/" + percent_encoded(key.name));
}

std::string pods_path(const std::string& ns, std::string_view selector, std::string_view next) {
    std::string path = namespaced("/api/v1", ns, "pods?limit=500&labelSelector=");
    path += percent_encoded(selector);
    if (!next.empty()) path += "&continue=" + percent_encoded(next);
    return path;
}

std::string lease_path(const std::string& ns, std::string_view name) {
    std::string rest = "leases";
    if (!name.empty()) rest += "/" + percent_encoded(name);
    return namespaced("/apis/coordination.k8s.io/v1", ns, rest);
}

std::string events_path(const std::string& ns) {
    return namespaced("/apis/events.k8s.io/v1", ns, "events");
}

std::string policy_path(std::string_view resource, std::string_view name) {
    return fmt::format("/apis/admissionregistration.k8s.io/v1/{}/{}", resource,
                       percent_encoded(name));
}

std::string resource_of(std::string_view path) {
    path = path.substr(0, path.find('?'));
    while (!path.empty()) {
        const std::size_t slash = path.find('/');
        const std::string_view part = path.substr(0, slash);
        if (std::ranges::count(known_plurals, part) > 0) return std::string{part};
        path = slash == std::string_view::npos ? std::string_view{} : path.substr(slash + 1);
    }
    return "other";
}

}  // namespace sluice::kube
