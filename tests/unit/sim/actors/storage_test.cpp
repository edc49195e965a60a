#include <gtest/gtest.h>

#include "kubernetes.hpp"

namespace sluice::sim {
namespace {

void give_claims(json::object& set) {
    sim::set(set, "/spec/volumeClaimTemplates", json::parse(R"([{
        "metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"],
                 "resources": {"requests": {"storage": "1Gi"}}}}])"));
}

std::function<void(json::object&)> with_policy(const char* when_scaled, const char* when_deleted) {
    return [=](json::object& set) {
        give_claims(set);
        sim::set(set, "/spec/persistentVolumeClaimRetentionPolicy",
                 json::object{{"whenScaled", when_scaled}, {"whenDeleted", when_deleted}});
    };
}

TEST(Storage, EveryPodOfASetGetsItsClaimAndTheClaimAVolume) {
    Kubernetes world;
    world.create_set(2, give_claims);
    world.run(10s);
    EXPECT_EQ(world.names("persistentvolumeclaims"), "data-web-0 data-web-1");
    EXPECT_EQ(world.pods(), "web-0:v1 web-1:v1");
    const json::object claim = world.get("persistentvolumeclaims", "data-web-1");
    EXPECT_EQ(text_at(claim, "/status/phase"), "Bound");
    EXPECT_EQ(text_at(claim, "/metadata/labels/app"), "web");
    const std::string volume = text_at(claim, "/spec/volumeName");
    EXPECT_NE(world.cluster.api().find("persistentvolumes", {}, volume), nullptr);
    EXPECT_EQ(
        text_at(world.get("pods", "web-1"), "/spec/volumes/0/persistentVolumeClaim/claimName"),
        "data-web-1");
}

TEST(Storage, ClaimsOutliveTheirPodsAndTheirSet) {
    Kubernetes world;
    world.create_set(2, give_claims);
    world.run(10s);
    const std::string before =
        text_at(world.get("persistentvolumeclaims", "data-web-1"), "/metadata/uid");
    world.scale(1);
    world.run(10s);
    world.scale(2);
    world.run(10s);
    EXPECT_EQ(text_at(world.get("persistentvolumeclaims", "data-web-1"), "/metadata/uid"), before);
    world.remove("statefulsets.apps", "web");
    world.run(10s);
    EXPECT_EQ(world.pods(), "");
    EXPECT_EQ(world.names("persistentvolumeclaims"), "data-web-0 data-web-1");
}

TEST(Storage, ClaimsGoWithTheirPodsWhenScaledDownIfThePolicySaysSo) {
    Kubernetes world;
    world.create_set(3, with_policy("Delete", "Retain"));
    world.run(10s);
    world.scale(1);
    world.run(10s);
    EXPECT_EQ(world.names("persistentvolumeclaims"), "data-web-0");
    EXPECT_EQ(world.cluster.api().list("persistentvolumes").size(), 1u);
    world.remove("statefulsets.apps", "web");
    world.run(10s);
    EXPECT_EQ(world.names("persistentvolumeclaims"), "data-web-0");
}

TEST(Storage, ClaimsGoWithTheirSetIfThePolicySaysSo) {
    Kubernetes world;
    world.create_set(3, with_policy("Retain", "Delete"));
    world.run(10s);
    world.scale(1);
    world.run(10s);
    EXPECT_EQ(world.names("persistentvolumeclaims"), "data-web-0 data-web-1 data-web-2");
    world.remove("statefulsets.apps", "web");
    world.run(10s);
    EXPECT_EQ(world.names("persistentvolumeclaims"), "");
}

TEST(Storage, APolicyThatChangesTakesEffectOnClaimsThatAreThere) {
    Kubernetes world;
    world.create_set(1, give_claims);
    world.run(10s);
    world.change_set(with_policy("Retain", "Delete"));
    world.run(5s);
    EXPECT_EQ(text_at(world.get("persistentvolumeclaims", "data-web-0"),
                      "/metadata/ownerReferences/0/kind"),
              "StatefulSet");
    world.change_set(with_policy("Retain", "Retain"));
    world.run(5s);
    EXPECT_FALSE(
        has(world.get("persistentvolumeclaims", "data-web-0"), "/metadata/ownerReferences"));
}

TEST(Storage, APodIsReplacedWithoutLosingItsClaim) {
    Kubernetes world;
    world.create_set(1, with_policy("Delete", "Delete"));
    world.run(10s);
    const std::string before =
        text_at(world.get("persistentvolumeclaims", "data-web-0"), "/metadata/uid");
    world.remove("pods", "web-0");
    world.run(10s);
    EXPECT_EQ(world.pods(), "web-0:v1");
    EXPECT_EQ(text_at(world.get("persistentvolumeclaims", "data-web-0"), "/metadata/uid"), before);
}

TEST(Storage, AClaimIsNotTakenFromAPodThatUsesIt) {
    Kubernetes world;
    world.create_set(1, give_claims);
    world.run(10s);
    world.remove("persistentvolumeclaims", "data-web-0");
    world.run(1min);
    EXPECT_TRUE(is_terminating(world.get("persistentvolumeclaims", "data-web-0")));
    EXPECT_EQ(world.pods(), "web-0:v1");
    const std::string before =
        text_at(world.get("persistentvolumeclaims", "data-web-0"), "/metadata/uid");
    world.remove("pods", "web-0");
    world.run(30s);
    EXPECT_EQ(world.pods(), "web-0:v1");
    EXPECT_NE(text_at(world.get("persistentvolumeclaims", "data-web-0"), "/metadata/uid"), before);
}

TEST(Storage, APodWaitsForAClaimThatIsNotThere) {
    Kubernetes world;
    world.create(R"({"apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "lone", "namespace": "default"},
        "spec": {"containers": [{"name": "main", "image": "v1"}],
                 "volumes": [{"name": "data",
                              "persistentVolumeClaim": {"claimName": "later"}}]}})");
    world.run(10s);
    EXPECT_EQ(world.node_of("lone"), "");
    EXPECT_EQ(text_at(world.get("pods", "lone"), "/status/conditions/0/reason"), "Unschedulable");
    world.create(R"({"apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"name": "later", "namespace": "default"},
        "spec": {"accessModes": ["ReadWriteOnce"],
                 "resources": {"requests": {"storage": "1Gi"}}}})");
    world.run(10s);
    EXPECT_EQ(world.pods(), "lone:v1");
}

TEST(Storage, AClaimForOnePodServesOnePodAtATime) {
    Kubernetes world;
    world.create(R"({"apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"name": "single", "namespace": "default"},
        "spec": {"accessModes": ["ReadWriteOncePod"],
                 "resources": {"requests": {"storage": "1Gi"}}}})");
    for (const char* name : {"first", "second"})
        world.create(R"({"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": ")" +
                     std::string{name} + R"(", "namespace": "default"},
            "spec": {"containers": [{"name": "main", "image": "v1"}],
                     "volumes": [{"name": "data",
                                  "persistentVolumeClaim": {"claimName": "single"}}]}})");
    world.run(10s);
    EXPECT_EQ(world.pods(), "first:v1 second:v1!");
    EXPECT_EQ(world.node_of("second"), "");
    world.remove("pods", "first");
    world.run(10s);
    EXPECT_EQ(world.pods(), "second:v1");
}

}  // namespace
}  // namespace sluice::sim
