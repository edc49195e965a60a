// Which versions there are, and what is remembered of them, also by whoever finds no status.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/annotations.hpp"
#include "tests/unit/api/extended_stateful_set/hand_over.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

using namespace testing;
using engine::Decision;
using engine::Reason;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(VersionNumbers, WhatSomebodyWritesOnASetMakesNoVersion) {
    Known known = serving();
    known.seen.sets[0].annotations.clear();
    EXPECT_TRUE(known.settled().actions.empty());
    EXPECT_EQ(known.status().update, 1);
}

TEST(VersionNumbers, AStatusWithoutNumbersIsNone) {
    Known known;
    Status status;
    status.digest = known.digest();
    known.object.status = write_status(status);
    EXPECT_EQ(known.settled().actions.at(0).object.ref.name, "x-v1");
    EXPECT_EQ(known.status().update, 1);
}

TEST(VersionNumbers, WhatAVersionWasMadeFromIsRememberedWhenAnotherOneIsWanted) {
    Known known;
    known.all_kept = false;
    known.settled();
    known.add_version({1}, 2, known.digest());
    known.apply_status(known.decided());
    EXPECT_THAT(known.status().revisions, IsEmpty()) << "it is looked at first";
    known.edit("x:1", "x:2");
    known.settled();
    EXPECT_THAT(known.status().revisions, ElementsAre("x-v1"));
}

TEST(VersionNumbers, AnotherTemplateBeginsWithoutTheFailuresOfTheOneBefore) {
    Known known = failing();
    EXPECT_THAT(known.status().failure, HasSubstr("not reached in time"));
    known.empty_set("x-v2");
    known.edit("x:2", "x:3");
    known.settled();
    EXPECT_EQ(known.status().update, 3);
    EXPECT_EQ(known.status().attempts, 1);
    EXPECT_EQ(known.status().failure, "");
}

TEST(VersionNumbers, AnUpgradeThatGoesWellHasFailedInNothing) {
    Known known = upgrading();
    known.settled();
    EXPECT_EQ(known.status().exposed, PodCount{1});
    EXPECT_EQ(known.status().failure, "");
}

TEST(LostStatus, TheLowestVersionThatIsThereServes) {
    Known known;
    known.all_kept = false;
    known.add_version({1}, 2, "old");
    known.add_version({2}, 1, known.digest());
    known.settled();
    EXPECT_EQ(known.status().current, 1);
    EXPECT_EQ(known.status().update, 2);
    EXPECT_THAT(known.status().revisions, ElementsAre("x-v1"));
}

TEST(LostStatus, TheLowestServesAlsoWhereSomebodyHasTakenItsPods) {
    Known known;
    known.add_version({1}, 0, "old");
    known.add_version({2}, 2, known.digest());
    known.settled();
    EXPECT_EQ(known.status().current, 1);
}

// Version 1 has the lowest ordinals, and version 2 all others, of three.
HandOver handed_over(int first, int second) {
    HandOver known{0};
    known.object.status.clear();
    known.add(1, 0, first);
    known.add(2, 3 - second, second);
    return known;
}

TEST(LostStatus, WhoHasGivenUpAllOrdinalsServesNobody) {
    HandOver known = handed_over(0, 3);
    known.settled();
    EXPECT_EQ(known.status().current, 2);
}

TEST(LostStatus, WhoHasAnOrdinalLeftStillServes) {
    HandOver known = handed_over(1, 2);
    known.settled();
    EXPECT_EQ(known.status().current, 1);
    EXPECT_EQ(known.status().update, 2);
}

TEST(LostStatus, WhereNobodyHasAnOrdinalTheLowestServes) {
    HandOver known = handed_over(0, 0);
    known.settled();
    EXPECT_EQ(known.status().current, 1);
    EXPECT_EQ(known.status().update, 2);
}

// Version 2 has failed, which is all that is known: somebody has wiped the status.
Known forgotten(const std::string& more = "") {
    Known known;
    known.object.spec.insert(1, more);
    known.add_version({1}, 2, "old");
    known.add_version({2}, 1, known.digest()).annotations[std::string{stale_key}] = "It failed.";
    return known;
}

TEST(LostStatus, AVersionThatFailedGoesBack) {
    Known known = forgotten();
    const Decision decision = known.settled();
    EXPECT_EQ(decision.report.reason, Reason::RollingBack);
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_EQ(decision.actions[0].object.ref.name, "x-v2");
    EXPECT_THAT(decision.actions[0].body, HasSubstr(R"("path":"/spec/replicas","value":0)"));
}

TEST(LostStatus, AVersionThatFailedIsTriedAgainOnlyIfAPersonSaysSo) {
    Known known = forgotten(R"("updateStrategy":{"retryCount":3},)");
    known.settled();
    known.empty_set("x-v2");
    EXPECT_TRUE(known.settled().actions.empty());
    EXPECT_EQ(known.status().reason, "RolledBack");
    EXPECT_EQ(known.status().current, 1);
    known.object.annotations[model::key::retry] = "1";
    known.settled();
    EXPECT_EQ(known.status().exposed, PodCount{1});
}

}  // namespace
}  // namespace sluice::api::extended_stateful_set
