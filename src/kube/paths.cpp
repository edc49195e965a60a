#include "kube/paths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/assert.hpp"
#include "base/percent.hpp"

namespace sluice::kube {
namespace {

struct Resource {
    std::string group_path;
    std::string_view plural;
};

std::string group_path(const model::Resource& resource) {
    return fmt::format("/apis/{}/{}", resource.group, resource.version);
}

Resource resource_in(const runtime::WatchScope& scope) {
    switch (scope.kind) {
        case model::Kind::StatefulSet: return {"/apis/apps/v1", "statefulsets"};
        case model::Kind::Pod: return {"/api/v1", "pods"};
        case model::Kind::ConfigMap: return {"/api/v1", "configmaps"};
        case model::Kind::Custom: break;
    }
    SLUICE_ASSERT(scope.resource != nullptr);
    return {group_path(*scope.resource), scope.resource->plural};
}

// Takes the first part of a path off.
std::string_view take_part(std::string_view& path) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    return part;
}

bool is_plural(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= 'a' && c <= 'z'; });
}

std::string namespaced(std::string_view group_path, const std::string& ns, std::string_view rest) {
    if (ns.empty()) return fmt::format("{}/{}", group_path, rest);
    return fmt::format("{}/namespaces/{}/{}", group_path, percent_encoded(ns), rest);
}

std::string one_or_all(std::string plural, std::string_view name) {
    if (!name.empty()) plural += "/" + percent_encoded(name);
    return plural;
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

std::string_view plural_of(const runtime::WatchScope& scope) {
    return resource_in(scope).plural;
}

std::string collection_path(const runtime::WatchScope& scope) {
    const Resource resource = resource_in(scope);
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

std::string object_path(const model::Resource& resource, const model::ObjectKey& key) {
    return namespaced(group_path(resource), resource.is_cluster_scoped ? std::string{} : key.ns,
                      one_or_all(std::string{resource.plural}, key.name));
}

std::string pods_path(const std::string& ns, std::string_view selector, std::string_view next) {
    std::string path = namespaced("/api/v1", ns, "pods?limit=500&labelSelector=");
    path += percent_encoded(selector);
    if (!next.empty()) path += "&continue=" + percent_encoded(next);
    return path;
}

std::string lease_path(const std::string& ns, std::string_view name) {
    return namespaced("/apis/coordination.k8s.io/v1", ns, one_or_all("leases", name));
}

std::string job_path(const std::string& ns, std::string_view name) {
    return namespaced("/apis/batch/v1", ns, one_or_all("jobs", name));
}

std::string events_path(const std::string& ns) {
    return namespaced("/apis/events.k8s.io/v1", ns, "events");
}

std::string events_about_path(const std::string& ns, std::string_view uid) {
    return namespaced("/api/v1", ns, "events?limit=500&fieldSelector=") +
           percent_encoded(fmt::format("involvedObject.uid={}", uid));
}

std::string policy_path(std::string_view resource, std::string_view name) {
    return fmt::format("/apis/admissionregistration.k8s.io/v1/{}/{}", resource,
                       percent_encoded(name));
}

std::string resource_of(std::string_view path) {
    path = path.substr(0, path.find('?'));
    if (!path.starts_with('/')) return "other";
    path.remove_prefix(1);
    const std::string_view root = take_part(path);
    if (root != "api" && root != "apis") return "other";
    if (root == "apis") take_part(path);  // the group
    take_part(path);                      // the version
    if (path.starts_with("namespaces/")) {
        take_part(path);
        take_part(path);
    }
    const std::string_view plural = take_part(path);
    return is_plural(plural) ? std::string{plural} : "other";
}

}  // namespace sluice::kube
