// The structural schema of a custom resource: what is not in it is dropped, what has a default gets
// it, and what breaks it is refused with the field's path, all as the API server does it.
#pragma once

#include <string>
#include <vector>

#include "sim/api/json.hpp"

namespace sluice::sim {

struct FieldProblem {
    std::string field;   // "spec.check.periodSeconds"
    std::string reason;  // FieldValueInvalid, FieldValueRequired, FieldValueNotSupported, ...
    std::string message;
};

// metadata, apiVersion and kind of the whole object are left alone.
json::object pruned(const json::object& schema, json::object object);
// The paths of what pruning drops, in their order.
std::vector<std::string> unknown_fields(const json::object& schema, const json::object& object);
json::object with_defaults(const json::object& schema, json::object object);
std::vector<FieldProblem> problems(const json::object& schema, const json::object& object);

}  // namespace sluice::sim
