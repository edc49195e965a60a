#include "api/stateful_cluster/decide.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "tests/unit/api/stateful_cluster/cluster.hpp"

namespace sluice::api::stateful_cluster {
namespace {

using namespace testing;
using engine::Action;
using engine::Decision;
using ::testing::HasSubstr;
using Verb = Action::Verb;

engine::Snapshot seeing(const Known& known) {
    engine::Snapshot seen;
    seen.subject = ref_to(resource, known.object.meta.key);
    seen.objects = {known.object};
    seen.pods = known.pods;
    prepare(seen);
    return seen;
}

Decision decided(const Known& known) {
    return decide(seeing(known), known.now);
}

// What the server has once the status write among the actions is through.
void apply_status(Known& known, const Decision& decision) {
    for (const Action& action : decision.actions) {
        if (!action.of_status) continue;
        const auto patch = boost::json::parse(action.body);
        known.object.status = boost::json::serialize(patch.as_array().back().at("value"));
        ++known.object.meta.resource_version;
    }
}

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

// Three members, one of which has waited for a node since then.
Known waiting_for_a_node(Duration since) {
    const Known fresh;
    Known known = three(revision_of(fresh.object, fresh.spec.pod_template));
    known.unready(1, since).never_ready = true;
    known.status.members[1].state = Member::State::Starting;
    known.status.update_revision = known.status.current_revision = known.pods[0].revision;
    known.status.revisions = {known.pods[0].revision};
    known.object.status = write_status(known.status);
    return known;
}

TEST(ClusterDecision, ClaimsAreReadOfWhomNoNodeTakesForLong) {
    EXPECT_TRUE(decided(waiting_for_a_node(299s)).rests_on.empty());
    EXPECT_EQ(decided(waiting_for_a_node(299s)).wake_at, noon + 1s);
    const auto wanted = decided(waiting_for_a_node(300s)).rests_on;
    ASSERT_EQ(wanted.size(), 1u);
    EXPECT_EQ(wanted[0].resource, &claims);
    EXPECT_EQ(wanted[0].name, "db-data-b");
    Known hasty = waiting_for_a_node(19s);
    hasty.object.spec.insert(1, R"("failureToleranceSeconds":1,)");
    EXPECT_TRUE(decided(hasty).rests_on.empty()) << "it may be just about to be bound";
    hasty.now = noon + 1s;
    EXPECT_FALSE(decided(hasty).rests_on.empty());
    Known placed = waiting_for_a_node(300s);
    placed.pods[1].node = "node-1";
    EXPECT_TRUE(decided(placed).rests_on.empty()) << "it just starts slowly";
}

TEST(ClusterDecision, WhoseVolumeIsGoneIsReplaced) {
    const Known known = waiting_for_a_node(300s);
    engine::Snapshot seen = seeing(known);
    model::CustomObject claim;
    claim.meta = {{"shop", "db-data-b"}, "uid-claim", 3, 1, false};
    const auto replaces = [&] {
        const Decision decision = decide(seen, noon);
        return !decision.actions.empty() && decision.actions[0].of_status &&
               decision.actions[0].body.contains("\"leaving\":[{\"name\":\"db-b\"");
    };
    seen.fetched = {{decided(known).rests_on.at(0), claim}};
    for (const char* phase : {"Bound", "Pending"}) {
        seen.fetched[0].object->status = fmt::format(R"({{"phase":"{}"}})", phase);
        EXPECT_FALSE(replaces()) << phase;
    }
    seen.fetched[0].object->status = R"({"phase":"Lost"})";
    EXPECT_TRUE(replaces());
    seen.fetched[0].object.reset();
    EXPECT_TRUE(replaces()) << "somebody has deleted it";
    seen.fetched[0].refusal = engine::Refusal{403, "forbidden"};
    EXPECT_FALSE(replaces()) << "nobody knows";
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

}  // namespace
}  // namespace sluice::api::stateful_cluster
