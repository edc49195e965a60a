#include "sim/actors/controller.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "kubernetes.hpp"

namespace sluice::sim {
namespace {

const Key web{"default", "web"};

// A controller that takes note of what it reconciles.
struct Actor {
    explicit Actor(bool succeeds = true)
        : queue({cluster.api(), cluster.timeline(), cluster.dice(), options}, 10ms, 10ms,
                [this, succeeds](const Key& key) {
                    taken.push_back(key.name);
                    times.push_back(cluster.now());
                    return succeeds;
                }) {}

    ClusterOptions options{.pace = even_pace};
    Cluster cluster{options};
    std::vector<std::string> taken;
    std::vector<Instant> times;
    WorkQueue queue;
};

TEST(SimulatedWorkQueue, AnObjectWaitsOnceHoweverMuchHappensToIt) {
    Actor actor;
    for (int i = 0; i < 5; ++i)
        actor.queue.add(web);
    EXPECT_TRUE(actor.taken.empty()) << "never at once";
    actor.cluster.run_for(1s);
    EXPECT_EQ(actor.taken.size(), 1u);
    actor.queue.add(web);
    actor.cluster.run_for(1s);
    EXPECT_EQ(actor.taken.size(), 2u);
}

TEST(SimulatedWorkQueue, WhatFailedIsRepeatedEverMoreSlowly) {
    Actor actor{false};
    actor.queue.add(web);
    actor.cluster.run_for(10min);
    ASSERT_GT(actor.times.size(), 4u);
    EXPECT_LT(actor.times.size(), 20u);
    for (std::size_t i = 2; i < actor.times.size(); ++i)
        EXPECT_GT(actor.times[i] - actor.times[i - 1], actor.times[i - 1] - actor.times[i - 2]);
}

TEST(SimulatedWorkQueue, TheEarliestOfManyWishesForLaterCounts) {
    Actor actor;
    const Instant begin = actor.cluster.now();
    actor.queue.add_at(web, begin + 5s);
    actor.queue.add_at(web, begin + 2s);
    actor.queue.add_at(web, begin + 9s);
    actor.cluster.run_for(1min);
    ASSERT_EQ(actor.times.size(), 1u);
    EXPECT_EQ(actor.times[0], begin + 2s + 10ms);
}

TEST(SimulatedWorkQueue, WhatWasMissedWhileHeldComesAfterwards) {
    Actor actor;
    actor.queue.hold(true);
    actor.queue.add(web);
    actor.queue.add({"default", "db"});
    actor.cluster.run_for(1s);
    EXPECT_TRUE(actor.taken.empty());
    actor.queue.hold(false);
    actor.cluster.run_for(1s);
    EXPECT_EQ(actor.taken, (std::vector<std::string>{"db", "web"}));
}

}  // namespace
}  // namespace sluice::sim
