#include "wire/paths.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/percent.hpp"

namespace sluice::wire {
namespace {

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

std::string selectors(const runtime::WatchScope& scope) {
    std::string query;
    if (!scope.selector.labels.empty())
        query += "&labelSelector=" + percent_encoded(scope.selector.labels);
    if (!scope.selector.name.empty())
        query += "&fieldSelector=" +
                 percent_encoded(fmt::format("metadata.name={}", scope.selector.name));
    return query;
}

}  // namespace

std::string collection_path(const model::Resource& resource, const std::string& ns) {
    std::string path =
        fmt::format("/{}/{}", resource.group.empty() ? "api" : "apis", api_version(resource));
    if (!ns.empty() && !resource.is_cluster_scoped) path += "/namespaces/" + percent_encoded(ns);
    return fmt::format("{}/{}", path, resource.plural);
}

std::string object_path(const model::Ref& object) {
    std::string path = collection_path(*object.resource, object.ns);
    if (!object.name.empty()) path += "/" + percent_encoded(object.name);
    return path;
}

std::string status_path(const model::Ref& object) {
    return object_path(object) + "/status";
}

std::string_view listed_as(const model::Resource& resource) {
    return resource.form == model::Form::Content
               ? "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
               : "application/json";
}

std::string_view watched_as(const model::Resource& resource) {
    return resource.form == model::Form::Content
               ? "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
               : "application/json";
}

std::string list_path(const runtime::WatchScope& scope, const runtime::ListRequest& request) {
    std::string path =
        fmt::format("{}?limit={}", collection_path(*scope.resource, scope.ns), request.limit);
    if (!request.next.empty()) path += "&continue=" + percent_encoded(request.next);
    return path + selectors(scope);
}

std::string watch_path(const runtime::WatchScope& scope, const runtime::WatchRequest& request) {
    std::string path =
        fmt::format("{}?watch=1&allowWatchBookmarks=true&timeoutSeconds={}",
                    collection_path(*scope.resource, scope.ns), request.timeout / 1s);
    if (request.initial_events) path += "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
    if (!request.resource_version.empty())
        path += "&resourceVersion=" + percent_encoded(request.resource_version);
    return path + selectors(scope);
}

std::string pods_path(const std::string& ns, std::string_view selector, std::string_view next) {
    std::string path = collection_path(model::pods, ns) + "?limit=500&labelSelector=";
    path += percent_encoded(selector);
    if (!next.empty()) path += "&continue=" + percent_encoded(next);
    return path;
}

std::string log_path(const model::Ref& pod, std::string_view container, std::size_t bytes_max) {
    return fmt::format("{}/log?container={}&limitBytes={}", object_path(pod),
                       percent_encoded(container), bytes_max);
}

std::string events_about_path(const std::string& ns, std::string_view uid) {
    static constexpr model::Resource core_events{"", "v1", "events", "Event"};
    return collection_path(core_events, ns) +
           "?limit=500&fieldSelector=" + percent_encoded(fmt::format("involvedObject.uid={}", uid));
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

}  // namespace sluice::wire
