// The fields of built-in kinds that `kubectl explain` shows. Not a complete schema: objects accept
// fields that are not named here.
#pragma once

#include <string_view>

#include "sim/api/json.hpp"

namespace sluice::sim {

// Without apiVersion, kind and metadata, which every kind has.
json::object built_in_schema(std::string_view kind, bool has_status);
json::object object_meta_schema();

}  // namespace sluice::sim
