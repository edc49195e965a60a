// Where things live on the API server. Everything that came from outside is percent-encoded.
#pragma once

#include <string>
#include <string_view>

#include "model/ref.hpp"
#include "runtime/watch_session.hpp"

namespace sluice::wire {

// All objects of a resource in a namespace; an empty one: in all. Of a resource of the cluster the
// namespace does not count.
std::string collection_path(const model::Resource& resource, const std::string& ns);
// One of them; without a name: all.
std::string object_path(const model::Ref& object);
std::string status_path(const model::Ref& object);

// In which form objects of a resource are listed and watched: of those whose contents are not kept
// the server sends their names and versions only.
std::string_view listed_as(const model::Resource& resource);
std::string_view watched_as(const model::Resource& resource);
std::string list_path(const runtime::WatchScope& scope, const runtime::ListRequest& request);
std::string watch_path(const runtime::WatchScope& scope, const runtime::WatchRequest& request);

// What a container has printed, cut where it becomes longer.
std::string log_path(const model::Ref& pod, std::string_view container, std::size_t bytes_max);
std::string pods_path(const std::string& ns, std::string_view selector, std::string_view next);
// What was told about one object, in the older form of events, which carries all of them.
std::string events_about_path(const std::string& ns, std::string_view uid);
std::string policy_path(std::string_view resource, std::string_view name);

// "pods", "statefulsets", ...: the plural as it stands in one of these paths, for metrics; "other"
// for any other path. As many values as there are resources that Sluice serves and uses.
std::string resource_of(std::string_view path);

}  // namespace sluice::wire
