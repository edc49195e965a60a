#include "sim/api/answers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sluice::sim {
namespace {

json::object details_of(const std::string& group, const std::string& kind,
                        const std::string& name) {
    json::object details;
    if (!name.empty()) details["name"] = name;
    if (!group.empty()) details["group"] = group;
    details["kind"] = kind;
    return details;
}

// "statefulsets.apps" in messages, the parts in details.
json::object details_of(const Resource& resource, const std::string& name) {
    return details_of(resource.group, resource.plural, name);
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
    if (reason.empty()) status.erase("reason");
    return {.status = code, .body = std::move(status)};
}

// What is refused before anybody knows what it is about has details with nothing in them.
Response refused_early(int code, const std::string& reason, const std::string& message) {
    Response response = refusal(code, reason, message);
    response.body.get_object()["details"] = json::object{};
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
    return refused_early(404, "NotFound", "the server could not find the requested resource");
}

Response no_such_page() {
    return {
        .status = 404, .text = "404 page not found\n", .content_type = "text/plain; charset=utf-8"};
}

Response unsupported_media_type() {
    return refused_early(415, "UnsupportedMediaType", "415: Unsupported Media Type");
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

Response failed_precondition(const Resource& resource, const std::string& name,
                             const std::string& why) {
    return refusal(
        409, "Conflict",
        fmt::format("Operation cannot be fulfilled on {} \"{}\": {}", resource.kind, name, why),
        json::object{{"name", name}, {"kind", resource.kind}});
}

Response uid_changed(const Resource& resource, const std::string& name, const std::string& wanted,
                     const std::string& real, bool is_patched, const std::string& key) {
    if (is_patched) return field_is_immutable(resource, name, "metadata.uid", wanted);
    return conflict(resource, name,
                    fmt::format("StorageError: invalid object, Code: 4, Key: {}, ResourceVersion: "
                                "0, AdditionalErrorMsg: Precondition failed: UID in precondition: "
                                "{}, UID in object meta: {}",
                                key, wanted, real));
}

Response field_is_immutable(const Resource& resource, const std::string& name,
                            const std::string& field, const std::string& value) {
    const FieldProblem problem{field, "FieldValueInvalid",
                               fmt::format("Invalid value: \"{}\": field is immutable", value)};
    return invalid(resource, name, {problem, problem});
}

Response terminating(const Resource& resource, const std::string& name, const std::string& ns) {
    Response response = forbidden(
        resource, name,
        fmt::format("unable to create new content in namespace {} because it is being terminated",
                    ns));
    set(response.body.get_object(), "/details/causes",
        json::array{json::object{{"reason", "NamespaceTerminating"},
                                 {"message", fmt::format("namespace {} is being terminated", ns)},
                                 {"field", "metadata.namespace"}}});
    return response;
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

Response denied(const Resource& resource, const std::string& name, const std::string& why) {
    Response response = forbidden(resource, name, why);
    set(response.body.get_object(), "/details/causes", json::array{json::object{{"message", why}}});
    return response;
}

Response method_not_allowed() {
    return refused_early(405, "MethodNotAllowed",
                         "the server does not allow this method on the requested resource");
}

Response gone(const std::string& message) {
    return refusal(410, "Expired", message);
}

Response too_large(std::size_t limit) {
    return refusal(413, "RequestEntityTooLarge",
                   fmt::format("Request entity too large: limit is {}", limit));
}

namespace {

Response invalid_kind(const std::string& group, const std::string& name_of_kind,
                      const std::string& name, const std::vector<FieldProblem>& problems) {
    json::object details = details_of(group, name_of_kind, name);
    json::array causes;
    std::vector<std::string> said;
    for (const FieldProblem& problem : problems) {
        causes.push_back(json::object{
            {"reason", problem.reason}, {"message", problem.message}, {"field", problem.field}});
        std::string sentence = fmt::format("{}: {}", problem.field, problem.message);
        if (std::ranges::count(said, sentence) == 0) said.push_back(std::move(sentence));
    }
    details["causes"] = std::move(causes);
    const std::string kind = group.empty() ? name_of_kind : name_of_kind + "." + group;
    const bool many = said.size() > 1;
    return refusal(422, "Invalid",
                   fmt::format("{} \"{}\" is invalid: {}{}{}", kind, name, many ? "[" : "",
                               fmt::join(said, ", "), many ? "]" : ""),
                   std::move(details));
}

}  // namespace

Response invalid(const Resource& resource, const std::string& name,
                 const std::vector<FieldProblem>& problems) {
    return invalid_kind(resource.group, resource.kind, name, problems);
}

Response version_missing(const Resource& resource, const std::string& name) {
    return invalid_kind(resource.group, resource.plural, name,
                        {{"metadata.resourceVersion", "FieldValueInvalid",
                          "Invalid value: 0: must be specified for an update"}});
}

Response invalid_options(const std::string& kind, const FieldProblem& problem) {
    return invalid_kind("meta.k8s.io", kind, {}, {problem});
}

json::object metadata_of(const json::object& object) {
    return json::object{{"kind", "PartialObjectMetadata"},
                        {"apiVersion", "meta.k8s.io/v1"},
                        {"metadata", object_at(object, "/metadata")}};
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
