// What the API server fills in and looks at in its own kinds: defaults, the parts that only it
// writes, and the rules that a spec must keep. As far as a StatefulSet's life needs it.
#pragma once

#include <vector>

#include "base/time.hpp"
#include "sim/api/resource.hpp"
#include "sim/api/schema.hpp"

namespace sluice::sim {

// Takes out what Go does not write: fields that are null, lists and maps with nothing in them.
void tidy(const Resource& resource, json::object& object);
// Fills in what the object leaves out.
void fill_in(const Resource& resource, json::object& object);
// A new object, with its name and UID: status as it begins, and what only the server writes.
void begin(const Resource& resource, json::object& object, Instant now);
// What is wrong with it; `before` is null for a new object.
std::vector<FieldProblem> wrong(const Resource& resource, const json::object& object,
                                const json::object* before);

}  // namespace sluice::sim
