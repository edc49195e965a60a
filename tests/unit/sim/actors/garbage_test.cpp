#include <gtest/gtest.h>

#include "kubernetes.hpp"

namespace sluice::sim {
namespace {

TEST(Garbage, InTheBackgroundTheOwnerGoesFirst) {
    Kubernetes world;
    world.create_set(2);
    world.run(10s);
    world.remove("statefulsets.apps", "web");
    EXPECT_FALSE(world.exists("statefulsets.apps", "web"));
    EXPECT_EQ(world.pods(), "web-0:v1 web-1:v1");
    world.run(5s);
    EXPECT_EQ(world.pods(), "");
    EXPECT_EQ(world.names("controllerrevisions.apps"), "");
}

TEST(Garbage, InTheForegroundTheDependentsGoFirst) {
    Kubernetes world;
    world.create_set(2);
    world.run(10s);
    PodHistory history{world.cluster};
    world.remove("statefulsets.apps", "web", {.propagation = "Foreground"});
    world.run(200ms);
    EXPECT_TRUE(is_terminating(world.set()));
    EXPECT_EQ(world.pods(), "web-0:v1- web-1:v1-");
    world.run(5s);
    EXPECT_FALSE(world.exists("statefulsets.apps", "web"));
    EXPECT_EQ(history.take(), "-web-0 -web-1") << "and none was made anew";
}

TEST(Garbage, OrphansStayAndAreAdoptedByTheNextOwner) {
    Kubernetes world;
    world.create_set(2);
    world.run(10s);
    const std::string first = world.uid("web-0"),
                      revision = world.names("controllerrevisions.apps");
    world.remove("statefulsets.apps", "web", {.propagation = "Orphan"});
    world.run(5s);
    EXPECT_FALSE(world.exists("statefulsets.apps", "web"));
    EXPECT_EQ(world.pods(), "web-0:v1 web-1:v1");
    EXPECT_FALSE(has(world.get("pods", "web-0"), "/metadata/ownerReferences"));
    world.create_set(2);
    world.run(10s);
    EXPECT_EQ(world.uid("web-0"), first);
    EXPECT_EQ(world.names("controllerrevisions.apps"), revision);
    EXPECT_EQ(world.status("readyReplicas"), "2");
}

std::string owned_by(const std::vector<std::string>& uids) {
    json::array owners;
    for (const std::string& uid : uids)
        owners.push_back(
            {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"name", "owner"}, {"uid", uid}});
    return json::serialize(owners);
}

std::string config_map(const std::string& name, const std::string& owners) {
    return R"({"apiVersion": "v1", "kind": "ConfigMap",
               "metadata": {"namespace": "default", "name": ")" +
           name + R"(", "ownerReferences": )" + owners + "}}";
}

TEST(Garbage, WhoHasAnotherLivingOwnerStaysAndLosesTheDeadOne) {
    Kubernetes world;
    world.create(config_map("one", "[]"));
    world.create(config_map("two", "[]"));
    const std::string one = text_at(world.get("configmaps", "one"), "/metadata/uid");
    const std::string two = text_at(world.get("configmaps", "two"), "/metadata/uid");
    world.create(config_map("child", owned_by({one, two})));
    world.remove("configmaps", "one");
    world.run(5s);
    const json::object child = world.get("configmaps", "child");
    ASSERT_EQ(array_at(child, "/metadata/ownerReferences").size(), 1u);
    EXPECT_EQ(text_at(child, "/metadata/ownerReferences/0/uid"), two);
    world.remove("configmaps", "two");
    world.run(5s);
    EXPECT_FALSE(world.exists("configmaps", "child"));
}

TEST(Garbage, WhoNamesAnOwnerThatWasNeverThereGoes) {
    Kubernetes world;
    world.create(config_map("child", owned_by({"not-a-uid"})));
    world.run(5s);
    EXPECT_FALSE(world.exists("configmaps", "child"));
}

TEST(Garbage, ANamespaceGoesWithEverythingInIt) {
    Kubernetes world;
    ApiServer& api = world.cluster.api();
    api.create({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "shop"}}}},
               admin, world.now());
    world.create_set(2, [](json::object& set) { sim::set(set, "/metadata/namespace", "shop"); });
    world.run(10s);
    EXPECT_EQ(api.list("pods", "shop").size(), 2u);
    api.remove("namespaces", {}, "shop", admin, world.now());
    EXPECT_EQ(text_at(api.find("namespaces", {}, "shop")->object(), "/status/phase"),
              "Terminating");
    world.run(10s);
    EXPECT_EQ(api.find("namespaces", {}, "shop"), nullptr);
    for (const Resource* resource : api.resources())
        EXPECT_TRUE(api.list(resource->id(), "shop").empty()) << resource->id();
}

}  // namespace
}  // namespace sluice::sim
