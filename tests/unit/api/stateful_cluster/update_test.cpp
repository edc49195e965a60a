// How a new template reaches the members, one step after the other.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/api/stateful_cluster/cluster.hpp"

namespace sluice::api::stateful_cluster {
namespace {

using namespace testing;
using engine::Decision;
using engine::Reason;
using State = Member::State;
using ::testing::ElementsAre;

TEST(ClusterUpdate, AStepIsToldAndSoIsWhomItReplaces) {
    const Decision decision = decided(updating());
    EXPECT_THAT(told_of(decision), ElementsAre(Reason::StepTaken, Reason::MemberReplaced));
    EXPECT_EQ(decision.subject, (engine::Subject{{&resource, "shop", "db"}, "uid-db"}));
}

TEST(ClusterUpdate, TheNextStepWaitsUntilTheLastMemberHasBeenReadyForMinReadySeconds) {
    Known known = updating();
    known.edit("/minReadySeconds", "30");
    known.pods[2].ready_since = noon - 29s;
    look(known);
    EXPECT_EQ(known.status.exposed, PodCount{1});
    known.now = noon + 1s;
    look(known);
    EXPECT_EQ(known.status.exposed, PodCount{2});
}

TEST(ClusterUpdate, AHookHearsToWhichRevisionItLeads) {
    Known known = at_rest();
    known.edit("/updateStrategy", R"({"gates":{"hook":"noop"}})");
    known.edit("/template/spec/containers/0/image", R"("db:2")");
    look(known);
    const Decision decision = decided(known);
    ASSERT_TRUE(decision.probe.has_value());
    const auto* call = engine::opened<hooks::HookCall>(*decision.probe->question);
    ASSERT_TRUE(call);
    EXPECT_EQ(call->transition.idempotency_key, "uid-db/" + known.revision() + "/nil/uid-db-c");
}

// The update has reached db-y, whose pod may be being made just now.
TEST(ClusterUpdate, WhoWasNeverReadyIsMadeFromTheTemplateThatWasPutRight) {
    Known known = updating();
    const std::string wrong = known.status.current_revision;
    known.edit("/replicas", "2");
    known.pods.clear();
    known.status.members = {
        {.name = "db-x", .revision = wrong, .added = true},
        {.name = "db-y", .state = State::Creating, .revision = wrong, .since = noon - 5s}};
    known.keep(known.status);
    look(known);
    EXPECT_EQ(known.status.members[0].revision, known.revision());
}

// The last member is to get another image, and nothing else.
Known updating_in_place() {
    Known known = at_rest();
    known.edit("/updateStrategy", R"({"inPlace":"IfPossible"})");
    known.edit("/template/spec/containers/0/image", R"("db:2")");
    look(known);
    known.status.exposed = PodCount{1};
    known.keep(known.status);
    return known;
}

TEST(ClusterUpdate, NothingIsDoneBeforeTheTemplateThatAMemberHasIsRead) {
    const Known known = updating_in_place();
    const Decision decision = decided(known);
    EXPECT_THAT(decision.rests_on,
                ElementsAre(model::Ref{&revisions, "shop", known.pods[2].revision}));
    EXPECT_TRUE(decision.actions.empty());
}

TEST(ClusterUpdate, AllTemplatesThatMembersHaveAreReadAtOnce) {
    Known known = updating_in_place();
    for (std::size_t i = 0; i < 3; ++i)
        known.status.members[i].revision = known.pods[i].revision = fmt::format("db-{}", i);
    known.status.exposed = PodCount{3};
    known.keep(known.status);
    EXPECT_EQ(decided(known).rests_on.size(), 3u);
}

TEST(ClusterUpdate, OneThatWasNotMadeYetIsMadeFromTheNewTemplateWithoutALookAtTheOld) {
    Known known = updating_in_place();
    known.pods.pop_back();
    known.status.members[2] = {.name = "db-x", .revision = known.pods[0].revision};
    known.keep(known.status);
    const Decision decision = look(known);
    EXPECT_TRUE(decision.rests_on.empty());
    EXPECT_EQ(known.status.members[2].revision, known.revision());
}

}  // namespace
}  // namespace sluice::api::stateful_cluster
