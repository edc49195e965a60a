#include <gtest/gtest.h>

#include "kubernetes.hpp"

namespace sluice::sim {
namespace {

void make_parallel(json::object& set) {
    sim::set(set, "/spec/podManagementPolicy", "Parallel");
}

TEST(StatefulSet, OrderedPodsComeOneAfterTheOther) {
    Kubernetes world;
    world.create_set(3);
    world.run(2s);
    EXPECT_EQ(world.pods(), "web-0:v1!");
    world.run(100ms);
    EXPECT_EQ(world.pods(), "web-0:v1 web-1:v1!");
    world.run(10s);
    EXPECT_EQ(world.pods(), "web-0:v1 web-1:v1 web-2:v1");
}

TEST(StatefulSet, ParallelPodsComeAtOnce) {
    Kubernetes world;
    world.create_set(5, make_parallel);
    world.run(100ms);
    EXPECT_EQ(world.pods(), "web-0:v1! web-1:v1! web-2:v1! web-3:v1! web-4:v1!");
    world.run(3s);
    EXPECT_EQ(world.status("readyReplicas"), "5");
}

TEST(StatefulSet, APodKnowsItsPlace) {
    Kubernetes world;
    world.create_set(1);
    world.run(5s);
    const json::object pod = world.get("pods", "web-0");
    EXPECT_EQ(text_at(pod, "/metadata/labels/statefulset.kubernetes.io~1pod-name"), "web-0");
    EXPECT_EQ(text_at(pod, "/metadata/labels/apps.kubernetes.io~1pod-index"), "0");
    EXPECT_EQ(text_at(pod, "/metadata/labels/controller-revision-hash"),
              world.status("updateRevision"));
    EXPECT_EQ(text_at(pod, "/spec/hostname"), "web-0");
    EXPECT_EQ(text_at(pod, "/spec/subdomain"), "web");
    EXPECT_EQ(text_at(pod, "/metadata/ownerReferences/0/uid"),
              text_at(world.set(), "/metadata/uid"));
}

TEST(StatefulSet, TheStatusCountsWhatIsThere) {
    Kubernetes world;
    world.create_set(2);
    world.run(10s);
    EXPECT_EQ(world.status("observedGeneration"), "1");
    for (const char* count :
         {"replicas", "readyReplicas", "availableReplicas", "currentReplicas", "updatedReplicas"})
        EXPECT_EQ(world.status(count), "2") << count;
    EXPECT_EQ(world.status("collisionCount"), "0");
    EXPECT_EQ(world.status("currentRevision"), world.status("updateRevision"));
    EXPECT_TRUE(world.status("updateRevision").starts_with("web-"));
}

TEST(StatefulSet, WhenNothingChangesNothingIsWritten) {
    Kubernetes world;
    world.create_set(3);
    world.run(1min);
    const std::uint64_t version = world.cluster.api().storage().version();
    world.run(30min);
    EXPECT_EQ(world.cluster.api().storage().version(), version);
}

TEST(StatefulSet, GrowsAtTheEndAndShrinksFromTheEnd) {
    Kubernetes world;
    world.create_set(2);
    world.run(10s);
    PodHistory history{world.cluster};
    world.scale(4);
    world.run(10s);
    EXPECT_EQ(history.take(), "+web-2 +web-3");
    world.scale(1);
    world.run(10s);
    EXPECT_EQ(history.take(), "-web-3 -web-2 -web-1");
}

TEST(StatefulSet, AParallelSetShrinksAtOnce) {
    Kubernetes world;
    world.create_set(4, make_parallel);
    world.run(10s);
    world.scale(1);
    world.run(100ms);
    EXPECT_EQ(world.pods(), "web-0:v1 web-1:v1- web-2:v1- web-3:v1-");
}

TEST(StatefulSet, UpdatesFromTheLastPodToTheFirst) {
    Kubernetes world;
    world.create_set(3);
    world.run(10s);
    PodHistory history{world.cluster};
    world.set_image("v2");
    world.run(30s);
    EXPECT_EQ(history.take(), "-web-2 +web-2 -web-1 +web-1 -web-0 +web-0");
    EXPECT_EQ(world.pods(), "web-0:v2 web-1:v2 web-2:v2");
    EXPECT_EQ(world.status("currentRevision"), world.status("updateRevision"));
}

TEST(StatefulSet, AParallelSetIsUpdatedOneByOneToo) {
    Kubernetes world;
    world.create_set(3, make_parallel);
    world.run(10s);
    PodHistory history{world.cluster};
    world.set_image("v2");
    world.run(30s);
    EXPECT_EQ(history.take(), "-web-2 +web-2 -web-1 +web-1 -web-0 +web-0");
}

TEST(StatefulSet, APartitionHoldsThePodsBelowIt) {
    Kubernetes world;
    world.create_set(3);
    world.run(10s);
    const std::string before = world.status("currentRevision");
    world.set_partition(2);
    world.set_image("v2");
    world.run(30s);
    EXPECT_EQ(world.pods(), "web-0:v1 web-1:v1 web-2:v2");
    EXPECT_EQ(world.status("currentRevision"), before);
    EXPECT_EQ(world.status("updatedReplicas"), "1");
    EXPECT_EQ(world.status("currentReplicas"), "2");
    world.set_partition(0);
    world.run(30s);
    EXPECT_EQ(world.pods(), "web-0:v2 web-1:v2 web-2:v2");
}

TEST(StatefulSet, APodBelowThePartitionComesBackOnTheOldRevision) {
    Kubernetes world;
    world.create_set(3);
    world.run(10s);
    world.set_partition(2);
    world.set_image("v2");
    world.run(30s);
    world.remove("pods", "web-1");
    world.remove("pods", "web-2");
    world.run(30s);
    EXPECT_EQ(world.pods(), "web-0:v1 web-1:v1 web-2:v2");
}

TEST(StatefulSet, OnDeleteMovesNobodyAndGivesTheNewRevisionToWhoComesBack) {
    Kubernetes world;
    world.create_set(2, [](json::object& set) {
        sim::set(set, "/spec/updateStrategy", json::object{{"type", "OnDelete"}});
    });
    world.run(10s);
    world.set_image("v2");
    world.run(30s);
    EXPECT_EQ(world.pods(), "web-0:v1 web-1:v1");
    world.remove("pods", "web-0");
    world.run(10s);
    EXPECT_EQ(world.pods(), "web-0:v2 web-1:v1");
}

TEST(StatefulSet, WithoutARollingUpdateBlockTheCountOfCurrentPodsDecidesTheRevision) {
    Kubernetes world;
    world.create_set(3, [](json::object& set) {
        sim::set(set, "/spec/updateStrategy", json::object{{"type", "RollingUpdate"}});
    });
    world.run(10s);
    ASSERT_FALSE(has(world.set(), "/spec/updateStrategy/rollingUpdate"));
    world.cluster.set_controllers_running(false);
    world.set_image("v2");
    world.remove("pods", "web-0");
    world.run(5s);
    world.cluster.set_controllers_running(true);
    world.run(1s);
    EXPECT_EQ(world.pods(), "web-0:v1! web-1:v1 web-2:v1") << "below the three that were counted";
    world.run(30s);
    EXPECT_EQ(world.pods(), "web-0:v2 web-1:v2 web-2:v2");
}

TEST(StatefulSet, MinReadySecondsHoldTheNextPodBack) {
    Kubernetes world;
    world.create_set(2, [](json::object& set) { sim::set(set, "/spec/minReadySeconds", 10); });
    world.run(10s);
    EXPECT_EQ(world.pods(), "web-0:v1");
    EXPECT_EQ(world.status("readyReplicas"), "1");
    EXPECT_EQ(world.status("availableReplicas"), "0");
    world.run(3s);
    EXPECT_EQ(world.status("availableReplicas"), "1");
    EXPECT_EQ(world.pods(), "web-0:v1 web-1:v1!");
    world.run(1min);
    EXPECT_EQ(world.status("availableReplicas"), "2") << "nobody but a timer tells";
}

TEST(StatefulSet, MinReadySecondsHoldAParallelUpdateBackToo) {
    Kubernetes world;
    world.create_set(2, [](json::object& set) {
        make_parallel(set);
        sim::set(set, "/spec/minReadySeconds", 10);
    });
    world.run(30s);
    world.set_image("v2");
    world.run(10s);
    EXPECT_EQ(world.pods(), "web-0:v1 web-1:v2");
    world.run(20s);
    EXPECT_EQ(world.pods(), "web-0:v2 web-1:v2");
}

TEST(StatefulSet, APodThatFailedOrSucceededIsReplaced) {
    for (const char* behaviour : {"fail", "succeed"}) {
        Kubernetes world;
        world.create_set(2);
        world.run(10s);
        const std::string before = world.uid("web-0");
        world.misbehave("web-0", behaviour);
        world.run(10s);
        EXPECT_EQ(world.pods(), "web-0:v1 web-1:v1");
        EXPECT_NE(world.uid("web-0"), before);
    }
}

TEST(StatefulSet, AnUpdateWaitsForAnUnreadyPod) {
    Kubernetes world;
    world.create_set(3);
    world.run(10s);
    world.misbehave("web-0", "unready");
    world.run(5s);
    world.set_image("v2");
    world.run(1min);
    EXPECT_EQ(world.pods(), "web-0:v1! web-1:v1 web-2:v1");
    world.misbehave("web-0", "");
    world.run(1min);
    EXPECT_EQ(world.pods(), "web-0:v2 web-1:v2 web-2:v2");
}

TEST(StatefulSet, AnUnreadyReplicaBlocksTheWayDownButNotTheFirstUnhealthyOne) {
    Kubernetes world;
    world.create_set(4);
    world.run(15s);
    world.misbehave("web-0", "unready");
    world.run(5s);
    world.scale(2);
    world.run(1min);
    EXPECT_EQ(world.pods(), "web-0:v1! web-1:v1 web-2:v1 web-3:v1");
    world.misbehave("web-0", "");
    world.misbehave("web-3", "unready");
    world.run(1min);
    EXPECT_EQ(world.pods(), "web-0:v1 web-1:v1");
}

TEST(StatefulSet, OrdinalsCanStartAnywhereAndMove) {
    Kubernetes world;
    world.create_set(3);
    world.run(10s);
    world.change_set([](json::object& set) {
        sim::set(set, "/spec/ordinals/start", 2);
        sim::set(set, "/spec/replicas", 1);
    });
    world.run(20s);
    EXPECT_EQ(world.pods(), "web-2:v1");
}

TEST(StatefulSet, AWhileWithoutControllerNothingMoves) {
    Kubernetes world;
    world.create_set(2);
    world.run(10s);
    world.cluster.set_controllers_running(false);
    world.set_image("v2");
    world.remove("pods", "web-1");
    world.run(1min);
    EXPECT_EQ(world.pods(), "web-0:v1");
    world.cluster.set_controllers_running(true);
    world.run(30s);
    EXPECT_EQ(world.pods(), "web-0:v2 web-1:v2");
}

TEST(StatefulSet, AnOrphanWithTheRightNameAndLabelsIsAdopted) {
    Kubernetes world;
    world.create(R"({"apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "web-0", "namespace": "default", "labels": {"app": "web"}},
        "spec": {"containers": [{"name": "main", "image": "v1"}]}})");
    world.create(R"({"apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "web-1", "namespace": "default", "labels": {"app": "other"}},
        "spec": {"containers": [{"name": "main", "image": "v0"}]}})");
    world.run(5s);
    world.create_set(1);
    world.run(10s);
    EXPECT_EQ(text_at(world.get("pods", "web-0"), "/metadata/ownerReferences/0/uid"),
              text_at(world.set(), "/metadata/uid"));
    EXPECT_EQ(
        text_at(world.get("pods", "web-0"), "/metadata/labels/statefulset.kubernetes.io~1pod-name"),
        "web-0");
    EXPECT_FALSE(has(world.get("pods", "web-1"), "/metadata/ownerReferences"));
}

TEST(StatefulSet, APodThatIsNoLongerSelectedIsReleased) {
    Kubernetes world;
    world.create_set(1);
    world.run(5s);
    world.change("pods", "web-0",
                 [](json::object& pod) { sim::set(pod, "/metadata/labels/app", "quarantine"); });
    world.run(5s);
    EXPECT_FALSE(has(world.get("pods", "web-0"), "/metadata/ownerReferences"));
    EXPECT_EQ(world.status("replicas"), "0") << "and its name is taken, so none takes its place";
}

TEST(StatefulSet, TellsWhatItDid) {
    Kubernetes world;
    world.create_set(1);
    world.run(5s);
    world.scale(0);
    world.run(5s);
    std::string told;
    for (const ObjectPtr& event : world.cluster.api().list("events", "default"))
        told += text_at(event->object(), "/reason") + ": " + text_at(event->object(), "/message") +
                "\n";
    EXPECT_NE(told.find("SuccessfulCreate: create Pod web-0 in StatefulSet web successful"),
              std::string::npos)
        << told;
    EXPECT_NE(told.find("SuccessfulDelete: delete Pod web-0 in StatefulSet web successful"),
              std::string::npos)
        << told;
    world.run(2h);
    EXPECT_EQ(world.names("events"), "") << "after an hour nobody remembers";
}

}  // namespace
}  // namespace sluice::sim
