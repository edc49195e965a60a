// The Status objects with which Kubernetes says no, in its own words.
#pragma once

#include <string>
#include <vector>

#include "sim/api/api_server.hpp"
#include "sim/api/schema.hpp"

namespace sluice::sim {

// Any failure. `details` may be empty.
Response refusal(int code, const std::string& reason, const std::string& message,
                 json::object details = {});

Response refused_early(int code, const std::string& reason, const std::string& message);
Response bad_request(const std::string& message);
Response not_found(const Resource& resource, const std::string& name);
// The path leads nowhere; if not even its group is there, nobody says so in JSON.
Response no_such_path();
Response no_such_page();
Response unsupported_media_type();
Response already_exists(const Resource& resource, const std::string& name);
// Somebody else was faster, or a precondition does not hold.
Response conflict(const Resource& resource, const std::string& name, const std::string& why);
// The same where only the kind is known, not the resource.
Response failed_precondition(const Resource& resource, const std::string& name,
                             const std::string& why);
// A replace of another object, and a patch that would make it another one.
Response uid_changed(const Resource& resource, const std::string& name, const std::string& wanted,
                     const std::string& real, bool is_patched, const std::string& key);
// What the server alone writes. It is said once for every update and once for the kind's.
Response field_is_immutable(const Resource& resource, const std::string& name,
                            const std::string& field, const std::string& value);
Response terminating(const Resource& resource, const std::string& name, const std::string& ns);
Response modified_meanwhile(const Resource& resource, const std::string& name);
Response forbidden(const Resource& resource, const std::string& name, const std::string& why);
// By an admission policy, which gives its reason once more as a cause.
Response denied(const Resource& resource, const std::string& name, const std::string& why);
Response method_not_allowed();
Response gone(const std::string& message);
Response too_large(std::size_t limit);
// A write must say which version it is about.
Response version_missing(const Resource& resource, const std::string& name);
// 422 with one cause for each field.
Response invalid(const Resource& resource, const std::string& name,
                 const std::vector<FieldProblem>& problems);

// 422 about the options of a request of this kind: "CreateOptions", "DeleteOptions".
Response invalid_options(const std::string& kind, const FieldProblem& problem);

// All that those see of an object who ask for its metadata.
json::object metadata_of(const json::object& object);
// What a delete answers with once the object is gone.
json::object deleted_status(const Resource& resource, const json::object& object);

}  // namespace sluice::sim
