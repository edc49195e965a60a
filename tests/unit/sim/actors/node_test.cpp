#include <gtest/gtest.h>

#include <set>

#include "kubernetes.hpp"

namespace sluice::sim {
namespace {

TEST(Node, PodsAreSpreadOverTheNodes) {
    Kubernetes world;
    world.create_set(3);
    world.run(10s);
    EXPECT_EQ((std::set{world.node_of("web-0"), world.node_of("web-1"), world.node_of("web-2")}),
              (std::set<std::string>{"node-0", "node-1", "node-2"}));
}

TEST(Node, APodGoesWhereItsSelectorSays) {
    Kubernetes world;
    world.create_set(2, [](json::object& set) {
        sim::set(set, "/spec/template/spec/nodeSelector/topology.kubernetes.io~1zone", "zone-b");
    });
    world.run(10s);
    EXPECT_EQ(world.node_of("web-0"), "node-1");
    EXPECT_EQ(world.node_of("web-1"), "node-1");
}

TEST(Node, ThatIsDownTakesNoPods) {
    Kubernetes world;
    world.cluster.set_node_ready("node-0", false);
    world.create_set(4);
    world.run(20s);
    for (const char* pod : {"web-0", "web-1", "web-2", "web-3"})
        EXPECT_NE(world.node_of(pod), "node-0") << pod;
}

TEST(Node, PodsWaitUntilOneIsUp) {
    Kubernetes world{{.pace = even_pace, .nodes = 1}};
    world.cluster.set_node_ready("node-0", false);
    world.create_set(1);
    world.run(1min);
    EXPECT_EQ(world.pods(), "web-0:v1!");
    EXPECT_EQ(world.node_of("web-0"), "");
    world.cluster.set_node_ready("node-0", true);
    world.run(5s);
    EXPECT_EQ(world.pods(), "web-0:v1");
}

TEST(Node, APodThatIsToldToBehaveBeforeItMisbehavedStaysReady) {
    Kubernetes world;
    world.create_set(1);
    world.run(10s);
    world.misbehave("web-0", "unready");
    world.run(200ms);
    world.misbehave("web-0", "");
    world.run(1min);
    EXPECT_EQ(world.pods(), "web-0:v1");
}

TEST(Node, ItsPodsBecomeUnreadyWithItAndReadyAgain) {
    Kubernetes world;
    world.create_set(3);
    world.run(10s);
    world.cluster.set_node_ready("node-1", false);
    world.run(1s);
    EXPECT_EQ(world.pods(), "web-0:v1 web-1:v1! web-2:v1");
    world.cluster.set_node_ready("node-1", true);
    world.run(5s);
    EXPECT_EQ(world.pods(), "web-0:v1 web-1:v1 web-2:v1");
}

TEST(Node, APodOnADeadNodeNeverEndsUntilTheNodeIsBack) {
    Kubernetes world;
    world.create_set(2);
    world.run(10s);
    const std::string node = world.node_of("web-1");
    world.cluster.set_node_ready(node, false);
    world.run(1s);
    world.remove("pods", "web-1");
    world.run(1h);
    EXPECT_EQ(world.pods(), "web-0:v1 web-1:v1-");
    world.cluster.set_node_ready(node, true);
    world.run(10s);
    EXPECT_EQ(world.pods(), "web-0:v1 web-1:v1");
}

TEST(Node, APodOnADeadNodeCanBeForcedOut) {
    Kubernetes world;
    world.create_set(2);
    world.run(10s);
    world.cluster.set_node_ready(world.node_of("web-1"), false);
    world.run(1s);
    world.remove("pods", "web-1", {.grace = 0});
    world.run(10s);
    EXPECT_EQ(world.pods(), "web-0:v1 web-1:v1");
}

TEST(Kubelet, TellsHowAPodComesToLife) {
    Kubernetes world;
    world.create_set(1);
    world.run(500ms);
    EXPECT_EQ(world.waits_for("web-0"), "ContainerCreating");
    EXPECT_EQ(text_at(world.get("pods", "web-0"), "/status/phase"), "Pending");
    world.run(1s);
    EXPECT_EQ(text_at(world.get("pods", "web-0"), "/status/phase"), "Running");
    EXPECT_EQ(world.pods(), "web-0:v1!");
    world.run(1s);
    const json::object pod = world.get("pods", "web-0");
    EXPECT_EQ(world.pods(), "web-0:v1");
    for (const char* type : {"PodScheduled", "Initialized", "ContainersReady", "Ready"}) {
        const json::object* found = condition(object_at(pod, "/status"), type);
        ASSERT_NE(found, nullptr) << type;
        EXPECT_EQ(text(*found, "status"), "True") << type;
        EXPECT_TRUE(parse_rfc3339(text(*found, "lastTransitionTime"))) << type;
    }
    EXPECT_TRUE(text_at(pod, "/status/podIP").starts_with("10."));
    EXPECT_TRUE(has(pod, "/status/startTime"));
    EXPECT_TRUE(flag_at(pod, "/status/containerStatuses/0/ready"));
}

TEST(Kubelet, ACrashLoopIsStartedEverMoreSlowlyAndNeverReady) {
    Kubernetes world;
    world.create_set(1, [](json::object& set) {
        object_in(set, "/spec/template/metadata/annotations")[behaviour_annotation] = "crash";
    });
    world.run(5s);
    EXPECT_EQ(world.waits_for("web-0"), "CrashLoopBackOff");
    world.run(1h);
    const std::int64_t restarts =
        number_at(world.get("pods", "web-0"), "/status/containerStatuses/0/restartCount");
    EXPECT_GT(restarts, 10);
    EXPECT_LT(restarts, 20);
    EXPECT_EQ(text_at(world.get("pods", "web-0"), "/status/phase"), "Running");
    world.misbehave("web-0", "");
    world.run(10min);
    EXPECT_EQ(world.pods(), "web-0:v1") << "somebody repaired what it needs";
}

TEST(Kubelet, AnImageThatCannotBePulledKeepsThePodPending) {
    Kubernetes world;
    world.create_set(1, [](json::object& set) {
        object_in(set, "/spec/template/metadata/annotations")[behaviour_annotation] = "pull";
    });
    world.run(1min);
    EXPECT_EQ(world.waits_for("web-0"), "ImagePullBackOff");
    EXPECT_EQ(text_at(world.get("pods", "web-0"), "/status/phase"), "Pending");
}

TEST(Kubelet, ASlowPodTakesItsTime) {
    Kubernetes world;
    world.create_set(1, [](json::object& set) {
        object_in(set, "/spec/template/metadata/annotations")[behaviour_annotation] = "slow 30s";
    });
    world.run(30s);
    EXPECT_EQ(world.pods(), "web-0:v1!");
    world.run(2s);
    EXPECT_EQ(world.pods(), "web-0:v1");
}

TEST(Kubelet, APodCanChangeItsBehaviourWhileItLives) {
    Kubernetes world;
    world.create_set(1);
    world.run(10s);
    world.misbehave("web-0", "unready");
    world.run(5s);
    EXPECT_EQ(world.pods(), "web-0:v1!");
    world.misbehave("web-0", "");
    world.run(5s);
    EXPECT_EQ(world.pods(), "web-0:v1");
    world.misbehave("web-0", "crash");
    world.run(5s);
    EXPECT_EQ(world.waits_for("web-0"), "CrashLoopBackOff");
}

TEST(Kubelet, AReadinessGateIsAskedToo) {
    Kubernetes world;
    world.create_set(1, [](json::object& set) {
        sim::set(set, "/spec/template/spec/readinessGates",
                 json::array{json::object{{"conditionType", "example.com/warm"}}});
    });
    world.run(10s);
    EXPECT_EQ(world.pods(), "web-0:v1!");
    world.change(
        "pods", "web-0",
        [](json::object& pod) {
            object_in(pod, "/status")["conditions"].as_array().push_back(
                json::object{{"type", "example.com/warm"}, {"status", "True"}});
        },
        "status");
    world.run(1s);
    EXPECT_EQ(world.pods(), "web-0:v1");
}

TEST(Kubelet, APodEndsNotLaterThanItsGrace) {
    Pace slow_end = even_pace;
    slow_end.stop_least = slow_end.stop_most = 1h;
    Kubernetes world{{.pace = slow_end}};
    world.create_set(1);
    world.run(10s);
    world.scale(0);
    world.run(28s);
    EXPECT_EQ(world.pods(), "web-0:v1-");
    world.run(3s);
    EXPECT_EQ(world.pods(), "");
}

}  // namespace
}  // namespace sluice::sim
