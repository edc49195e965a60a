// What many read in an object: its conditions, whether it is being deleted, and the gate of a
// StatefulSet.
#pragma once

#include "sim/api/json.hpp"

namespace sluice::sim {

// The entry of status.conditions, or null. `status` is the status itself.
const json::object* condition(const json::object& status, std::string_view type);
// That entry is there and says True.
bool holds(const json::object& status, std::string_view type);
inline bool has_condition(const json::object& object, std::string_view type) {
    return holds(object_at(object, "/status"), type);
}

bool is_terminating(const json::object& object);

inline constexpr std::string_view partition_pointer =
    "/spec/updateStrategy/rollingUpdate/partition";
// What the controller acts on: none is zero.
inline std::int64_t partition_of(const json::object& set) {
    return number_at(set, partition_pointer);
}

}  // namespace sluice::sim
