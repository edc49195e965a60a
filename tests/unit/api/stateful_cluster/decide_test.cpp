#include "api/stateful_cluster/decide.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/api/stateful_cluster/cluster.hpp"

namespace sluice::api::stateful_cluster {
namespace {

using namespace testing;
using engine::Action;
using engine::Decision;
using ::testing::HasSubstr;
using Verb = Action::Verb;

// All that is written before anything is made.
Known planned() {
    Known known;
    for (int i = 0; i < 3; ++i) {
        const Decision decision = decided(known);
        if (decision.actions.empty() || !decision.actions.back().of_status) break;
        apply_status(known, decision);
    }
    return known;
}

TEST(ClusterDecision, ARevisionIsMadeBeforeTheLedgerNamesIt) {
    const Decision decision = decided(Known{});
    ASSERT_EQ(decision.actions.size(), 2u);
    EXPECT_EQ(decision.actions[0].object.ref.resource, &revisions);
    EXPECT_EQ(decision.actions[0].verb, Verb::Create);
    EXPECT_TRUE(decision.actions[1].of_status);
    EXPECT_TRUE(decision.actions[1].follows);
    EXPECT_TRUE(decision.needs_live);
}

TEST(ClusterDecision, ClaimsThenTheWordThenThePod) {
    const Decision decision = decided(planned());
    ASSERT_EQ(decision.actions.size(), 3u);
    EXPECT_EQ(decision.actions[0].object.ref.resource, &claims);
    EXPECT_TRUE(decision.actions[1].of_status);
    EXPECT_THAT(decision.actions[1].body, HasSubstr("Creating"));
    EXPECT_EQ(decision.actions[2].object.ref.resource, &model::pods);
    EXPECT_FALSE(decision.actions[0].follows);
    EXPECT_TRUE(decision.actions[1].follows && decision.actions[2].follows);
    EXPECT_TRUE(decision.needs_live);
}

TEST(ClusterDecision, WhoFindsTheWordAndNoPodTriesNothing) {
    Known known = planned();
    apply_status(known, decided(known));
    for (const Action& action : decided(known).actions)
        EXPECT_NE(action.verb, Verb::Create);
}

TEST(ClusterDecision, APodThatWasRefusedIsTriedAgainUnderTheSameName) {
    Known known = planned();
    const Decision before = decided(known);
    apply_status(known, before);
    engine::Snapshot seen = seeing(known);
    seen.attempt = engine::Attempt{
        Verb::Create, before.actions[2].object.ref, {}, engine::Refusal{403, "exceeded quota"}};
    const Decision decision = decide(seen, known.now);
    ASSERT_FALSE(decision.actions.empty());
    EXPECT_EQ(decision.actions.back().object.ref, before.actions[2].object.ref);
    EXPECT_EQ(decision.report.reason, engine::Reason::MemberRefused);
    EXPECT_THAT(decision.report.message, HasSubstr("exceeded quota"));
    for (const int status : {0, 408, 409, 500}) {
        seen.attempt->refusal->status = status;
        for (const Action& action : decide(seen, known.now).actions)
            EXPECT_NE(action.verb, Verb::Create) << status;
    }
}

TEST(ClusterDecision, APodThatLeavesGoesOnlyAfterItIsWrittenDown) {
    const Known fresh;
    Known known = three(revision_of(fresh.object, fresh.spec.pod_template));
    known.object.status = write_status(known.status);
    Decision decision = decided(known);
    while (!decision.actions.empty() && decision.actions.back().of_status) {
        apply_status(known, decision);
        decision = decided(known);
    }
    EXPECT_TRUE(decision.actions.empty()) << "all is well";
    known.object.spec.replace(known.object.spec.find("\"replicas\":3"), 12, "\"replicas\":2");
    ++known.object.meta.generation;
    decision = decided(known);
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_TRUE(decision.actions[0].of_status);
    apply_status(known, decision);
    decision = decided(known);
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_EQ(decision.actions[0].verb, Verb::Delete);
    EXPECT_EQ(decision.actions[0].object.ref.resource, &model::pods);
    EXPECT_NE(decision.actions[0].object.uid, "");
}

TEST(ClusterDecision, AClaimThatNobodyMayDeleteIsKeptAndHoldsUpNothing) {
    const Known fresh;
    Known known = three(revision_of(fresh.object, fresh.spec.pod_template));
    known.object.spec.replace(
        known.object.spec.rfind('}'), 1,
        R"(,"persistentVolumeClaimRetentionPolicy":{"whenScaled":"Delete"}})");
    known.status.leaving = {{"db-d", Leaver::Why::Scaled, "", false}};
    known.status.update_revision = known.status.current_revision = known.pods[0].revision;
    known.status.revisions = {known.pods[0].revision};
    known.object.status = write_status(known.status);
    Decision decision = decided(known);
    while (!decision.actions.empty() && decision.actions.back().of_status) {
        apply_status(known, decision);
        decision = decided(known);
    }
    ASSERT_EQ(decision.rests_on.size(), 1u);
    engine::Snapshot seen = seeing(known);
    model::CustomObject claim;
    claim.meta = {{"shop", "db-data-d"}, "uid-claim", 3, 1, false};
    seen.fetched = {{decision.rests_on[0], claim}};
    decision = decide(seen, noon);
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_EQ(decision.actions[0].verb, Verb::Delete);
    for (const int status : {500, 409, 403}) {
        seen.attempt = {Verb::Delete, seen.fetched[0].ref, std::nullopt,
                        engine::Refusal{status, "it is somebody else's"}};
        decision = decide(seen, noon);
        ASSERT_EQ(decision.actions.size(), 1u);
        EXPECT_EQ(decision.actions[0].of_status, status == 403) << status;
    }
    apply_status(known, decision);
    EXPECT_FALSE(known.object.status.contains("db-d")) << "it is done with";
    EXPECT_THAT(decision.notices.back().message, HasSubstr("it is somebody else's"));
}

TEST(ClusterDecision, ASpecThatCannotBeReadChangesNothingButTheReport) {
    Known known = three();
    known.object.status = write_status(known.status);
    known.object.spec = R"({"replicas":9})";
    const Decision decision = decided(known);
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_TRUE(decision.actions[0].of_status);
    EXPECT_EQ(decision.report.reason, engine::Reason::InvalidSpec);
    EXPECT_THAT(decision.report.message, HasSubstr("spec.selector"));
}

TEST(ClusterDecision, OneThatIsDeletedIsLeftToKubernetesUnlessItsClaimsAreToGo) {
    Known known = three();
    known.object.status = write_status(known.status);
    known.object.meta.deleting = true;
    EXPECT_TRUE(decided(known).actions.empty());
    known.object.finalizers = {std::string{finalizer}};
    Decision decision = decided(known);
    ASSERT_EQ(decision.actions.size(), 1u) << "the policy says Retain by now";
    EXPECT_THAT(decision.actions[0].body, HasSubstr("finalizers"));
    known.object.spec.replace(
        known.object.spec.rfind('}'), 1,
        R"(,"persistentVolumeClaimRetentionPolicy":{"whenDeleted":"Delete"}})");
    decision = decided(known);
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_EQ(decision.actions[0].object.ref.name, "db-a");
    known.pods.clear();
    decision = decided(known);
    ASSERT_EQ(decision.rests_on.size(), 1u);
    EXPECT_EQ(decision.rests_on[0].name, "db-data-c");
    known.object.finalizers.emplace_back("orphan");
    EXPECT_TRUE(decided(known).actions.empty());
}

TEST(ClusterDecision, OneThatIsDeletedAndCannotBeReadIsLetGoAndItsClaimsStay) {
    Known known = at_rest();
    known.object.meta.deleting = true;
    known.object.finalizers = {std::string{finalizer}};
    known.object.spec = R"({"persistentVolumeClaimRetentionPolicy":{"whenDeleted":"Delete"}})";
    const Decision decision = decided(known);
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_THAT(decision.actions[0].body, HasSubstr("finalizers"));
}

TEST(ClusterDecision, AboutAClusterThatIsNotThereNothingIsDoneOrSaid) {
    engine::Snapshot seen;
    seen.pods = three().pods;
    prepare(seen);
    const Decision decision = decide(seen, noon);
    EXPECT_TRUE(decision.actions.empty());
    EXPECT_TRUE(decision.notices.empty());
}

}  // namespace
}  // namespace sluice::api::stateful_cluster
