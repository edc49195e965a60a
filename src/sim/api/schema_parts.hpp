// The parts of a structural schema. What is missing or of another type reads as not there.
#pragma once

#include <string>
#include <string_view>

#include "sim/api/json.hpp"

namespace sluice::sim {

// Walks over schemas stop here: a schema deeper than this is nobody's.
inline constexpr int schema_depth_max = 100;

const json::object* part_of(const json::object& schema, std::string_view key);
// Of a named property; else what additionalProperties says; else nothing.
const json::object* schema_of_member(const json::object& schema, std::string_view key);
const json::object* property_of(const json::object& schema, std::string_view key);
const json::array& list_in(const json::object& schema, std::string_view key);
bool says(const json::object& schema, std::string_view key);
// additionalProperties is there, as a schema or as true.
bool takes_any_member(const json::object& schema);

// A field of every object: "apiVersion", "kind", "metadata".
bool is_meta_field(std::string_view key);

// "spec.check", from "spec" and "check".
std::string child_path(const std::string& path, std::string_view key);

}  // namespace sluice::sim
