// How far an upgrade has come, also when another number of pods is wanted in the middle of it.
#include <gtest/gtest.h>

#include "model/annotations.hpp"
#include "tests/unit/api/extended_stateful_set/hand_over.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

using namespace testing;

constexpr const char* two_zones = R"("zones":["a","b"],)";

TEST(UpgradeReach, HowLongAStepTakesCountsFromWhenItIsWrittenDown) {
    Known known = upgrading();
    EXPECT_EQ(known.status().stepped, Instant{});
    known.now = noon + 1h;
    known.apply_status(known.decided());
    EXPECT_EQ(known.status().exposed, PodCount{0});
    EXPECT_EQ(known.status().stepped, Instant{});
    known.apply_status(known.decided());
    EXPECT_EQ(known.status().exposed, PodCount{1});
    EXPECT_EQ(known.status().stepped, noon + 1h);
}

// The new version has come into the second zone of three, with one pod in each.
TEST(UpgradeReach, MorePodsInEachZoneReachNoOtherZone) {
    Known known = upgrading(R"("zones":["a","b","c"],)", 1);
    known.settled();
    known.add_version({2, 0}, 1, known.digest());
    known.settled();
    known.add_version({2, 1}, 1, known.digest());
    known.pod("x-z1-v2-0").ready = false;
    known.settled();
    ASSERT_EQ(known.status().exposed, PodCount{2});
    known.scale(3);
    known.settled();
    EXPECT_EQ(known.status().exposed, PodCount{4}) << "all of the first, and one of the second";
}

TEST(UpgradeReach, FewerPodsInEachZoneLeaveACanaryWhereItIs) {
    Known known = upgrading(two_zones, 3);
    known.settled();
    known.add_version({2, 0}, 1, known.digest());
    known.pod("x-z0-v2-0").ready = false;
    known.scale(1);
    known.settled();
    EXPECT_EQ(known.status().exposed, PodCount{1});
}

TEST(UpgradeReach, WhereNothingWasReachedMorePodsChangeNothing) {
    Known known = upgrading(two_zones, 1);
    known.object.annotations[model::key::paused] = "true";
    known.settled();
    known.scale(3);
    known.settled();
    EXPECT_EQ(known.status().exposed, PodCount{0});
}

TEST(UpgradeReach, NoPodsForAWhileTakeNothingBack) {
    Known known = upgrading(two_zones);
    known.settled();
    known.add_version({2, 0}, 1, known.digest());
    known.pod("x-z0-v2-0").ready = false;
    known.scale(0);
    known.settled();
    for (model::StatefulSet& set : known.seen.sets)
        set.replicas = PodCount{0};
    known.seen.pods.clear();
    known.settled();
    EXPECT_EQ(known.status().current, 1);
    known.scale(2);
    known.settled();
    EXPECT_EQ(known.status().exposed, PodCount{1});
}

TEST(UpgradeReach, FewerPodsForAWhileTakeNothingBackWhereThereAreNoZones) {
    Known known = upgrading(R"("updateStrategy":{"canaries":3},)", 4);
    known.settled();
    known.add_version({2}, 3, known.digest());
    for (model::Pod& pod : known.seen.pods)
        if (pod.owner == "x-v2") pod.ready = false;
    for (const int pods : {2, 4}) {
        known.scale(pods);
        known.settled();
        EXPECT_EQ(known.status().exposed, PodCount{3}) << pods;
    }
}

TEST(UpgradeReach, AStatusThatDoesNotSayHowManyPodsAZoneHadIsTakenAsItIs) {
    Known known = upgrading(two_zones);
    known.settled();
    Status status = known.status();
    ASSERT_EQ(status.exposed, PodCount{1});
    status.in_zone = {};
    known.object.status = write_status(status);
    known.settled();
    EXPECT_EQ(known.status().exposed, PodCount{1});
}

TEST(UpgradeReach, WhoHasAllOrdinalsKeepsThoseThatAreLeft) {
    HandOver known{3};
    known.add(1, 0, 0);
    known.add(2, 0, 3);
    known.object.annotations[model::key::paused] = "true";
    known.scale(2);
    known.settled();
    EXPECT_EQ(known.status().exposed, PodCount{2});
}

}  // namespace
}  // namespace sluice::api::extended_stateful_set
