// Which lists and watches a controller has, and who needs them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "controller/controller.hpp"

namespace sluice::controller {

bool is_served(const Settings& settings, const api::Api& api);
// Of the one ConfigMap that is declared for the API.
std::string selector_of(const api::Api& api);
std::vector<runtime::WatchSession> make_sessions(const Settings& settings,
                                                 std::span<const api::Api> apis);

// Whether what is seen there says something about the namespace.
bool covers(const runtime::WatchScope& scope, const std::string& ns);
// Whether the API can do nothing where this has not been seen.
bool needs(const api::Api& api, const runtime::WatchScope& scope);

}  // namespace sluice::controller
