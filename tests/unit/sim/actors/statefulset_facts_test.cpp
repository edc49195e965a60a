// What StatefulSets of Kubernetes 1.36 do that surprises people, and that Sluice has to live with.
#include <gtest/gtest.h>

#include "kubernetes.hpp"

namespace sluice::sim {
namespace {

constexpr int parked = 1'000'000;

void rest(Kubernetes& world) {
    world.run(2min);
}

TEST(StatefulSetFacts, K1RaisingThePartitionRollsNothingBack) {
    Kubernetes world;
    world.create_set(5);
    rest(world);
    world.set_partition(3);
    world.set_image("v2");
    rest(world);
    const std::string half = "web-0:v1 web-1:v1 web-2:v1 web-3:v2 web-4:v2";
    EXPECT_EQ(world.pods(), half);
    world.set_partition(5);
    rest(world);
    EXPECT_EQ(world.pods(), half);
    world.remove("pods", "web-4");
    rest(world);
    EXPECT_EQ(world.pods(), "web-0:v1 web-1:v1 web-2:v1 web-3:v2 web-4:v1");
}

TEST(StatefulSetFacts, K2ATemplateChangeReleasesEveryPodAboveThePartition) {
    Kubernetes world;
    world.create_set(4);
    rest(world);
    world.set_partition(2);
    world.set_image("v2");
    rest(world);
    world.set_image("v3");
    rest(world);
    EXPECT_EQ(world.pods(), "web-0:v1 web-1:v1 web-2:v3 web-3:v3");
}

TEST(StatefulSetFacts, K3PodsBeyondAPartitionAtTheReplicasStartOnTheNewRevision) {
    Kubernetes world;
    world.create_set(5);
    rest(world);
    world.set_partition(5);
    world.set_image("v2");
    rest(world);
    world.scale(7);
    rest(world);
    EXPECT_EQ(world.pods(), "web-0:v1 web-1:v1 web-2:v1 web-3:v1 web-4:v1 web-5:v2 web-6:v2");
}

TEST(StatefulSetFacts, K3PodsBelowAPartitionFarAwayStartOnTheOldRevision) {
    Kubernetes world;
    world.create_set(1);
    rest(world);
    world.set_partition(parked);
    world.set_image("v2");
    world.scale(3);
    rest(world);
    EXPECT_EQ(world.pods(), "web-0:v1 web-1:v1 web-2:v1");
}

TEST(StatefulSetFacts, K4ScalingToZeroCompletesAnUpdateThatIsHeld) {
    Kubernetes world;
    world.create_set(3);
    rest(world);
    world.set_partition(parked);
    world.set_image("v2");
    rest(world);
    EXPECT_NE(world.status("currentRevision"), world.status("updateRevision"));
    world.scale(0);
    rest(world);
    EXPECT_EQ(world.status("currentRevision"), world.status("updateRevision"));
    world.scale(3);
    rest(world);
    EXPECT_EQ(world.pods(), "web-0:v2 web-1:v2 web-2:v2");
}

TEST(StatefulSetFacts, K5APartitionCountsFromTheFirstOrdinal) {
    Kubernetes world;
    world.create_set(3, [](json::object& set) { sim::set(set, "/spec/ordinals/start", 10); });
    rest(world);
    world.set_partition(1);
    world.set_image("v2");
    rest(world);
    EXPECT_EQ(world.pods(), "web-10:v1 web-11:v2 web-12:v2");
    world.remove("pods", "web-10");
    rest(world);
    EXPECT_EQ(world.pods(), "web-10:v1 web-11:v2 web-12:v2");
}

TEST(StatefulSetFacts, K7UnderOnDeleteWhoeverComesBackIsNew) {
    Kubernetes world;
    world.create_set(2, [](json::object& set) {
        sim::set(set, "/spec/updateStrategy", json::object{{"type", "OnDelete"}});
    });
    rest(world);
    world.set_image("v2");
    world.misbehave("web-0", "fail");
    rest(world);
    EXPECT_EQ(world.pods(), "web-0:v2 web-1:v1");
}

TEST(StatefulSetFacts, K8ABrokenPodIsNotReplacedWhenTheTemplateIsRepaired) {
    Kubernetes world;
    world.create_set(3);
    rest(world);
    world.change_set([](json::object& set) {
        find(set, "/spec/template/spec/containers/0")->as_object()["image"] = "broken";
        object_in(set, "/spec/template/metadata/annotations")[behaviour_annotation] = "pull";
    });
    rest(world);
    EXPECT_EQ(world.pods(), "web-0:v1 web-1:v1 web-2:broken!");
    world.change_set([](json::object& set) {
        find(set, "/spec/template/spec/containers/0")->as_object()["image"] = "v3";
        object_in(set, "/spec/template/metadata").erase("annotations");
    });
    world.run(1h);
    EXPECT_EQ(world.pods(), "web-0:v1 web-1:v1 web-2:broken!");
    world.remove("pods", "web-2");
    rest(world);
    EXPECT_EQ(world.pods(), "web-0:v3 web-1:v3 web-2:v3");
}

TEST(StatefulSetFacts, K9AnOldTemplateGetsItsOldRevisionWithANewNumber) {
    Kubernetes world;
    world.create_set(1);
    rest(world);
    const std::string first = world.status("updateRevision");
    world.set_image("v2");
    rest(world);
    const std::string second = world.status("updateRevision");
    EXPECT_NE(first, second);
    world.set_image("v1");
    rest(world);
    EXPECT_EQ(world.status("updateRevision"), first);
    EXPECT_EQ(number_at(world.get("controllerrevisions.apps", first), "/revision"), 3);
    world.set_image("v2");
    rest(world);
    EXPECT_EQ(world.status("updateRevision"), second);
    EXPECT_EQ(number_at(world.get("controllerrevisions.apps", second), "/revision"), 4);
    EXPECT_EQ(world.cluster.api().list("controllerrevisions.apps", "default").size(), 2u);
}

TEST(StatefulSetFacts, K12ASetWithALongNameGetsNoPods) {
    Kubernetes world;
    const std::string name(57, 'a');
    world.create_set(1, [&](json::object& set) { sim::set(set, "/metadata/name", name); });
    rest(world);
    EXPECT_EQ(world.pods(), "");
    const auto events = world.cluster.api().list("events", "default");
    ASSERT_EQ(events.size(), 1u) << "the same news is one event, counted";
    EXPECT_EQ(text_at(events[0]->object(), "/reason"), "FailedCreate");
    EXPECT_GT(number_at(events[0]->object(), "/count"), 3);
}

void ask_for_two_at_once(json::object& set) {
    sim::set(set, "/spec/updateStrategy/rollingUpdate/maxUnavailable", 2);
}

TEST(StatefulSetFacts, K14WithoutItsGateMaxUnavailableMeansNothing) {
    Kubernetes world;
    world.create_set(4, ask_for_two_at_once);
    rest(world);
    world.set_image("v2");
    world.run(100ms);
    EXPECT_EQ(world.pods(), "web-0:v1 web-1:v1 web-2:v1 web-3:v1-");
}

TEST(StatefulSetFacts, K14WithItsGateSeveralPodsGoAtOnce) {
    Kubernetes world{{.pace = even_pace, .max_unavailable = true}};
    world.create_set(4, ask_for_two_at_once);
    rest(world);
    world.set_partition(1);
    world.set_image("v2");
    world.run(100ms);
    EXPECT_EQ(world.pods(), "web-0:v1 web-1:v1 web-2:v1- web-3:v1-");
    rest(world);
    EXPECT_EQ(world.pods(), "web-0:v1 web-1:v2 web-2:v2 web-3:v2");
}

TEST(StatefulSetFacts, K20AStrategyThatIsLeftOutOpensTheGate) {
    Kubernetes world;
    world.create_set(3);
    rest(world);
    world.set_partition(parked);
    world.set_image("v2");
    rest(world);
    EXPECT_EQ(world.pods(), "web-0:v1 web-1:v1 web-2:v1");
    world.change_set([](json::object& set) { erase(set, "/spec/updateStrategy"); });
    EXPECT_EQ(number_at(world.set(), "/spec/updateStrategy/rollingUpdate/partition", -1), 0);
    rest(world);
    EXPECT_EQ(world.pods(), "web-0:v2 web-1:v2 web-2:v2");
}

TEST(StatefulSetFacts, K22PodsAreDeletedWithoutAskingABudget) {
    Kubernetes world;
    world.create(R"({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"maxUnavailable": 0, "selector": {"matchLabels": {"app": "web"}}}})");
    world.create_set(2);
    rest(world);
    std::string deleted_by;
    world.cluster.api().on_change([&](const Change& change) {
        if (change.place.resource != "pods" || !change.before) return;
        const bool is_marked =
            is_terminating(change.object->object()) && !is_terminating(change.before->object());
        if (is_marked) deleted_by += change.place.name + " " + change.user + "\n";
    });
    world.set_image("v2");
    rest(world);
    const std::string user = "system:serviceaccount:kube-system:statefulset-controller\n";
    EXPECT_EQ(deleted_by, "web-1 " + user + "web-0 " + user);
}

TEST(StatefulSetFacts, RevisionsBeyondTheHistoryLimitAreForgotten) {
    Kubernetes world;
    world.create_set(1, [](json::object& set) { sim::set(set, "/spec/revisionHistoryLimit", 1); });
    rest(world);
    for (const char* image : {"v2", "v3", "v4"}) {
        world.set_image(image);
        rest(world);
    }
    EXPECT_EQ(world.cluster.api().list("controllerrevisions.apps", "default").size(), 2u)
        << "the live one and one of the past";
}

TEST(StatefulSetFacts, ANameThatIsTakenByAnotherTemplateIsACollision) {
    Kubernetes first;
    first.create_set(1);
    rest(first);
    const std::string name = first.status("updateRevision");

    Kubernetes world;
    world.create(R"({"apiVersion": "apps/v1", "kind": "ControllerRevision", "revision": 7,
        "metadata": {"namespace": "default", "name": ")" +
                 name + R"("}, "data": {"spec": {"template": {}}}})");
    world.create_set(1);
    rest(world);
    EXPECT_EQ(world.status("collisionCount"), "1");
    EXPECT_NE(world.status("updateRevision"), name);
    EXPECT_EQ(world.pods(), "web-0:v1");
}

}  // namespace
}  // namespace sluice::sim
