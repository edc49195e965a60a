#include "sim/kubectl/front.hpp"

#include "sim/api/answers.hpp"
#include "sim/api/writing.hpp"
#include "sim/kubectl/discovery.hpp"
#include "sim/kubectl/openapi.hpp"
#include "sim/kubectl/protobuf.hpp"
#include "sim/kubectl/table.hpp"

namespace sluice::sim {
namespace {

bool is_health_check(const std::string& path) {
    return path == "/healthz" || path == "/livez" || path == "/readyz";
}

Response plain(std::string text) {
    return {.text = std::move(text), .content_type = "text/plain; charset=utf-8"};
}

std::string without_list(std::string kind) {
    if (kind.ends_with("List")) kind.resize(kind.size() - 4);
    return kind;
}

// Lists and single objects; whatever else was answered stays as it is.
Response as_table(const ApiServer& server, Response response, RowObject carried, Instant now) {
    json::object* body = response.body.if_object();
    if (!body || response.status != 200) return response;
    const std::string kind = text_at(*body, "/kind");
    const json::value* items = find(*body, "/items");
    const bool is_list = items && items->is_array();
    const Resource* resource = server.resource_for({{"apiVersion", text_at(*body, "/apiVersion")},
                                                    {"kind", is_list ? without_list(kind) : kind}});
    if (!resource) return response;
    std::vector<ObjectPtr> objects;
    if (is_list) {
        for (json::value& item : find(*body, "/items")->get_array()) {
            item.get_object()["apiVersion"] = resource->api_version();
            item.get_object()["kind"] = resource->kind;
            objects.push_back(std::make_shared<const Stored>(std::move(item.get_object())));
        }
    } else {
        objects.push_back(std::make_shared<const Stored>(*body));
    }
    json::object rows = table(*resource, objects, now, carried);
    json::object& meta = object_in(rows, "/metadata");
    for (const char* key : {"resourceVersion", "continue", "remainingItemCount"}) {
        if (const json::value* value = find(*body, std::string{"/metadata/"} + key))
            meta[key] = *value;
    }
    response.body = std::move(rows);
    return response;
}

}  // namespace

Response serve_client(ApiServer& server, const Request& request, Instant now) {
    const bool reads = request.method == "GET" || request.method == "HEAD";
    if (reads && is_health_check(request.path)) return plain("ok");
    if (reads) {
        const Resources resources = server.resources();
        if (auto found = discover(resources, request.path, request.accept)) return *found;
        if (is_openapi_path(request.path))
            return openapi(resources, request.path, request.accept).value_or(no_such_path());
    }
    Request asked = request;
    if (asked.method == "HEAD") asked.method = "GET";
    if (asked.content_type.starts_with(protobuf_type) && !asked.body.empty()) {
        const auto object = from_protobuf(asked.body);
        if (!object) return refusal(415, "UnsupportedMediaType", object.error());
        asked.body = json::serialize(*object);
        asked.content_type = "application/json";
    }
    Response response = server.serve(asked, now);
    if (!reads || response.watch || !wants_table(request.accept)) return response;
    const auto include = request.query.find("includeObject");
    return as_table(server, std::move(response),
                    row_object(include == request.query.end() ? "" : include->second), now);
}

std::string watch_line(const ApiServer& server, const Watch& watch, const WatchedEvent& event,
                       Instant now) {
    const std::string head = "{\"type\":\"" + event.type + "\",\"object\":";
    const Resource* resource = nullptr;
    for (const Resource* one : server.resources()) {
        if (one->api_version() == watch.api_version && storage_id(*one) == watch.resource)
            resource = one;
    }
    if (event.type == "ERROR" || watch.as_metadata || !resource)
        return head + event.object->text() + "}\n";
    if (event.type != "BOOKMARK" && watch.as_table)
        return head + json::serialize(table(*resource, {event.object}, now)) + "}\n";
    const bool is_as_stored =
        text_at(event.object->object(), "/apiVersion") == resource->api_version() &&
        text_at(event.object->object(), "/kind") == resource->kind;
    if (is_as_stored) return head + event.object->text() + "}\n";
    // Of a bookmark, too, which has no object: clients look at its kind.
    return head + json::serialize(shown_as(*resource, event.object->object())) + "}\n";
}

}  // namespace sluice::sim
