#include "engine/standing.hpp"

#include <gtest/gtest.h>

#include "engine/gates.hpp"
#include "tests/unit/engine/seen.hpp"

namespace sluice::engine {
namespace {

using namespace testing;

TEST(PodRow, StandsInTheOrderOfIndexesWhateverOrderThePodsCameIn) {
    Snapshot look = seen(3);
    std::swap(look.pods[0], look.pods[2]);
    const PodRow row{look};
    ASSERT_EQ(row.count(), PodCount{3});
    for (int index = 0; index < 3; ++index) {
        ASSERT_TRUE(row.at(PodIndex{index}));
        EXPECT_EQ(row.at(PodIndex{index})->meta.key.name, row.name_of(PodIndex{index}));
    }
}

TEST(PodRow, HasGapsWherePodsAreMissingAndNoRoomForStrangers) {
    Snapshot look = seen(2);
    look.pods = {pod(1, "A"), pod(5, "A")};
    look.pods.emplace_back();
    const PodRow row{look};
    EXPECT_EQ(row.at(PodIndex{0}), nullptr);
    EXPECT_TRUE(row.at(PodIndex{1}));
}

TEST(PodRow, OfTwoPodsOfOneNameHoldsTheLaterAndNoneOfAnotherName) {
    Snapshot look = seen(1);
    look.pods[0].meta.resource_version = 5;
    look.pods[0].meta.uid = "late";
    model::Pod early = pod(0, "A");
    early.meta.resource_version = 3;
    model::Pod stranger = pod(0, "A");
    stranger.meta.key.name = "other-0";
    stranger.meta.resource_version = 9;
    look.pods = {early, look.pods[0], early, stranger};
    EXPECT_EQ(PodRow{look}.at(PodIndex{0})->meta.uid, "late");
}

TEST(PodRow, CountsIndexesFromTheStartOrdinal) {
    Snapshot look = seen(2);
    look.workload.start = Ordinal{3};
    look.pods = {pod(2, "A"), pod(3, "A"), pod(4, "A"), pod(5, "A")};
    const PodRow row{look};
    EXPECT_EQ(row.at(PodIndex{0})->meta.key.name, "web-3");
    EXPECT_EQ(row.at(PodIndex{1})->meta.key.name, "web-4");
    EXPECT_EQ(row.name_of(PodIndex{1}), "web-4");
}

TEST(PodRow, ASetWithFewerThanNoPodsHasNone) {
    Snapshot look = seen(0);
    look.workload.replicas = PodCount{-3};
    EXPECT_EQ(PodRow{look}.count(), PodCount{0});
}

TEST(PodReference, IsNothingForNoIndex) {
    const Snapshot look = seen(1);
    const PodRow row{look};
    EXPECT_EQ(reference(row, std::nullopt), std::nullopt);
    EXPECT_EQ(reference(row, PodIndex{0}), (PodRef{"web-0", "pod-0-A"}));
}

TEST(PendingRollout, ThereIsOneWhileTheRevisionsDiffer) {
    EXPECT_FALSE(Standing{seen(3)}.is_pending);
    EXPECT_TRUE(Standing{pending(3)}.is_pending);
    EXPECT_TRUE(Standing{pending(0)}.is_pending);
}

TEST(PendingRollout, ThereIsOneWhileSomePodRunsAnotherRevision) {
    Snapshot look = seen(3);
    look.pods[0] = pod(0, "B");
    EXPECT_TRUE(Standing{look}.is_pending) << "the template went back, the pod did not";
    look.pods.erase(look.pods.begin());
    EXPECT_FALSE(Standing{look}.is_pending) << "a missing pod will be made on the right revision";
    look.pods.push_back(pod(3, "B"));
    EXPECT_FALSE(Standing{look}.is_pending) << "a pod on its way out does not count";
}

TEST(StandingOfMembers, ExposesTheLastOnesAndKnowsNoOrdinals) {
    Snapshot look = seen(0);
    look.pods = {pod(7, "A"), pod(3, "B")};
    const Standing standing{look, Members{{"web-7", "web-3", "web-9"}, {2}, "web-A", "web-B"}};
    EXPECT_EQ(standing.units, PodCount{3});
    EXPECT_FALSE(standing.is_exposed({0}));
    EXPECT_TRUE(standing.is_exposed({1}));
    EXPECT_EQ(standing.pods.at({1})->meta.key.name, "web-3");
    EXPECT_EQ(standing.pods.at({2}), nullptr);
    EXPECT_EQ(standing.pods.name_of({2}), "web-9");
    EXPECT_TRUE(standing.is_pending);
}

TEST(StandingOfMembers, GatesSeeThemAsTheySeeThePodsOfASet) {
    Snapshot look = seen(0);
    look.pods = {pod(7, "A"), pod(3, "B")};
    const Standing ready{look, Members{{"web-7", "web-3"}, {1}, "web-A", "web-B"}};
    EXPECT_TRUE(std::holds_alternative<Pass>(judge(PodsReady{}, ready, noon)));
    const Standing lost{look, Members{{"web-7", "web-5"}, {1}, "web-A", "web-B"}};
    const Verdict verdict = judge(PodsReady{}, lost, noon);
    EXPECT_EQ(std::get<Hold>(verdict).message, "Waiting for pod web-5 to be updated and ready.");
}

}  // namespace
}  // namespace sluice::engine
