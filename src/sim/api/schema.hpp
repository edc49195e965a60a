// The structural schema of a custom resource: what is not in it is dropped, what has a default gets
// it, and what breaks it is refused with the field's path, all as the API server does it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/pattern.hpp"
#include "sim/api/json.hpp"

namespace sluice::sim {

using Patterns = std::map<std::string, Pattern, std::less<>>;

// What a definition says about one version. Its patterns are compiled once, since every write to an
// object asks them again; one that cannot be read is not among them and asks for nothing.
struct Schema {
    explicit Schema(json::object openapi);
    json::object document;
    Patterns patterns = {};
};

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
std::vector<FieldProblem> problems(const Schema& schema, const json::object& object);

}  // namespace sluice::sim
