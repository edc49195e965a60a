// The four ways to patch a document, as the API server understands them. Each leaves the document
// alone and returns a new one; a refusal says in Kubernetes' words what is wrong, with the status.
#pragma once

#include <expected>
#include <string>

#include "base/time.hpp"
#include "sim/api/json.hpp"

namespace sluice::sim {

struct PatchRefused {
    int status;          // 400, 409, 413 or 422; 500 where the API server has nothing better
    std::string reason;  // empty for a 500
    std::string message;
    json::array causes = {};  // of a Status: [{reason, message, field}]
};
using Patched = std::expected<json::object, PatchRefused>;

// RFC 6902. A failed `test`, or a path that is not there, is a 422.
Patched json_patch(const json::object& document, const json::value& patch);
// RFC 7386.
Patched merge_patch(const json::object& document, const json::value& patch);
// Lists are merged by the key that belongs to their place in the built-in types ($patch: delete and
// replace, $deleteFromPrimitiveList, $setElementOrder and $retainKeys included).
Patched strategic_merge_patch(const json::object& document, const json::value& patch);

struct Apply {
    std::string manager;
    bool force = false;
    std::string subresource = {};
    Instant at;
};
// Server-side apply: merges what the manager applies, removes what it applied before and no longer
// does, and refuses (409, reason Conflict, one cause per field) what others own, unless forced.
// `live` is empty for an object that does not exist yet. The result carries managedFields.
Patched server_side_apply(const json::object& live, const json::object& applied,
                          const Apply& apply);

// The managedFields of `after`, which `manager` wrote over `before` by any other operation.
json::object with_managed_fields(const json::object& before, json::object after,
                                 const Apply& update);

}  // namespace sluice::sim
