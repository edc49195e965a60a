// The simple JSON paths of additionalPrinterColumns: ".spec.replicas", ".metadata.labels['a.b']",
// ".status.conditions[?(@.type==\"Ready\")].status", ".spec.ports[0]".
#pragma once

#include <string_view>

#include "sim/api/json.hpp"

namespace sluice::sim {

// The first value the path finds; nothing if there is none or the path is none of the above.
const json::value* at_path(const json::object& in, std::string_view path);

}  // namespace sluice::sim
