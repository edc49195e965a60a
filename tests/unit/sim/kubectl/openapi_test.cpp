#include "sim/kubectl/openapi.hpp"

#include <gmock/gmock.h>

namespace sluice::sim {
namespace {

const Resource sets{.group = "apps",
                    .version = "v1",
                    .plural = "statefulsets",
                    .singular = "statefulset",
                    .kind = "StatefulSet",
                    .has_status = true};
const Resource nodes{.group = "",
                     .version = "v1",
                     .plural = "nodes",
                     .singular = "node",
                     .kind = "Node",
                     .namespaced = false,
                     .has_status = true};
const Resource gates{
    .group = "sluice.dev",
    .version = "v1",
    .plural = "gates",
    .singular = "gate",
    .kind = "Gate",
    .schema = std::make_shared<const Schema>(json::object{
        {"type", "object"},
        {"description", "Lets one pod through at a time."},
        {"properties",
         {{"spec", {{"type", "object"}, {"properties", {{"width", {{"type", "integer"}}}}}}}}}})};
const Resources all{&nodes, &sets, &gates};

json::object document(std::string_view path) {
    const auto found = openapi(all, path, "application/json");
    return found ? found->body.get_object() : json::object{};
}

TEST(OpenApi, has_one_document_per_group_version) {
    const json::object index = document("/openapi/v3");
    EXPECT_EQ(text_at(index, "/paths/apis~1apps~1v1/serverRelativeURL"),
              "/openapi/v3/apis/apps/v1");
    EXPECT_EQ(text_at(index, "/paths/api~1v1/serverRelativeURL"), "/openapi/v3/api/v1");
    EXPECT_EQ(object_at(index, "/paths").size(), 3u);
    EXPECT_FALSE(openapi(all, "/openapi/v3/apis/apps/v2", ""));
}

TEST(OpenApi, says_that_patch_takes_field_validation_and_no_strategic_merge) {
    const json::object apps = document("/openapi/v3/apis/apps/v1");
    const json::object& patch = object_at(
        apps, "/paths/~1apis~1apps~1v1~1namespaces~1{namespace}~1statefulsets~1{name}/patch");
    EXPECT_EQ(text_at(patch, "/x-kubernetes-group-version-kind/kind"), "StatefulSet");
    EXPECT_EQ(text_at(patch, "/parameters/2/name"), "fieldValidation");
    EXPECT_EQ(text_at(patch, "/parameters/2/in"), "query");
    const json::object& content = object_at(patch, "/requestBody/content");
    EXPECT_TRUE(content.contains("application/merge-patch+json"));
    EXPECT_FALSE(content.contains("application/strategic-merge-patch+json"));
}

TEST(OpenApi, shows_the_whole_schema_of_a_custom_resource) {
    const json::object gate = object_at(document("/openapi/v3/apis/sluice.dev/v1"),
                                        "/components/schemas/dev.sluice.v1.Gate");
    EXPECT_EQ(text_at(gate, "/properties/spec/properties/width/type"), "integer");
    EXPECT_EQ(text_at(gate, "/x-kubernetes-group-version-kind/0/group"), "sluice.dev");
    EXPECT_EQ(text_at(gate, "/properties/kind/type"), "string");
    EXPECT_EQ(text_at(gate, "/description"), "Lets one pod through at a time.");
}

TEST(OpenApi, shows_the_fields_of_built_in_kinds) {
    const json::object set = object_at(document("/openapi/v3/apis/apps/v1"),
                                       "/components/schemas/io.k8s.api.apps.v1.StatefulSet");
    EXPECT_EQ(text_at(set,
                      "/properties/spec/properties/updateStrategy/properties/rollingUpdate/"
                      "properties/partition/type"),
              "integer");
    EXPECT_EQ(text_at(set, "/properties/metadata/allOf/0/$ref"),
              "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
    const json::object core = document("/openapi/v3/api/v1");
    EXPECT_TRUE(has(core, "/paths/~1api~1v1~1nodes~1{name}/patch"));
    EXPECT_TRUE(has(core, "/components/schemas/io.k8s.api.core.v1.Node/properties/status"));
    EXPECT_EQ(text_at(core,
                      "/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta/"
                      "properties/finalizers/items/type"),
              "string");
}

TEST(OpenApi, answers_version_2_as_protobuf_if_asked_so) {
    const auto binary = openapi(all, "/openapi/v2", openapi_v2_protobuf_type);
    ASSERT_TRUE(binary);
    EXPECT_EQ(binary->content_type, openapi_v2_protobuf_type);
    EXPECT_EQ(binary->text, std::string("\x0a\x03"
                                        "2.0\x12\x1c\x0a\x0aKubernetes\x12\x0e"
                                        "v1.36.3-sluice\x42\x00",
                                        37));
    EXPECT_EQ(text_at(document("/openapi/v2"), "/swagger"), "2.0");
    EXPECT_TRUE(is_openapi_path("/openapi/v3/api/v1"));
    EXPECT_FALSE(is_openapi_path("/openapi/v4"));
}

}  // namespace
}  // namespace sluice::sim
