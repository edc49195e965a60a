#include "sim/api/answers.hpp"

#include <fmt/format.h>

namespace sluice::sim {
namespace {

// "statefulsets.apps" in messages, the parts in details.
json::object details_of(const Resource& resource, const std::string& name) {
    json::object details;
    if (!name.empty()) details["name"] = name;
    if (!resource.group.empty()) details["group"] = resource.group;
    details["kind"] = resource.plural;
    return details;
}

}  // namespace

Response refusal(int code, const std::string& reason, const std::string& message,
                 json::object details) {
    json::object status{{"kind", "Status"},
                        {"apiVersion", "v1"},
                        {"metadata", json::object{}},
                        {"status", "Failure"},
                        {"message", message},
                        {"reason", reason},
                        {"details", std::move(details)},
                        {"code", code}};
    if (status["details"].get_object().empty()) status.erase("details");
    Response response;
    response.status = code;
    response.body = std::move(status);
    return response;
}

Response bad_request(const std::string& message) {
    return refusal(400, "BadRequest", message);
}

Response not_found(const Resource& resource, const std::string& name) {
    return refusal(404, "NotFound", fmt::format("{} \"{}\" not found", resource.id(), name),
                   details_of(resource, name));
}

Response no_such_path() {
    return refusal(404, "NotFound", "the server could not find the requested resource");
}

Response already_exists(const Resource& resource, const std::string& name) {
    return refusal(409, "AlreadyExists",
                   fmt::format("{} \"{}\" already exists", resource.id(), name),
                   details_of(resource, name));
}

Response conflict(const Resource& resource, const std::string& name, const std::string& why) {
    return refusal(
        409, "Conflict",
        fmt::format("Operation cannot be fulfilled on {} \"{}\": {}", resource.id(), name, why),
        details_of(resource, name));
}

Response modified_meanwhile(const Resource& resource, const std::string& name) {
    return conflict(resource, name,
                    "the object has been modified; please apply your changes to the latest version "
                    "and try again");
}

Response forbidden(const Resource& resource, const std::string& name, const std::string& why) {
    return refusal(403, "Forbidden",
                   fmt::format("{} \"{}\" is forbidden: {}", resource.id(), name, why),
                   details_of(resource, name));
}

Response method_not_allowed() {
    return refusal(405, "MethodNotAllowed",
                   "the server does not allow this method on the requested resource");
}

Response gone(const std::string& message) {
    return refusal(410, "Expired", message);
}

Response too_large(std::size_t limit) {
    return refusal(413, "RequestEntityTooLarge",
                   fmt::format("Request entity too large: limit is {}", limit));
}

Response invalid(const Resource& resource, const std::string& name,
                 const std::vector<FieldProblem>& problems) {
    json::object details{{"name", name}};
    if (!resource.group.empty()) details["group"] = resource.group;
    details["kind"] = resource.kind;
    json::array causes;
    std::string list;
    for (const FieldProblem& problem : problems) {
        causes.push_back(json::object{
            {"reason", problem.reason}, {"message", problem.message}, {"field", problem.field}});
        list += fmt::format("{}{}: {}", list.empty() ? "" : ", ", problem.field, problem.message);
    }
    details["causes"] = std::move(causes);
    const std::string kind =
        resource.group.empty() ? resource.kind : resource.kind + "." + resource.group;
    const bool many = problems.size() > 1;
    return refusal(422, "Invalid",
                   fmt::format("{} \"{}\" is invalid: {}{}{}", kind, name, many ? "[" : "", list,
                               many ? "]" : ""),
                   std::move(details));
}

json::object deleted_status(const Resource& resource, const json::object& object) {
    json::object details = details_of(resource, text_at(object, "/metadata/name"));
    details["uid"] = text_at(object, "/metadata/uid");
    return json::object{{"kind", "Status"},
                        {"apiVersion", "v1"},
                        {"metadata", json::object{}},
                        {"status", "Success"},
                        {"details", std::move(details)}};
}

}  // namespace sluice::sim
