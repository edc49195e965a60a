// Where things live on the API server. Everything that came from outside is percent-encoded.
#pragma once

#include <string>
#include <string_view>

#include "model/object.hpp"
#include "runtime/watch_session.hpp"

namespace sluice::kube {

// How that which is watched is called in a path: "statefulsets".
std::string_view plural_of(const runtime::WatchScope& scope);

// The collection of a scope, without a query.
std::string collection_path(const runtime::WatchScope& scope);
std::string list_path(const runtime::WatchScope& scope, const runtime::ListRequest& request);
std::string watch_path(const runtime::WatchScope& scope, const runtime::WatchRequest& request);

std::string statefulset_path(const model::ObjectKey& key);
std::string pod_path(const model::ObjectKey& key);
std::string secret_path(const model::ObjectKey& key);
// Of an object of the cluster the namespace does not count. An empty name: all of them.
std::string object_path(const model::Resource& resource, const model::ObjectKey& key);
std::string pods_path(const std::string& ns, std::string_view selector, std::string_view next);
std::string lease_path(const std::string& ns, std::string_view name);
// An empty name: all of the namespace.
std::string job_path(const std::string& ns, std::string_view name);
std::string events_path(const std::string& ns);
// What was told about one object, in the older form of events, which carries all of them.
std::string events_about_path(const std::string& ns, std::string_view uid);
std::string policy_path(std::string_view resource, std::string_view name);

// "pods", "statefulsets", ...: the plural as it stands in one of these paths, for metrics; "other"
// for any other path. As many values as there are resources that Sluice serves and uses.
std::string resource_of(std::string_view path);

}  // namespace sluice::kube
