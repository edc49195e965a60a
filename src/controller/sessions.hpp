// Which lists and watches a controller has, and who needs them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "controller/controller.hpp"

namespace sluice::controller {

// What those watch that are served.
std::vector<runtime::Watches> watches_of(const Settings& settings, std::span<const api::Api> apis);
// One session for each namespace and whatever is watched there, but for what is named; then what is
// watched in the operator's own.
std::vector<runtime::WatchSession> make_sessions(const Settings& settings,
                                                 std::span<const api::Api> apis);
// Of what is named, at most so many are begun. Each namespace takes one of ConfigMaps and one of
// Secrets, and more would be more than a server likes to have from one client.
inline constexpr std::size_t named_sessions_max = 512;
// Whether there can be any.
bool watches_named(const Settings& settings, std::span<const api::Api> apis);
// Where the settings of the API are; null: it has none.
const api::Watch* settings_watch(const api::Api& api);

// Whether what is seen there says something about the namespace.
bool covers(const runtime::WatchScope& scope, const std::string& ns);
// Only where somebody names something of it; nobody else waits for it.
bool is_of_named(const runtime::WatchScope& scope);
// Whether the API can do nothing where this has not been seen.
bool needs(const api::Api& api, const runtime::WatchScope& scope);

}  // namespace sluice::controller
