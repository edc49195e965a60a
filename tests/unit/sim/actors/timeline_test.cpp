#include <gtest/gtest.h>

#include "kubernetes.hpp"

namespace sluice::sim {
namespace {

const Instant noon{1'790'000'000'000};

TEST(Timeline, RunsThingsByTimeAndThenInTheOrderInWhichTheyWereSet) {
    Timeline timeline{noon};
    std::string done;
    timeline.after(2s, [&] { done += "c"; });
    timeline.after(1s, [&] { done += "a"; });
    timeline.after(1s, [&] { done += "b"; });
    EXPECT_EQ(timeline.next(), noon + 1s);
    timeline.run_until(noon + 1s);
    EXPECT_EQ(done, "ab");
    EXPECT_EQ(timeline.now(), noon + 1s);
    EXPECT_FALSE(timeline.run_next(noon + 1s));
    timeline.run_until(noon + 5s);
    EXPECT_EQ(done, "abc");
    EXPECT_EQ(timeline.now(), noon + 5s);
    EXPECT_EQ(timeline.next(), std::nullopt);
}

TEST(Timeline, WhatAThingSetsForNowStillRunsNow) {
    Timeline timeline{noon};
    std::string done;
    timeline.after(1s, [&] {
        done += "a";
        timeline.at(noon, [&] { done += "b"; });
    });
    timeline.run_until(noon + 1s);
    EXPECT_EQ(done, "ab") << "the past is now";
}

// A life in which much happens, as one line per change.
std::string history(std::uint64_t seed) {
    Kubernetes world{{.seed = seed}};
    std::string lines;
    world.cluster.api().on_change([&](const Change& change) {
        lines += to_rfc3339_micro(world.now()) + " " + change.place.resource + "/" +
                 change.place.name + " " + change.user + " " + change.object->text() + "\n";
    });
    world.create_set(3);
    world.run(20s);
    world.set_image("v2");
    world.run(7s);
    world.cluster.set_node_ready("node-1", false);
    world.run(10s);
    world.cluster.set_node_ready("node-1", true);
    world.scale(5);
    world.run(30s);
    world.remove("statefulsets.apps", "web");
    world.run(30s);
    return lines;
}

TEST(Cluster, TheSameSeedMakesTheSameHistory) {
    EXPECT_EQ(history(7), history(7));
}

TEST(Cluster, AnotherSeedMakesAnotherHistory) {
    EXPECT_NE(history(7), history(8));
}

TEST(Cluster, StartsWithNodesNamespacesAndAStorageClass) {
    const Kubernetes world;
    const ApiServer& api = world.cluster.api();
    ASSERT_EQ(api.list("nodes").size(), 3u);
    EXPECT_EQ(text_at(api.find("nodes", {}, "node-2")->object(),
                      "/metadata/labels/topology.kubernetes.io~1zone"),
              "zone-c");
    for (const char* name : {"default", "kube-system", "sluice-system"})
        EXPECT_NE(api.find("namespaces", {}, name), nullptr) << name;
    EXPECT_NE(api.find("storageclasses.storage.k8s.io", {}, "standard"), nullptr);
}

}  // namespace
}  // namespace sluice::sim
