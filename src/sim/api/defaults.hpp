// What the API server fills in and looks at in its own kinds: defaults, the parts that only it
// writes, and the rules that a spec must keep. As far as a StatefulSet's life needs it.
#pragma once

#include <vector>

#include "sim/api/resource.hpp"
#include "sim/api/schema.hpp"

namespace sluice::sim {

// Takes out what Go does not write: fields that are null, lists and maps with nothing in them.
void tidy(const Resource& resource, json::object& object);
// Fills in what the object leaves out.
void fill_in(const Resource& resource, json::object& object);
// What Go writes out even where it says nothing; nobody counts as the one who wrote it.
void write_out(const Resource& resource, json::object& object);
// What the server thinks of an object that it accepts.
std::vector<std::string> advice(const Resource& resource, const json::object& object);
// A new object, with its name, UID and time: status as it begins, and what only the server writes.
void begin(const Resource& resource, json::object& object);
// What is wrong with it; `before` is null for a new object.
std::vector<FieldProblem> wrong(const Resource& resource, const json::object& object,
                                const json::object* before);

}  // namespace sluice::sim
