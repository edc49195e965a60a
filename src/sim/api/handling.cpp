#include "sim/api/handling.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "sim/api/admission.hpp"
#include "sim/api/answers.hpp"
#include "sim/api/patching.hpp"
#include "sim/api/schema.hpp"
#include "sim/api/selectors.hpp"
#include "sim/api/split.hpp"
#include "sim/api/writing.hpp"
#include "sim/api/yaml.hpp"

namespace sluice::sim {
namespace {

constexpr std::size_t body_max = 3u << 20;

std::string decoded(std::string_view text) {
    std::string plain;
    for (; !text.empty(); text.remove_prefix(1)) {
        unsigned char code = 0;
        const bool is_coded = text.front() == '%' && text.size() > 2;
        const char* end = text.data() + 3;
        if (is_coded && std::from_chars(text.data() + 1, end, code, 16).ptr == end) {
            plain += static_cast<char>(code);
            text.remove_prefix(2);
        } else {
            plain += text.front() == '+' ? ' ' : text.front();
        }
    }
    return plain;
}

bool is_readable_type(const std::string& content_type) {
    const std::string type = content_type.substr(0, content_type.find(';'));
    return type == "application/json" || type == "application/yaml";
}

std::vector<std::string> segments(std::string_view path) {
    std::vector<std::string> parts;
    for (const std::string_view part : parts_of(path, '/'))
        parts.push_back(decoded(part));
    return parts;
}

}  // namespace

Request to_request(std::string method, std::string_view target) {
    Request request;
    request.method = std::move(method);
    const std::size_t mark = std::min(target.find('?'), target.size());
    request.path = std::string{target.substr(0, mark)};
    for (const std::string_view pair :
         parts_of(target.substr(std::min(mark + 1, target.size())), '&')) {
        const std::size_t equals = std::min(pair.find('='), pair.size());
        request.query[decoded(pair.substr(0, equals))] =
            decoded(pair.substr(std::min(equals + 1, pair.size())));
    }
    return request;
}

std::string Handling::query(const std::string& name) const {
    const auto found = request_.query.find(name);
    return found == request_.query.end() ? std::string{} : found->second;
}

bool Handling::asks_for(std::string_view form) const {
    const std::string first = request_.accept.substr(0, request_.accept.find(','));
    return first.find(fmt::format("as={}", form)) != std::string::npos;
}

bool Handling::find_target() {
    std::vector<std::string> parts = segments(request_.path);
    const bool core = !parts.empty() && parts[0] == "api";
    const std::size_t skip = core ? 2 : 3;
    if (parts.size() <= skip || (!core && parts[0] != "apis")) return false;
    const std::string group = core ? "" : parts[1];
    const std::string version = parts[skip - 1];
    parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(skip));
    const bool scoped = parts[0] == "namespaces" && parts.size() > 2 && parts[2] != "status" &&
                        parts[2] != "finalize";
    if (scoped) {
        target_.ns = parts[1];
        parts.erase(parts.begin(), parts.begin() + 2);
    }
    for (const Resource* one : server_.resources())
        if (one->group == group && one->version == version && one->plural == parts[0])
            target_.resource = one;
    if (!target_.resource || parts.size() > 3) return false;
    if (target_.resource->namespaced != scoped && (scoped || parts.size() > 1)) return false;
    if (parts.size() > 1) target_.name = parts[1];
    if (parts.size() > 2) target_.subresource = parts[2];
    return true;
}

// Whether there is anything below the first steps of the path.
bool Handling::is_served_group() const {
    const std::vector<std::string> parts = segments(request_.path);
    if (parts.empty() || (parts[0] != "api" && parts[0] != "apis")) return false;
    const auto resources = server_.resources();
    return parts[0] == "api" || parts.size() < 2 ||
           std::ranges::any_of(
               resources, [&](const Resource* one) { return one->group == parts[1]; });
}

// The options of a write stand in its query.
std::optional<Response> Handling::wrong_options() const {
    const std::string kind = request_.method == "POST"  ? "CreateOptions"
                             : request_.method == "PUT" ? "UpdateOptions"
                                                        : "PatchOptions";
    const std::string dry = query("dryRun");
    if (!dry.empty() && dry != "All")
        return invalid_options(
            kind, {"dryRun", "FieldValueNotSupported",
                   fmt::format("Unsupported value: [\"{}\"]: supported values: \"All\"", dry)});
    const std::string strictness = query("fieldValidation");
    if (!strictness.empty() && strictness != "Ignore" && strictness != "Strict" &&
        strictness != "Warn")
        return invalid_options(
            kind, {"fieldValidation", "FieldValueNotSupported",
                   fmt::format("Unsupported value: \"{}\": supported values: \"\", \"Ignore\", "
                               "\"Strict\", \"Warn\"",
                               strictness)});
    const bool applies = request_.content_type.starts_with("application/apply-patch");
    if (request_.method == "PATCH" && !query("force").empty() && !applies)
        return invalid_options(kind, {"force", "FieldValueForbidden",
                                      "Forbidden: may not be specified for non-apply patch"});
    return std::nullopt;
}

Response Handling::refused_body_type() const {
    return refusal(
        415, "UnsupportedMediaType",
        fmt::format("the body of the request was in an unknown format - accepted media "
                    "types include: application/json, application/yaml{}",
                    target_.resource->is_custom() ? "" : ", application/vnd.kubernetes.protobuf"));
}

ObjectPtr Handling::current() const {
    return server_.storage_.find({storage_id(*target_.resource), target_.ns, target_.name});
}

Writing Handling::writing() const {
    Writing writing{server_, *target_.resource, request_.user, now_};
    writing.manager = query("fieldManager");
    if (writing.manager.empty())
        writing.manager = request_.user_agent.substr(0, request_.user_agent.find('/'));
    if (writing.manager.empty()) writing.manager = "unknown";
    writing.is_dry = query("dryRun") == "All";
    return writing;
}

// In the list of a kind that Go knows, the entries need not say what they are.
json::object Handling::listed(const json::object& object) const {
    json::object entry = shown_as(*target_.resource, object);
    if (!target_.resource->is_custom()) {
        entry.erase("apiVersion");
        entry.erase("kind");
    }
    return entry;
}

Response Handling::shown_as_asked(Response response) const {
    response.warnings.insert(response.warnings.begin(), warnings_.begin(), warnings_.end());
    if (!response.body.is_object() || response.status >= 300) return response;
    if (text_at(response.body.get_object(), "/kind") == "Status") return response;
    response.body = shown_as(*target_.resource, response.body.get_object());
    return response;
}

std::expected<json::object, Response> Handling::body() const {
    if (request_.body.size() > body_max) return std::unexpected(too_large(body_max));
    auto value = parse_document(request_.body);
    if (!value)
        return std::unexpected(
            bad_request(fmt::format("the body of the request cannot be read: {}", value.error())));
    if (!value->is_object())
        return std::unexpected(bad_request("the body of the request is not an object"));
    return std::move(value->get_object());
}

// What a server says to an object of a kind that does not belong here. A server knows its own kinds
// from its scheme, where every custom resource is of any kind.
std::optional<Response> Handling::other_kind(const std::string& version,
                                             const std::string& kind) const {
    const Resource& resource = *target_.resource;
    if (resource.is_custom() && (version.empty() || kind.empty()))
        return bad_request(fmt::format(
            "the object provided is unrecognized (must be of type {}): Object '{}' is missing in "
            "'{}' ({}{})",
            resource.kind, kind.empty() ? "Kind" : "apiVersion", request_.body,
            request_.body.substr(0, 30), request_.body.size() > 30 ? " ..." : ""));
    const bool is_of_version = version.empty() || version == resource.api_version();
    const bool is_of_kind = kind.empty() || kind == resource.kind;
    if (is_of_version && is_of_kind) return std::nullopt;
    if (is_of_version && resource.is_custom()) return refused_kind(kind);
    const std::string named = kind.empty() ? resource.kind : kind;
    const auto resources = server_.resources();
    const bool is_known = std::ranges::any_of(resources, [&](const Resource* one) {
        return one->api_version() == version && one->kind == named;
    });
    const bool was_once = is_of_kind && version.find("beta") != version.npos;
    if (!is_of_version && (is_known || was_once || resource.is_custom()))
        return bad_request(fmt::format(
            "the API version in the data ({}) does not match the expected API version ({})",
            version, resource.api_version()));
    const std::string short_version = version.substr(version.rfind('/') + 1);
    const std::string group =
        resource.group.empty() ? "core" : resource.group.substr(0, resource.group.find('.'));
    const std::string why = is_known
                                ? fmt::format("converting ({}.{}) to ({}.{}): unknown conversion",
                                              short_version, named, group, resource.kind)
                                : fmt::format(
                                      "no kind \"{}\" is registered for version \"{}\" in scheme "
                                      "\"pkg/runtime/scheme.go:111\"",
                                      named, version);
    return bad_request(fmt::format("{} in version \"{}\" cannot be handled as a {}: {}", named,
                                   short_version, resource.kind, why));
}

Response Handling::refused_kind(const std::string& kind) const {
    Resource other = *target_.resource;
    other.kind = kind;
    const auto object = body();
    return invalid(
        other, object ? text_at(*object, "/metadata/name") : "",
        {{"kind", "FieldValueInvalid",
          fmt::format("Invalid value: \"{}\": must be {}", kind, target_.resource->kind)}});
}

// The object that a create or a replace carries: of this kind and of this place.
std::expected<json::object, Response> Handling::own_body() const {
    auto object = body();
    if (!object) return object;
    const Resource& resource = *target_.resource;
    const std::string version = text_at(*object, "/apiVersion");
    const std::string kind = text_at(*object, "/kind");
    const std::string ns = text_at(*object, "/metadata/namespace");
    const std::string name = text_at(*object, "/metadata/name");
    if (auto other = other_kind(version, kind)) return std::unexpected(std::move(*other));
    if (resource.namespaced && !ns.empty() && ns != target_.ns)
        return std::unexpected(bad_request(
            "the namespace of the provided object does not match the namespace sent on the "
            "request"));
    if (!target_.name.empty() && name.empty() && request_.method == "PUT")
        return std::unexpected(bad_request(
            fmt::format("the name of the object ({} based on URL) was undeterminable: name must be "
                        "provided",
                        target_.name)));
    if (!target_.name.empty() && !name.empty() && name != target_.name)
        return std::unexpected(bad_request(
            fmt::format("the name of the object ({}) does not match the name on the URL ({})", name,
                        target_.name)));
    if (auto wrong = unknown_in(*object)) return std::unexpected(std::move(*wrong));
    if (resource.group == "events.k8s.io") return to_core_event(std::move(*object));
    (*object)["apiVersion"] = resource.api_version();
    (*object)["kind"] = resource.kind;
    return object;
}

// Fields that a custom resource does not have are an error, a warning or nothing, as asked.
std::optional<Response> Handling::unknown_in(const json::object& object) const {
    const Resource& resource = *target_.resource;
    const std::string strictness = query("fieldValidation");
    if (!resource.is_custom() || strictness == "Ignore") return std::nullopt;
    std::vector<std::string> said;
    for (const std::string& path : unknown_fields(resource.schema->document, object))
        said.push_back(fmt::format("unknown field \"{}\"", path));
    if (said.empty()) return std::nullopt;
    if (strictness == "Strict")
        return bad_request(
            fmt::format("{0} in version \"{1}\" cannot be handled as a {0}: strict decoding "
                        "error: {2}",
                        resource.kind, resource.version, fmt::join(said, ", ")));
    warnings_.insert(warnings_.end(), said.begin(), said.end());
    return std::nullopt;
}

Response Handling::create() {
    auto object = own_body();
    if (!object) return object.error();
    return shown_as_asked(writing().create(target_.ns, std::move(*object)));
}

Response Handling::replace() {
    auto object = own_body();
    if (!object) return object.error();
    const ObjectPtr before = current();
    if (!before && target_.resource->kind == "Lease")
        return shown_as_asked(writing().create(target_.ns, std::move(*object)));
    if (!before) return not_found(*target_.resource, target_.name);
    return shown_as_asked(writing().update(before, std::move(*object), target_.subresource));
}

Response Handling::apply(const ObjectPtr& before) {
    if (query("fieldManager").empty())
        return invalid_options("PatchOptions", {"fieldManager", "FieldValueRequired",
                                                "Required value: is required for apply patch"});
    auto applied = body();
    if (!applied) return applied.error();
    const std::string version = text_at(*applied, "/apiVersion");
    const std::string kind = text_at(*applied, "/kind");
    if (version != target_.resource->api_version() || kind != target_.resource->kind)
        return bad_request(fmt::format("invalid object type: {}{}, Kind={}",
                                       version.find('/') == version.npos ? "/" : "", version,
                                       kind));
    applied = own_body();
    if (!applied) return applied.error();
    set(*applied, "/metadata/name", target_.name);
    if (target_.resource->namespaced) set(*applied, "/metadata/namespace", target_.ns);
    static const json::object nothing;
    const Apply how{query("fieldManager"), query("force") == "true", target_.subresource, now_};
    auto merged = server_side_apply(before ? before->object() : nothing, *applied, how);
    if (!merged) {
        json::object details;
        if (!merged.error().causes.empty()) details["causes"] = merged.error().causes;
        return refusal(merged.error().status, merged.error().reason, merged.error().message,
                       std::move(details));
    }
    Writing write = writing();
    write.is_applied = true;
    return shown_as_asked(before ? write.update(before, std::move(*merged), target_.subresource)
                                 : write.create(target_.ns, std::move(*merged)));
}

Response Handling::patch() {
    const std::string type = request_.content_type.substr(0, request_.content_type.find(';'));
    const ObjectPtr before = current();
    if (type == "application/apply-patch+yaml") return apply(before);
    if (!before) return not_found(*target_.resource, target_.name);
    if (request_.body.size() > body_max) return too_large(body_max);
    const auto document = parse_document(request_.body);
    if (!document) return bad_request("error decoding patch: " + document.error());
    const json::object& was = before->object();
    Patched after;
    if (type == "application/json-patch+json")
        after = json_patch(was, *document);
    else if (type == "application/merge-patch+json")
        after = merge_patch(was, *document);
    else if (type == "application/strategic-merge-patch+json" && !target_.resource->is_custom())
        after = strategic_merge_patch(was, *document);
    else if (type == "application/strategic-merge-patch+json")
        return refusal(415, "UnsupportedMediaType",
                       "the body of the request was in an unknown format - accepted media types "
                       "include: application/json-patch+json, application/merge-patch+json, "
                       "application/apply-patch+yaml");
    else
        return unsupported_media_type();
    if (!after && after.error().status == 422)
        return refused_early(422, after.error().reason, after.error().message);
    if (!after) return refusal(after.error().status, after.error().reason, after.error().message);
    if (const std::string ns = text_at(*after, "/metadata/namespace"); ns != target_.ns)
        return bad_request(
            "the namespace of the provided object does not match the namespace sent on the "
            "request");
    if (auto wrong = unknown_in(*after)) return std::move(*wrong);
    if (text_at(*after, "/metadata/name") != target_.name)
        return bad_request(
            fmt::format("the name of the object ({}) does not match the name on the URL ({})",
                        text_at(*after, "/metadata/name"), target_.name));
    Writing write = writing();
    write.is_patched = true;
    return shown_as_asked(write.update(before, std::move(*after), target_.subresource));
}

Response Handling::finalize() {
    auto object = own_body();
    if (!object) return object.error();
    const ObjectPtr before = current();
    if (!before) return not_found(*target_.resource, target_.name);
    json::object after = before->object();
    set(after, "/spec/finalizers", array_at(*object, "/spec/finalizers"));
    return writing().update(before, std::move(after), {});
}

Response Handling::answer() {
    if (!find_target()) return is_served_group() ? no_such_path() : no_such_page();
    const std::string& method = request_.method;
    const std::string& sub = target_.subresource;
    const bool named = !target_.name.empty();
    const bool writes = method == "POST" || method == "PUT" || method == "PATCH";
    if (auto wrong = wrong_options(); wrong && writes) return std::move(*wrong);
    if ((method == "POST" || method == "PUT") && !is_readable_type(request_.content_type))
        return refused_body_type();
    if (sub == "scale" && target_.resource->has_scale)
        return method == "POST" || method == "DELETE" ? method_not_allowed() : scale();
    if (sub == "finalize" && target_.resource->kind == "Namespace") return finalize();
    if (sub == "log" || sub == "exec" || sub == "attach" || sub == "portforward")
        return bad_request("pods of the embedded cluster have no containers: there is nothing to " +
                           std::string{sub == "log" ? "read logs from" : "connect to"});
    if (!sub.empty() && (sub != "status" || !target_.resource->has_status)) return no_such_path();
    const bool watches = query("watch") == "true" || query("watch") == "1";
    if (method == "GET" && watches && !named) return watch();
    if (method == "GET") return named ? get() : list();
    if (method == "POST" && !named) return create();
    if (method == "PUT" && named) return replace();
    if (method == "PATCH" && named) return patch();
    if (method == "DELETE" && sub.empty()) return named ? remove() : remove_all();
    return method_not_allowed();
}

}  // namespace sluice::sim
