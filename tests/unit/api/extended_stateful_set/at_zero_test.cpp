// What becomes of versions while no pods are wanted.
#include <gtest/gtest.h>

#include "tests/unit/api/extended_stateful_set/extended.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

using namespace testing;
using engine::Decision;
using Verb = engine::Action::Verb;

// Nobody wants pods, and those that were there are gone.
void empty(Known& known) {
    known.scale(0);
    for (model::StatefulSet& set : known.seen.sets)
        set.replicas = PodCount{0};
    known.seen.pods.clear();
}

TEST(VersionsAtZero, AnObjectThatIsMadeWithoutPodsIsAtRest) {
    Known known;
    known.scale(0);
    const Decision first = known.decided();
    ASSERT_EQ(first.notices.size(), 1u);
    EXPECT_EQ(first.notices[0].reason, engine::Reason::Adopted);
    EXPECT_TRUE(known.settled().actions.empty());
    EXPECT_EQ(known.status().phase, "Ready");
    EXPECT_EQ(known.status().current, 1);
}

TEST(VersionsAtZero, WhoServedHasServed) {
    Known known = serving();
    ASSERT_EQ(known.status().serving, noon);
    empty(known);
    known.now = noon + 1h;
    EXPECT_TRUE(known.settled().actions.empty());
    EXPECT_EQ(known.status().serving, noon);
}

TEST(VersionsAtZero, AnotherTemplateTakesThePlaceOfTheOneBeforeAndHasYetToServe) {
    Known known = serving();
    empty(known);
    known.edit("x:1", "x:2");
    const Decision decision = known.settled();
    EXPECT_EQ(known.status().current, 2);
    EXPECT_EQ(known.status().previous, 1);
    EXPECT_EQ(known.status().serving, Instant{});
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_EQ(decision.actions[0].verb, Verb::Delete);
    EXPECT_EQ(decision.actions[0].object.ref.name, "x-v1");
}

TEST(VersionsAtZero, AVersionServesUntilTheLastOfItsPodsIsGone) {
    Known known = serving();
    known.scale(0);
    known.edit("x:1", "x:2");
    known.settled();
    known.empty_set("x-v1");
    known.add_pod({1}, 0).meta.deleting = true;
    known.settled();
    EXPECT_EQ(known.status().current, 1);
    known.seen.pods.clear();
    known.settled();
    EXPECT_EQ(known.status().current, 2);
}

TEST(VersionsAtZero, AVersionServesAlsoWhereItsOnlyPodIsYetToBeMade) {
    Known known = serving("", 1);
    known.seen.pods.clear();
    known.scale(0);
    known.edit("x:1", "x:2");
    EXPECT_EQ(known.settled().actions.at(0).object.ref.name, "x-v1");
    EXPECT_EQ(known.status().current, 1);
}

TEST(VersionsAtZero, WhosePodsSomebodyElseTakesAwayStillServes) {
    Known known = serving("", 1);
    known.empty_set("x-v1");
    known.edit("x:1", "x:2");
    EXPECT_EQ(known.settled().actions.at(0).object.ref.name, "x-v1") << "it gets its pod back";
    EXPECT_EQ(known.status().current, 1);
}

TEST(VersionsAtZero, WhatWasReachedOfATemplateThatNobodyWantsAnyMoreIsForgotten) {
    Known known = upgrading();
    known.settled();
    known.add_version({2}, 1, known.digest());
    known.seen.pods.back().ready = false;
    empty(known);
    known.settled();
    ASSERT_EQ(known.status().exposed, PodCount{1});
    known.edit("x:2", "x:3");
    known.settled();
    EXPECT_EQ(known.status().current, 3);
    EXPECT_EQ(known.status().exposed, PodCount{0});
}

}  // namespace
}  // namespace sluice::api::extended_stateful_set
