// The refusals that all ways to patch share, and the bound on nesting that keeps recursion over
// documents from strangers finite.
#pragma once

#include <optional>
#include <string>

#include "sim/api/patching.hpp"

namespace sluice::sim {

// No type of Kubernetes nests deeper, and every walk over a document is recursive.
inline constexpr int depth_max = 100;

std::unexpected<PatchRefused> bad_patch(std::string message);
// "value of type x" or "struct field x of type y": what the value should have been.
std::unexpected<PatchRefused> cannot_unmarshal(const json::value& value, std::string_view into);
// What the API server makes of every patch that is well-formed and does not fit the document.
std::unexpected<PatchRefused> unprocessable();
// A mistake that the API server itself has no better status for than 500.
std::unexpected<PatchRefused> internal_error(std::string message);

bool is_deeper(const json::value& value, int levels);
bool is_deeper(const json::object& object, int levels);
std::optional<PatchRefused> too_deep(const json::object& document, const json::value& patch);

// "object", "array", "string", "number", "bool", "null": as Go's decoder calls a value.
std::string_view go_type(const json::value& value);
// A value as Go prints it with %v: "map[image:x name:y]", "[1 2]".
std::string go_text(const json::value& value);
// A string as Go prints it with %q.
std::string quoted(std::string_view text);

}  // namespace sluice::sim
