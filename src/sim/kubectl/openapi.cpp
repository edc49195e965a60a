#include "sim/kubectl/openapi.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>

#include "sim/api/split.hpp"
#include "sim/kubectl/built_in_fields.hpp"

namespace sluice::sim {
namespace {

const std::string meta_name = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

json::object kind_of(const Resource& resource) {
    return {{"group", resource.group}, {"version", resource.version}, {"kind", resource.kind}};
}

// "dev.sluice.v1.Gate" for Gate in v1 of sluice.dev; "io.k8s.api.apps.v1.StatefulSet".
std::string schema_name(const Resource& resource) {
    auto parts = parts_of(resource.group, '.');
    std::ranges::reverse(parts);
    std::string name = fmt::format("{}", fmt::join(parts, "."));
    if (!resource.is_custom())
        name = fmt::format("io.k8s.api.{}", parts.empty() ? "core" : parts.back());
    return name + "." + resource.version + "." + resource.kind;
}

json::object with_kind_fields(json::object schema, const Resource& resource) {
    json::object& properties = object_in(schema, "/properties");
    properties["apiVersion"] = {
        {"type", "string"},
        {"description", "The version of the schema of this object: " + resource.api_version()}};
    properties["kind"] = {{"type", "string"},
                          {"description", "The kind of this object: " + resource.kind}};
    properties["metadata"] = {
        {"description", "Standard metadata of the object."},
        {"allOf", json::array{json::object{{"$ref", "#/components/schemas/" + meta_name}}}},
        {"default", json::object{}}};
    schema["type"] = "object";
    schema["x-kubernetes-group-version-kind"] = json::array{kind_of(resource)};
    return schema;
}

json::object schema_of(const Resource& resource) {
    if (resource.is_custom()) return with_kind_fields(resource.schema->document, resource);
    return with_kind_fields(built_in_schema(resource.kind, resource.has_status), resource);
}

json::object query_parameter(const char* name, const char* description) {
    return {{"name", name},
            {"in", "query"},
            {"description", description},
            {"schema", {{"type", "string"}, {"uniqueItems", true}}}};
}

json::array path_parameters(bool namespaced, bool named) {
    json::array parameters;
    const auto add = [&](const char* name) {
        parameters.push_back(json::object{{"name", name},
                                          {"in", "path"},
                                          {"required", true},
                                          {"schema", {{"type", "string"}, {"uniqueItems", true}}}});
    };
    if (named) add("name");
    if (namespaced) add("namespace");
    return parameters;
}

json::object operation(const Resource& resource, const char* action) {
    const json::object reference{{"$ref", "#/components/schemas/" + schema_name(resource)}};
    const json::object content{{"application/json", {{"schema", reference}}}};
    return {
        {"operationId", std::string{action} + resource.version + resource.kind},
        {"responses", {{"200", {{"description", "OK"}, {"content", content}}}}},
        {"x-kubernetes-action", action},
        {"x-kubernetes-group-version-kind", kind_of(resource)},
    };
}

json::object writing(const Resource& resource, const char* action,
                     std::initializer_list<const char*> media_types) {
    json::object content;
    for (const char* type : media_types)
        content[type] = {{"schema", {{"type", "object"}}}};
    json::object written = operation(resource, action);
    written["parameters"] = json::array{
        query_parameter("dryRun", "All: nothing is stored."),
        query_parameter("fieldManager", "Who makes the change."),
        query_parameter("fieldValidation", "Ignore, Warn or Strict: unknown and double fields.")};
    written["requestBody"] = {{"content", std::move(content)}, {"required", true}};
    return written;
}

void add_paths(json::object& paths, const Resource& resource) {
    std::string collection = resource.group.empty() ? "/api/" : "/apis/" + resource.group + "/";
    collection += resource.version;
    if (resource.namespaced) collection += "/namespaces/{namespace}";
    collection += "/" + resource.plural;
    paths[collection] = {{"get", operation(resource, "list")},
                         {"post", writing(resource, "post", {"application/json"})},
                         {"parameters", path_parameters(resource.namespaced, false)}};
    paths[collection + "/{name}"] = {
        {"get", operation(resource, "get")},
        {"put", writing(resource, "put", {"application/json"})},
        {"patch", writing(resource, "patch",
                          {"application/apply-patch+yaml", "application/json-patch+json",
                           "application/merge-patch+json"})},
        {"delete", operation(resource, "delete")},
        {"parameters", path_parameters(resource.namespaced, true)}};
}

std::string protobuf_field(char number, std::string_view bytes) {
    constexpr char length_delimited = 2;
    std::string field{static_cast<char>(number << 3 | length_delimited)};
    field += static_cast<char>(bytes.size());  // all that we write is shorter than 128
    return field.append(bytes);
}

bool wants_protobuf(std::string_view accept) {
    return accept.find("protobuf") < accept.find("json");
}

json::object openapi_v3_index(const Resources& resources) {
    json::object paths;
    for (const Resource* resource : resources) {
        const std::string path =
            (resource->group.empty() ? "api/" : "apis/") + resource->api_version();
        paths[path] = {{"serverRelativeURL", "/openapi/v3/" + path}};
    }
    return {{"paths", std::move(paths)}};
}

// /openapi/v3/api/v1, /openapi/v3/apis/<group>/<version>; nothing if there is no such version.
std::optional<json::object> openapi_v3(const Resources& resources, std::string_view group,
                                       std::string_view version) {
    json::object paths;
    json::object schemas{{meta_name, object_meta_schema()}};
    for (const Resource* resource : resources) {
        if (resource->group != group || resource->version != version) continue;
        add_paths(paths, *resource);
        schemas[schema_name(*resource)] = schema_of(*resource);
    }
    if (paths.empty()) return std::nullopt;
    return json::object{{"openapi", "3.0.0"},
                        {"info", {{"title", "Kubernetes"}, {"version", server_version}}},
                        {"paths", std::move(paths)},
                        {"components", {{"schemas", std::move(schemas)}}}};
}

// Version 2 has no paths and no definitions: clients that find nothing there go on with what they
// have compiled in. kubectl understands it as protobuf only.
json::object openapi_v2() {
    return {{"swagger", "2.0"},
            {"info", {{"title", "Kubernetes"}, {"version", server_version}}},
            {"paths", json::object{}},
            {"definitions", json::object{}}};
}

// The fields of openapi.v2.Document: swagger = 1, info = 2 (title = 1, version = 2), paths = 8.
std::string openapi_v2_protobuf() {
    const std::string info = protobuf_field(1, "Kubernetes") + protobuf_field(2, server_version);
    return protobuf_field(1, "2.0") + protobuf_field(2, info) + protobuf_field(8, "");
}

}  // namespace

bool is_openapi_path(std::string_view path) {
    return path == "/openapi/v2" || path == "/openapi/v3" || path.starts_with("/openapi/v3/");
}

std::optional<Response> openapi(const Resources& resources, std::string_view path,
                                std::string_view accept) {
    if (path == "/openapi/v2") {
        if (!wants_protobuf(accept)) return Response{.body = openapi_v2()};
        return Response{.text = openapi_v2_protobuf(), .content_type = openapi_v2_protobuf_type};
    }
    if (path == "/openapi/v3") return Response{.body = openapi_v3_index(resources)};
    for (const Resource* resource : resources) {
        const std::string root = resource->group.empty() ? "/openapi/v3/api/" : "/openapi/v3/apis/";
        if (path != root + resource->api_version()) continue;
        auto document = openapi_v3(resources, resource->group, resource->version);
        if (document) return Response{.body = std::move(*document)};
    }
    return std::nullopt;
}

}  // namespace sluice::sim
