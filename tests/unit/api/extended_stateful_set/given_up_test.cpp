// An upgrade that failed, or that somebody does not want any more: who goes back, and who stays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/api/extended_stateful_set/hand_over.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

using namespace testing;
using engine::Decision;
using engine::Phase;
using engine::Reason;
using ::testing::HasSubstr;
using Verb = engine::Action::Verb;

// Somebody does not want version 2.
Decision aborted(Known& known) {
    known.object.annotations[std::string{abort_key}] = "2";
    return known.settled();
}

// Of three pods, two are at version 2 and ready; so many of version 1 are.
Known between(int ready) {
    Known known = upgrading(R"("updateStrategy":{"canaries":2},)", 3);
    known.settled();
    known.add_version({2}, 2, known.digest());
    for (int i = ready; i < 3; ++i)
        known.pod(fmt::format("x-v1-{}", i)).ready = false;
    return known;
}

TEST(GivenUp, TheLastVersionThatIsReadyStaysAlthoughNobodyWantsIt) {
    Known known = between(0);
    const Decision decision = aborted(known);
    EXPECT_EQ(decision.report.phase, Phase::Held);
    EXPECT_EQ(decision.report.reason, Reason::Aborted);
    EXPECT_EQ(decision.report.message,
              "Somebody does not want v2, and it is the last one that is ready.");
    EXPECT_EQ(decision.report.unblock,
              "pods of v1 that are ready; or, if v2 is wanted after all: sluice retry ests/x -n "
              "shop");
    EXPECT_EQ(known.status().exposed, PodCount{2});
}

TEST(GivenUp, SoItDoesWhereSomebodyHasDeletedTheOneBefore) {
    Known known = between(0);
    known.lose_set("x-v1");
    const Decision decision = aborted(known);
    EXPECT_EQ(decision.report.reason, Reason::Aborted);
    EXPECT_EQ(decision.report.message,
              "Somebody does not want v2, and somebody has deleted v1: there is no other one.");
    EXPECT_EQ(decision.report.unblock,
              "an earlier one: sluice undo ests/x -n shop --to-revision v1; or, if v2 is wanted "
              "after all: sluice retry ests/x -n shop");
    EXPECT_EQ(known.status().exposed, PodCount{2});
}

TEST(GivenUp, SoDoesTheOnlyPodOfIt) {
    Known known = upgrading("", 1);
    known.settled();
    known.add_version({2}, 1, known.digest());
    known.pod("x-v1-0").ready = false;
    EXPECT_EQ(aborted(known).report.reason, Reason::Aborted);
    EXPECT_EQ(known.status().exposed, PodCount{1});
}

TEST(GivenUp, OnePodThatIsReadyIsEnoughToGoBackTo) {
    Known known = between(1);
    EXPECT_EQ(aborted(known).report.reason, Reason::RollingBack);
    EXPECT_EQ(known.status().exposed, PodCount{0});
}

// Nobody else can have its claims meanwhile.
TEST(GivenUp, TheOnlyOrdinalThatThereIsGoesBackThoughItIsReady) {
    HandOver known{1, 1};
    known.add(1, 0, 0);
    known.add(2, 0, 1);
    EXPECT_EQ(aborted(known).report.reason, Reason::RollingBack);
    EXPECT_EQ(known.status().exposed, PodCount{0});
}

TEST(GivenUp, WhoFailedLeavesTheOneBeforeItToServe) {
    Known known = failing();
    known.empty_set("x-v2");
    known.settled();
    EXPECT_EQ(known.status().reason, "RolledBack");
    EXPECT_EQ(known.status().message, "v2 failed, and v1 goes on.");
}

TEST(GivenUp, WhereSomebodyHasDeletedThatOneItIsToldHowToHaveItBack) {
    Known known = failing();
    known.empty_set("x-v2");
    known.settled();
    known.lose_set("x-v1");
    const Decision decision = known.settled();
    EXPECT_EQ(decision.report.reason, Reason::RolledBack);
    EXPECT_EQ(decision.report.message,
              "v2 failed, and somebody has deleted v1: nobody serves. To have an earlier version "
              "back: sluice undo ests/x -n shop --to-revision v1");
}

TEST(GivenUp, WhoeverDeletesTheVersionBeforeInMidUpgradeIsToldOfTheUpgrade) {
    Known known = upgrading();
    known.settled();
    known.add_version({2}, 1, known.digest());
    known.seen.pods.back().ready = false;
    known.lose_set("x-v1");
    const Decision decision = known.settled();
    EXPECT_EQ(decision.report.reason, Reason::PodsNotReady);
    EXPECT_THAT(decision.report.message, HasSubstr("x-v2-0"));
}

// On the way back somebody has deleted version 1.
TEST(GivenUp, WhatIsThereOfTheNewVersionGoesOn) {
    Known known = upgrading(R"("updateStrategy":{"canaries":2},)", 3);
    known.settled();
    known.add_version({2}, 2, known.digest());
    known.seen.pods.back().ready = false;
    EXPECT_EQ(aborted(known).report.reason, Reason::RollingBack);
    known.lose_set("x-v1");
    known.object.annotations.clear();
    known.settled();
    EXPECT_EQ(known.status().exposed, PodCount{2});
    const auto memory = engine::decode_memory(known.status().rollout);
    EXPECT_EQ(exposed_count(memory->partition, PodCount{3}), PodCount{2});
}

TEST(GivenUp, WhereSomebodyHasDeletedBothVersionsTheNewOneIsMade) {
    Known known = failing();
    for (const char* set : {"x-v1", "x-v2"})
        known.lose_set(set);
    const Decision decision = known.settled();
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_EQ(decision.actions[0].verb, Verb::Create);
    EXPECT_EQ(decision.actions[0].object.ref.name, "x-v2");
}

constexpr const char* keep = R"("updateStrategy":{"whenStale":"Keep"},)";

TEST(GivenUp, OfAVersionThatIsKeptOnlyThePodsStayThatAreThere) {
    Known known = failing(R"("zones":["a","b"],"updateStrategy":{"whenStale":"Keep"},)");
    const Decision decision = known.settled();
    EXPECT_EQ(known.status().reason, "RolledBack");
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_EQ(decision.actions[0].object.ref.name, "x-z0-v2");
    EXPECT_THAT(decision.actions[0].body, HasSubstr("fissile.cloudfoundry.org~1stale"));
}

TEST(GivenUp, AVersionThatIsKeptIsNotMadeAnewWhenSomebodyDeletesIt) {
    Known known = failing(keep);
    known.lose_set("x-v2");
    EXPECT_TRUE(known.settled().actions.empty());
    EXPECT_EQ(known.status().reason, "RolledBack");
}

}  // namespace
}  // namespace sluice::api::extended_stateful_set
