// Sets of fields, in the form in which managedFields carry them (fieldsV1): {"f:spec":
// {"f:replicas": {}}}. A node without children is in the set; one with children is in it if it has
// the child ".". "f:" is a field, "k:" an entry of a list by its keys, "v:" a value of a set.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/api/json.hpp"

namespace sluice::sim {

using FieldSet = json::object;

bool is_member(const FieldSet& node);
// A node that is in the set itself, with these children.
FieldSet as_member(FieldSet children);
// Puts the node at the name if there is anything to it.
void enter(FieldSet& set, const std::string& name, FieldSet children, bool is_in_set);

// Whether a document from outside has the form of a set.
bool is_field_set(const json::value& value);

FieldSet united(FieldSet set, const FieldSet& other);
FieldSet without(FieldSet set, const FieldSet& other);
// The keys of every node in order, as the API server writes them.
FieldSet sorted(const FieldSet& set);

// The name of a node as people read it: ".spec", "[name=\"a\"]".
std::string path_step(std::string_view name);
// The fields that are in both, as the API server names them: ".spec.containers[name=\"a\"].image".
std::vector<std::string> common_paths(const FieldSet& left, const FieldSet& right);

}  // namespace sluice::sim
