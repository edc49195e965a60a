// Quantities as Kubernetes writes them: 500Mi, 1.5Gi, 2e9.
#pragma once

#include <optional>
#include <string_view>

namespace sluice {

// Nothing: it is none. As precise as comparing two sizes needs.
std::optional<double> quantity(std::string_view text);

}  // namespace sluice
