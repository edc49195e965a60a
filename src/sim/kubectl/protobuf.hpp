// Bodies in Kubernetes' protobuf, which newer kubectls send where they know the type themselves
// (`kubectl create configmap`, `create namespace`, `create job`). Reads the kinds that such
// commands make; answers are always JSON, which all clients take.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "sim/api/json.hpp"

namespace sluice::sim {

inline const std::string protobuf_type = "application/vnd.kubernetes.protobuf";

// The object as JSON would have it; otherwise a sentence about what cannot be read. Never drops a
// field that is set.
std::expected<json::object, std::string> from_protobuf(std::string_view body);

}  // namespace sluice::sim
