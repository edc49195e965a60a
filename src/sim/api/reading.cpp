#include <fmt/format.h>

#include "model/label_selector.hpp"
#include "sim/api/admission.hpp"
#include "sim/api/answers.hpp"
#include "sim/api/handling.hpp"
#include "sim/api/patching.hpp"
#include "sim/api/selectors.hpp"
#include "sim/api/writing.hpp"
#include "sim/api/yaml.hpp"

namespace sluice::sim {
namespace {

std::string selector_of(const json::object& object, const Resource& resource) {
    return resource.selector_at.empty()
               ? model::selector_text(object_at(object, "/spec/selector")).value_or("")
               : text_at(object, resource.selector_at);
}

json::object scale_of(const json::object& object, const Resource& resource) {
    json::object meta;
    for (const char* key : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"})
        if (const json::value* value = find(object, std::string{"/metadata/"} + key))
            meta[key] = *value;
    json::object spec;
    if (const std::int64_t wanted = number_at(object, resource.replicas_at, 1); wanted != 0)
        spec["replicas"] = wanted;
    json::object status{{"replicas", number_at(object, resource.scaled_at)}};
    if (const std::string selector = selector_of(object, resource); !selector.empty())
        status["selector"] = selector;
    return json::object{{"kind", "Scale"},
                        {"apiVersion", "autoscaling/v1"},
                        {"metadata", std::move(meta)},
                        {"spec", std::move(spec)},
                        {"status", std::move(status)}};
}

Response list_of(const Resource& resource, json::object meta, json::array items) {
    if (resource.is_custom()) meta.emplace("continue", "");
    return {.body = json::object{{"kind", resource.kind + "List"},
                                 {"apiVersion", resource.api_version()},
                                 {"metadata", std::move(meta)},
                                 {"items", std::move(items)}}};
}

std::uint64_t number_of(const std::string& text) {
    std::uint64_t number = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') return 0;
        number = number * 10 + static_cast<std::uint64_t>(c - '0');
    }
    return number;
}

bool is_number(const std::string& text) {
    return text.find_first_not_of("0123456789") == text.npos;
}

std::optional<Response> wrong_list(const std::string& limit, const std::string& version,
                                   const std::string& match) {
    if (!is_number(limit))
        return bad_request(fmt::format("strconv.ParseInt: parsing \"{}\": invalid syntax", limit));
    if (!match.empty() && version.empty())
        return invalid_options("ListOptions",
                               {"resourceVersionMatch", "FieldValueForbidden",
                                "Forbidden: resourceVersionMatch is forbidden unless "
                                "resourceVersion is provided"});
    if (!match.empty() && match != "Exact" && match != "NotOlderThan")
        return invalid_options(
            "ListOptions", {"resourceVersionMatch", "FieldValueNotSupported",
                            fmt::format("Unsupported value: \"{}\": supported values: \"Exact\", "
                                        "\"NotOlderThan\", \"\"",
                                        match)});
    if (!is_number(version))
        return bad_request(
            fmt::format("invalid resource version: resourceVersion: Invalid value: \"{0}\": "
                        "strconv.ParseUint: parsing \"{0}\": invalid syntax",
                        version));
    return std::nullopt;
}

Deletion deletion_of(const json::object& options, const std::string& policy,
                     const std::string& grace) {
    Deletion how;
    how.propagation = text_at(options, "/propagationPolicy");
    if (how.propagation.empty()) how.propagation = policy;
    if (has(options, "/gracePeriodSeconds"))
        how.grace = number_at(options, "/gracePeriodSeconds");
    else if (!grace.empty())
        how.grace = static_cast<std::int64_t>(number_of(grace));
    how.uid = text_at(options, "/preconditions/uid");
    how.resource_version = text_at(options, "/preconditions/resourceVersion");
    return how;
}

std::optional<Response> wrong_deletion(const json::object& options, const Deletion& how) {
    const std::string& policy = how.propagation;
    if (has(options, "/kind") && text_at(options, "/kind") != "DeleteOptions")
        return bad_request(
            fmt::format("no kind \"{}\" is registered for version \"{}\" in scheme "
                        "\"pkg/runtime/scheme.go:111\"",
                        text_at(options, "/kind"), text_at(options, "/apiVersion")));
    if (!policy.empty() && has(options, "/orphanDependents"))
        return invalid_options(
            "DeleteOptions",
            {"propagationPolicy", "FieldValueInvalid",
             fmt::format("Invalid value: \"{}\": orphanDependents and deletionPropagation cannot "
                         "be both set",
                         policy)});
    if (policy.empty() || policy == "Foreground" || policy == "Background" || policy == "Orphan")
        return std::nullopt;
    return invalid_options(
        "DeleteOptions",
        {"propagationPolicy", "FieldValueNotSupported",
         fmt::format("Unsupported value: \"{}\": supported values: \"Foreground\", "
                     "\"Background\", \"Orphan\", \"nil\"",
                     policy)});
}

}  // namespace

Response Handling::get() {
    const ObjectPtr found = current();
    if (!found) return not_found(*target_.resource, target_.name);
    return {.body = asks_for("PartialObjectMetadata")
                        ? metadata_of(found->object())
                        : shown_as(*target_.resource, found->object())};
}

std::optional<Response> Handling::wrong_selectors() const {
    static const json::object nobody;
    if (const auto labels = matches_labels(nobody, query("labelSelector")); !labels)
        return bad_request(labels.error());
    const std::string fields = query("fieldSelector");
    if (const auto read = matches_fields(nobody, fields); !read) return bad_request(read.error());
    if (const std::string fault = fault_of_fields(*target_.resource, fields); !fault.empty())
        return bad_request(fault);
    return std::nullopt;
}

std::expected<std::vector<ObjectPtr>, Response> Handling::selected(
    std::vector<ObjectPtr> all) const {
    const std::string labels = query("labelSelector");
    const std::string fields = query("fieldSelector");
    if (auto wrong = wrong_selectors()) return std::unexpected(std::move(*wrong));
    std::vector<ObjectPtr> chosen;
    for (ObjectPtr& one : all) {
        const auto by_label = matches_labels(one->object(), labels);
        const auto by_field = matches_fields(one->object(), fields);
        if (*by_label && *by_field) chosen.push_back(std::move(one));
    }
    return chosen;
}

// A page of the list as it was when its first page was asked for. The token is "version/skip".
Response Handling::list() {
    if (auto wrong =
            wrong_list(query("limit"), query("resourceVersion"), query("resourceVersionMatch")))
        return std::move(*wrong);
    const Storage& storage = server_.storage_;
    const std::string token = query("continue");
    const std::size_t slash = std::min(token.find('/'), token.size());
    const std::uint64_t version =
        token.empty() ? storage.version() : number_of(token.substr(0, slash));
    std::size_t skip =
        token.empty() ? 0 : number_of(token.substr(std::min(slash + 1, token.size())));
    if (!token.empty() && (version == 0 || version > storage.version()))
        return bad_request("continue key is not valid");
    if (storage.is_compacted(version))
        return gone(
            "The provided continue parameter is too old to display a consistent list "
            "result. You can start a new list without the continue parameter.");
    const std::string id = storage_id(*target_.resource);
    auto chosen = selected(token.empty() ? storage.list(id, target_.ns)
                                         : storage.list_at(version, id, target_.ns));
    if (!chosen) return chosen.error();
    json::object meta{{"resourceVersion", std::to_string(version)}};
    const std::size_t limit = number_of(query("limit"));
    skip = std::min(skip, chosen->size());
    std::size_t end = chosen->size();
    if (limit > 0 && skip + limit < end) {
        end = skip + limit;
        meta["continue"] = fmt::format("{}/{}", version, end);
        meta["remainingItemCount"] = chosen->size() - end;
    }
    const bool is_partial = asks_for("PartialObjectMetadata");
    json::array items;
    for (std::size_t i = skip; i < end; ++i)
        items.push_back(is_partial ? metadata_of((*chosen)[i]->object())
                                   : listed((*chosen)[i]->object()));
    Response response = list_of(*target_.resource, std::move(meta), std::move(items));
    if (is_partial) {
        response.body.get_object()["kind"] = "PartialObjectMetadataList";
        response.body.get_object()["apiVersion"] = "meta.k8s.io/v1";
    }
    return response;
}

Response Handling::watch() {
    const std::string from = query("resourceVersion");
    Watch watch;
    watch.resource = storage_id(*target_.resource);
    watch.api_version = target_.resource->api_version();
    watch.ns = target_.ns;
    watch.label_selector = query("labelSelector");
    watch.field_selector = query("fieldSelector");
    if (!target_.name.empty()) watch.field_selector = "metadata.name=" + target_.name;
    watch.bookmarks = query("allowWatchBookmarks") == "true";
    watch.as_table = asks_for("Table");
    watch.as_metadata = asks_for("PartialObjectMetadata");
    if (auto wrong = wrong_selectors()) return std::move(*wrong);
    if (const std::uint64_t seconds = number_of(query("timeoutSeconds")); seconds > 0)
        watch.timeout = std::chrono::seconds{seconds};
    const bool streams = query("sendInitialEvents") == "true";
    const std::string match = query("resourceVersionMatch");
    if (!match.empty() && query("sendInitialEvents").empty())
        return invalid_options("ListOptions",
                               {"resourceVersionMatch", "FieldValueForbidden",
                                "Forbidden: resourceVersionMatch is forbidden for watch unless "
                                "sendInitialEvents is provided"});
    if (!is_number(from))
        return refusal(500, {},
                       fmt::format("resourceVersion: Invalid value: \"{0}\": strconv.ParseUint: "
                                   "parsing \"{0}\": invalid syntax",
                                   from));
    if (streams && (query("resourceVersionMatch") != "NotOlderThan" || !watch.bookmarks))
        return invalid_options("ListOptions", {"resourceVersionMatch", "FieldValueForbidden",
                                               "Forbidden: sendInitialEvents requires setting "
                                               "resourceVersionMatch to NotOlderThan"});
    watch.sends_initial = streams || from.empty() || from == "0";
    watch.version = watch.sends_initial ? 0 : number_of(from);
    watch.bookmarks = watch.bookmarks || streams;
    return {.watch = std::move(watch)};
}

Response Handling::remove() {
    json::object options;
    if (!request_.body.empty()) {
        auto sent = body();
        if (!sent) return sent.error();
        options = std::move(*sent);
    }
    const ObjectPtr before = current();
    if (!before) return not_found(*target_.resource, target_.name);
    const Deletion how =
        deletion_of(options, query("propagationPolicy"), query("gracePeriodSeconds"));
    if (auto wrong = wrong_deletion(options, how)) return std::move(*wrong);
    Writing write = writing();
    write.is_dry = write.is_dry || !array_at(options, "/dryRun").empty();
    return shown_as_asked(write.remove(before, how));
}

Response Handling::remove_all() {
    if (target_.resource->namespaced && target_.ns.empty()) return method_not_allowed();
    auto chosen = selected(server_.storage_.list(storage_id(*target_.resource), target_.ns));
    if (!chosen) return chosen.error();
    json::array items;
    for (const ObjectPtr& one : *chosen) {
        items.push_back(listed(one->object()));
        writing().remove(one,
                         deletion_of({}, query("propagationPolicy"), query("gracePeriodSeconds")));
    }
    return list_of(*target_.resource,
                   {{"resourceVersion", std::to_string(server_.storage_.version())}},
                   std::move(items));
}

// The Scale that a replace or a patch asks for.
std::expected<json::object, Response> Handling::wanted_scale(const json::object& now) const {
    if (request_.method == "PATCH") {
        const auto document = parse_document(request_.body);
        if (!document)
            return std::unexpected(bad_request("error decoding patch: " + document.error()));
        const bool is_json_patch = request_.content_type.starts_with("application/json-patch");
        Patched after = is_json_patch ? json_patch(now, *document) : merge_patch(now, *document);
        if (!after)
            return std::unexpected(
                refused_early(after.error().status, after.error().reason, after.error().message));
        return *after;
    }
    auto sent = body();
    if (!sent) return sent;
    const std::string kind = text_at(*sent, "/kind");
    const std::string name = text_at(*sent, "/metadata/name");
    if (!kind.empty() && kind != "Scale")
        return std::unexpected(bad_request(
            fmt::format("{0} in version \"v1\" cannot be handled as a Scale: converting (v1.{0}) "
                        "to (autoscaling.Scale): unknown conversion",
                        kind)));
    if (name.empty())
        return std::unexpected(bad_request(
            fmt::format("the name of the object ({} based on URL) was undeterminable: name must be "
                        "provided",
                        target_.name)));
    if (name != target_.name)
        return std::unexpected(bad_request(
            fmt::format("the name of the object ({}) does not match the name on the URL ({})", name,
                        target_.name)));
    return sent;
}

Response Handling::scale() {
    const ObjectPtr before = current();
    if (!before) return not_found(*target_.resource, target_.name);
    const json::object now = scale_of(before->object(), *target_.resource);
    if (request_.method == "GET") return {.body = now};
    auto sent = wanted_scale(now);
    if (!sent) return sent.error();
    const AdmissionRequest admission{server_.storage_, *target_.resource, "scale", request_.user,
                                     &before->object()};
    const json::object wanted = mutated(admission, std::move(*sent));
    const std::int64_t replicas = number_at(wanted, "/spec/replicas");
    static const Resource scales{"autoscaling", "v1", "scales", "scale", "Scale"};
    const bool is_custom = target_.resource->is_custom();
    if (replicas < 0)
        return invalid(is_custom ? *target_.resource : scales, target_.name,
                       {{is_custom ? ".spec.replicas" : "spec.replicas", "FieldValueInvalid",
                         fmt::format("Invalid value: {}: {}", replicas,
                                     is_custom ? "should be a non-negative integer"
                                               : "must be greater than or equal to 0")}});
    const Admitted judged = admitted(admission, wanted);
    if (judged.refusal) return denied(*target_.resource, target_.name, *judged.refusal);
    json::object after = before->object();
    set(after, target_.resource->replicas_at, replicas);
    if (const std::string version = text_at(wanted, "/metadata/resourceVersion"); !version.empty())
        set(after, "/metadata/resourceVersion", version);
    // Admission has seen the Scale; the policies on the set itself do not see this write.
    Writing write = writing();
    write.is_scaled = true;
    Response response = write.update(before, std::move(after), {});
    if (response.status < 300)
        response.body = scale_of(response.body.get_object(), *target_.resource);
    return response;
}

}  // namespace sluice::sim
