// What a schema asks of one value, whatever is in it, and the API server's words for a value that
// does not comply.
#pragma once

#include <string>
#include <vector>

#include "sim/api/schema.hpp"

namespace sluice::sim {

// "Invalid value: 0: spec.x in body should be greater than or equal to 1", and where.
FieldProblem invalid(const std::string& path, const json::value& value, const std::string& detail);
FieldProblem required(const std::string& path, const std::string& detail = {});
FieldProblem duplicate(const std::string& path, const json::value& value);
// A complaint that the API server cannot pin to a field.
FieldProblem anywhere(const std::string& detail);

// type and nullable. At most one problem.
std::vector<FieldProblem> type_problems(const json::object& schema, const json::value& value,
                                        const std::string& path);
// Lengths, pattern, format, bounds of numbers, enum, and how many items and properties.
std::vector<FieldProblem> value_problems(const json::object& schema, const Patterns& patterns,
                                         const json::value& value, const std::string& path);

// The formats of strings that a schema can ask for. A format that is not known asks for nothing.
bool has_format(std::string_view text, std::string_view format);

}  // namespace sluice::sim
