#include "sim/kubectl/discovery.hpp"

#include <gmock/gmock.h>

namespace sluice::sim {
namespace {

using ::testing::ElementsAre;

const Resource pods{.group = "",
                    .version = "v1",
                    .plural = "pods",
                    .singular = "pod",
                    .kind = "Pod",
                    .short_names = {"po"},
                    .has_status = true,
                    .categories = {"all"}};
const Resource nodes{.group = "",
                     .version = "v1",
                     .plural = "nodes",
                     .singular = "node",
                     .kind = "Node",
                     .namespaced = false};
const Resource sets{.group = "apps",
                    .version = "v1",
                    .plural = "statefulsets",
                    .singular = "statefulset",
                    .kind = "StatefulSet",
                    .has_status = true,
                    .has_scale = true};
const Resource gate_alpha{.group = "sluice.dev",
                          .version = "v1alpha1",
                          .plural = "gates",
                          .singular = "gate",
                          .kind = "Gate"};
const Resource gate_stable{
    .group = "sluice.dev", .version = "v1", .plural = "gates", .singular = "gate", .kind = "Gate"};
const Resources all{&pods, &nodes, &sets, &gate_alpha, &gate_stable};

const std::string newest_first =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,"
    "application/json";

std::vector<std::string> names(const json::array& list, std::string_view pointer) {
    std::vector<std::string> found;
    for (const json::value& entry : list)
        found.push_back(text_at(entry.get_object(), pointer));
    return found;
}

json::object body(std::string_view path, std::string_view accept = "application/json") {
    const auto document = discover(all, path, accept);
    return document ? document->body.get_object() : json::object{{"kind", "nothing"}};
}

TEST(Discovery, lists_the_groups_other_than_core_with_the_preferred_version_first) {
    const json::object groups = body("/apis");
    EXPECT_EQ(text_at(groups, "/kind"), "APIGroupList");
    EXPECT_THAT(names(array_at(groups, "/groups"), "/name"), ElementsAre("apps", "sluice.dev"));
    EXPECT_EQ(text_at(groups, "/groups/1/preferredVersion/groupVersion"), "sluice.dev/v1");
    EXPECT_THAT(names(array_at(groups, "/groups/1/versions"), "/version"),
                ElementsAre("v1", "v1alpha1"));
}

TEST(Discovery, lists_the_resources_of_a_version_with_their_subresources) {
    const json::object list = body("/apis/apps/v1");
    EXPECT_EQ(text_at(list, "/groupVersion"), "apps/v1");
    EXPECT_THAT(names(array_at(list, "/resources"), "/name"),
                ElementsAre("statefulsets", "statefulsets/scale", "statefulsets/status"));
    EXPECT_EQ(text_at(list, "/resources/1/group"), "autoscaling");
    EXPECT_EQ(text_at(list, "/resources/1/kind"), "Scale");
    EXPECT_EQ(text_at(list, "/resources/2/kind"), "StatefulSet");
}

TEST(Discovery, lists_the_core_resources_below_api) {
    const json::object list = body("/api/v1");
    EXPECT_EQ(text_at(list, "/groupVersion"), "v1");
    EXPECT_THAT(names(array_at(list, "/resources"), "/name"),
                ElementsAre("pods", "pods/status", "nodes"));
    EXPECT_EQ(text_at(list, "/resources/0/shortNames/0"), "po");
    EXPECT_EQ(text_at(list, "/resources/0/categories/0"), "all");
    EXPECT_FALSE(flag_at(list, "/resources/2/namespaced"));
    EXPECT_EQ(text_at(body("/api"), "/versions/0"), "v1");
}

TEST(Discovery, tells_everything_at_once_to_those_who_understand_it) {
    const auto core = discover(all, "/api", newest_first);
    ASSERT_TRUE(core);
    EXPECT_EQ(core->content_type,
              "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
    EXPECT_EQ(text_at(core->body.get_object(), "/apiVersion"), "apidiscovery.k8s.io/v2");
    EXPECT_EQ(array_at(core->body.get_object(), "/items").size(), 1u);
    EXPECT_FALSE(has(core->body.get_object(), "/items/0/metadata/name"));

    const json::object others = body("/apis", newest_first);
    EXPECT_THAT(names(array_at(others, "/items"), "/metadata/name"),
                ElementsAre("apps", "sluice.dev"));
    const json::object& set = object_at(others, "/items/0/versions/0/resources/0");
    EXPECT_EQ(text_at(set, "/responseKind/kind"), "StatefulSet");
    EXPECT_EQ(text_at(set, "/scope"), "Namespaced");
    EXPECT_THAT(names(array_at(set, "/subresources"), "/subresource"),
                ElementsAre("scale", "status"));
}

TEST(Discovery, takes_the_first_form_of_the_header_that_it_has) {
    EXPECT_EQ(text_at(body("/apis",
                           "application/json;g=apidiscovery.k8s.io;v=v2beta1;"
                           "as=APIGroupDiscoveryList,application/json"),
                      "/apiVersion"),
              "apidiscovery.k8s.io/v2beta1");
    EXPECT_EQ(text_at(body("/apis", "application/json," + newest_first), "/kind"), "APIGroupList");
    EXPECT_EQ(text_at(body("/apis", "*/*"), "/kind"), "APIGroupList");
    EXPECT_EQ(text_at(body("/apis", ""), "/kind"), "APIGroupList");
}

TEST(Discovery, knows_nothing_of_other_paths) {
    for (const char* path : {"/", "", "/apis/nowhere", "/apis/apps/v2", "/api/v2", "/healthz",
                             "/api/v1/pods", "/apis/apps/v1/statefulsets", "/version/more"})
        EXPECT_FALSE(discover(all, path, "application/json")) << path;
}

TEST(Discovery, says_which_version_the_server_has) {
    EXPECT_EQ(text_at(body("/version"), "/gitVersion"), "v1.36.3-sluice");
    EXPECT_EQ(text_at(body("/version"), "/minor"), "36");
}

TEST(Discovery, orders_versions_as_kubernetes_does) {
    std::vector<std::string> versions{"foo1", "v1beta2", "v10", "v2", "v1alpha1", "v1beta10", "v1"};
    std::ranges::sort(versions, is_preferred);
    EXPECT_THAT(versions,
                ElementsAre("v10", "v2", "v1", "v1beta10", "v1beta2", "v1alpha1", "foo1"));
}

}  // namespace
}  // namespace sluice::sim
