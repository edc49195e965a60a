// An event as the API server wants it (events.k8s.io/v1), for whoever carries the effect out.
#pragma once

#include <string>

#include "controller/effect.hpp"

namespace sluice::controller {

// `instance` says which process speaks.
std::string event_body(const PostEvent& event, const std::string& instance);

}  // namespace sluice::controller
