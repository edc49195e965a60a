#include <fmt/format.h>

#include "sim/api/admission.hpp"
#include "sim/api/answers.hpp"
#include "sim/api/handling.hpp"
#include "sim/api/patching.hpp"
#include "sim/api/selectors.hpp"
#include "sim/api/writing.hpp"

namespace sluice::sim {
namespace {

json::object scale_of(const json::object& object) {
    json::object meta;
    for (const char* key : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"})
        if (const json::value* value = find(object, std::string{"/metadata/"} + key))
            meta[key] = *value;
    return json::object{
        {"kind", "Scale"},
        {"apiVersion", "autoscaling/v1"},
        {"metadata", std::move(meta)},
        {"spec", json::object{{"replicas", number_at(object, "/spec/replicas", 1)}}},
        {"status", json::object{{"replicas", number_at(object, "/status/replicas")},
                                {"selector", to_text(object_at(object, "/spec/selector"))}}}};
}

std::uint64_t number_of(const std::string& text) {
    std::uint64_t number = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') return 0;
        number = number * 10 + static_cast<std::uint64_t>(c - '0');
    }
    return number;
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
        return bad_request(fmt::format(
            "no kind \"{}\" is registered for version \"{}\" in scheme "
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
    Response response;
    response.body = shown(found->object());
    return response;
}

std::expected<std::vector<ObjectPtr>, Response> Handling::selected(
    std::vector<ObjectPtr> all) const {
    const std::string labels = query("labelSelector");
    const std::string fields = query("fieldSelector");
    std::vector<ObjectPtr> chosen;
    for (ObjectPtr& one : all) {
        const auto by_label = matches_labels(one->object(), labels);
        const auto by_field = matches_fields(one->object(), fields);
        if (!by_label) return std::unexpected(bad_request(by_label.error()));
        if (!by_field) return std::unexpected(bad_request(by_field.error()));
        if (*by_label && *by_field) chosen.push_back(std::move(one));
    }
    return chosen;
}

// A page of the list as it was when its first page was asked for. The token is "version/skip".
Response Handling::list() {
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
    if (target_.resource->is_custom()) meta["continue"] = "";
    const std::size_t limit = number_of(query("limit"));
    skip = std::min(skip, chosen->size());
    std::size_t end = chosen->size();
    if (limit > 0 && skip + limit < end) {
        end = skip + limit;
        meta["continue"] = fmt::format("{}/{}", version, end);
        meta["remainingItemCount"] = chosen->size() - end;
    }
    json::array items;
    for (std::size_t i = skip; i < end; ++i)
        items.push_back(listed((*chosen)[i]->object()));
    Response response;
    response.body = json::object{{"kind", target_.resource->kind + "List"},
                                 {"apiVersion", target_.resource->api_version()},
                                 {"metadata", std::move(meta)},
                                 {"items", std::move(items)}};
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
    const json::object nobody;
    if (const auto labels = matches_labels(nobody, watch.label_selector); !labels)
        return bad_request(labels.error());
    if (const auto fields = matches_fields(nobody, watch.field_selector); !fields)
        return bad_request(fields.error());
    if (const std::uint64_t seconds = number_of(query("timeoutSeconds")); seconds > 0)
        watch.timeout = std::chrono::seconds{seconds};
    const bool streams = query("sendInitialEvents") == "true";
    if (streams && (query("resourceVersionMatch") != "NotOlderThan" || !watch.bookmarks))
        return invalid(*target_.resource, {},
                       {{"resourceVersionMatch", "FieldValueForbidden",
                         "Forbidden: sendInitialEvents requires setting resourceVersionMatch to "
                         "NotOlderThan"}});
    watch.sends_initial = streams || from.empty() || from == "0";
    watch.version = watch.sends_initial ? 0 : number_of(from);
    watch.bookmarks = watch.bookmarks || streams;
    Response response;
    response.watch = std::move(watch);
    return response;
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
    json::object meta{{"resourceVersion", std::to_string(server_.storage_.version())}};
    if (target_.resource->is_custom()) meta["continue"] = "";
    Response response;
    response.body = json::object{
        {"kind", target_.resource->kind + "List"},
        {"apiVersion", target_.resource->api_version()},
        {"metadata", std::move(meta)},
        {"items", std::move(items)}};
    return response;
}

Response Handling::scale() {
    const ObjectPtr before = current();
    if (!before) return not_found(*target_.resource, target_.name);
    const json::object now = scale_of(before->object());
    Response response;
    response.body = now;
    if (request_.method == "GET") return response;
    auto sent = body();
    if (!sent) return sent.error();
    json::object wanted = request_.method == "PUT" ? *sent : *merge_patch(now, *sent);
    const std::int64_t replicas = number_at(wanted, "/spec/replicas");
    if (replicas < 0)
        return invalid(
            *target_.resource, target_.name,
            {{"spec.replicas", "FieldValueInvalid",
              fmt::format("Invalid value: {}: must be greater than or equal to 0", replicas)}});
    const Admitted judged = admitted(
        {server_.storage_, *target_.resource, "scale", request_.user, &before->object()}, wanted);
    if (judged.refusal) return forbidden(*target_.resource, target_.name, *judged.refusal);
    json::object after = before->object();
    set(after, "/spec/replicas", replicas);
    if (const std::string version = text_at(wanted, "/metadata/resourceVersion"); !version.empty())
        set(after, "/metadata/resourceVersion", version);
    // Admission has seen the Scale; the policies on the set itself do not see this write.
    Writing write = writing();
    write.is_scaled = true;
    response = write.update(before, std::move(after), {});
    if (response.status < 300) response.body = scale_of(response.body.get_object());
    return response;
}

}  // namespace sluice::sim
