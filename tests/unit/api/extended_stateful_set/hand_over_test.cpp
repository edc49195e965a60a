// Which ordinals change hands, and when. What becomes of it over time is in scenarios.
#include <gtest/gtest.h>

#include "tests/unit/api/extended_stateful_set/hand_over.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

using testing::HandOver;

bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(HandOver, TheOldVersionGivesUpItsHighestOrdinalFirst) {
    HandOver known{1};
    known.add(1, 0, 3);
    const std::string move = known.move();
    EXPECT_TRUE(says(move, "x-v1 ")) << move;
    EXPECT_TRUE(says(move, R"("path":"/spec/replicas","value":2)")) << move;
}

TEST(HandOver, NobodyTakesAnOrdinalWhosePodIsStillThere) {
    HandOver known{1};
    known.add(1, 0, 2);
    known.add_pod({1}, 2).meta.deleting = true;
    known.add(2, 0, 0);
    known.look_at(1, 0, 2);
    EXPECT_EQ(known.move(), "nothing");
    EXPECT_TRUE(says(known.status().message, "x-v2-2 waits for x-v1-2")) << known.status().message;
}

TEST(HandOver, TheOtherSetIsLookedAtFirst) {
    HandOver known{1};
    known.add(1, 0, 2);
    known.add(2, 0, 0);
    EXPECT_EQ(known.move(), "looks at x-v1");
    known.look_at(1, 0, 3);
    EXPECT_EQ(known.move(), "nothing") << "somebody has scaled it meanwhile";
}

TEST(HandOver, AndSoIsWhetherItsControllerKnows) {
    HandOver known{1};
    known.add(1, 0, 2);
    known.add(2, 0, 0);
    known.look_at(1, 0, 2, 0);
    EXPECT_EQ(known.move(), "nothing");
}

TEST(HandOver, AnOrdinalThatIsFreeIsTakenInOneWrite) {
    HandOver known{1};
    known.free_the_last();
    const std::string move = known.move();
    EXPECT_TRUE(says(move, "x-v2 ")) << move;
    EXPECT_TRUE(says(move, R"("path":"/spec/replicas","value":1)")) << move;
    EXPECT_TRUE(says(move, R"("path":"/spec/ordinals","value":{"start":2})")) << move;
}

TEST(HandOver, APodThatNobodyOwnsHasItsClaims) {
    HandOver known{1};
    known.free_the_last();
    known.add_pod({1}, 2).owner_uid = "uid-of-a-set-that-is-gone";
    EXPECT_EQ(known.move(), "nothing");
}

TEST(HandOver, WhoeverLedBeforeIsFencedOffFirst) {
    HandOver known{1};
    known.free_the_last();
    known.seen.environment.fence = "lease/7";
    const std::string move = known.move();
    EXPECT_TRUE(says(move, "x-v1 ")) << move;
    EXPECT_TRUE(says(move, "lease/7")) << move;
    EXPECT_FALSE(says(move, "/spec/")) << move;
}

TEST(HandOver, OnTheWayBackTheLowestGoesFirst) {
    HandOver known{0};
    known.add(1, 0, 1);
    known.add(2, 1, 2);
    const std::string move = known.move();
    EXPECT_TRUE(says(move, "x-v2 ")) << move;
    EXPECT_TRUE(says(move, R"("path":"/spec/ordinals","value":{"start":2})")) << move;
}

TEST(HandOver, OnTheWayBackAPodThatIsReadyWaitsForThoseThatAreBack) {
    HandOver known{0};
    known.add(1, 0, 1);
    known.add(2, 1, 2);
    known.seen.pods.front().ready = false;
    EXPECT_EQ(known.move(), "nothing");
    known.seen.pods[1].ready = false;
    EXPECT_TRUE(says(known.move(), "x-v2 ")) << "it disturbs nobody";
}

TEST(HandOver, TheOnlyPodThatIsReadyStaysUnlessAPersonSaysOtherwise) {
    HandOver known{1};
    known.add(1, 0, 3);
    for (const std::size_t broken : {0u, 1u})
        known.seen.pods[broken].ready = false;
    EXPECT_EQ(known.move(), "nothing");
    const std::string said = known.status().message;
    EXPECT_TRUE(says(said, "x-v1-2 is the only pod that is ready")) << said;
    known.object.annotations["sluice.dev/allow-unready"] = "true";
    EXPECT_TRUE(says(known.move(), R"("path":"/spec/replicas","value":2)"));
}

TEST(HandOver, ASetIsMadeWithoutPods) {
    HandOver known{1};
    known.add(1, 0, 2);
    known.look_at(1, 0, 2);
    known.seen.fetched.push_back({{&whole_sets, "shop", "x-v2"}, std::nullopt});
    const std::string move = known.move();
    EXPECT_TRUE(says(move, R"("replicas":0)")) << move;
    EXPECT_TRUE(says(move, R"("claimName":"data-x-ORDINAL")")) << move;
    EXPECT_TRUE(says(move, R"("podManagementPolicy":"Parallel")")) << move;
    EXPECT_FALSE(says(move, "volumeClaimTemplates")) << move;
}

TEST(HandOver, WithoutPoliciesNothingMoves) {
    HandOver known{1};
    known.seen.environment.guarantee = engine::Guarantee::Detect;
    known.add(1, 0, 3);
    EXPECT_EQ(known.move(), "nothing");
    EXPECT_EQ(known.status().reason, "VolumesUnguarded");
}

TEST(HandOver, ASetThatCouldNotBeReadMayHaveTheOrdinal) {
    HandOver known{1};
    known.add(1, 0, 2);
    known.add(2, 0, 0);
    known.seen.fetched.push_back(
        {{&whole_sets, "shop", "x-v1"}, std::nullopt, engine::Refusal{403, "forbidden"}});
    EXPECT_EQ(known.move(), "looks at x-v1");
}

TEST(HandOver, ThatFewerPodsAreWantedIsNoReasonToGiveTheLastOneAway) {
    HandOver known{1};
    known.add(1, 0, 2);
    known.add(2, 2, 1);
    known.object.spec.replace(known.object.spec.find(R"("replicas":3)"), 12, R"("replicas":1)");
    const std::string move = known.move();
    EXPECT_EQ(known.status().exposed, PodCount{0});
    EXPECT_FALSE(says(move, R"("path":"/spec/replicas","value":0},{"op":"add")")) << move;
    EXPECT_FALSE(says(move, "x-v1 ") && says(move, R"("value":0)")) << move;
}

}  // namespace
}  // namespace sluice::api::extended_stateful_set
