// How it is found out that a member cannot start because a volume of it is gone.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/unit/api/stateful_cluster/cluster.hpp"

namespace sluice::api::stateful_cluster {
namespace {

using namespace testing;

// Three members, one of which has waited for a node since then.
Known waiting_for_a_node(Duration since) {
    Known known = at_rest();
    known.unready(1, since).never_ready = true;
    known.status.members[1].state = Member::State::Starting;
    known.keep(known.status);
    return known;
}

TEST(ClusterVolumes, ClaimsAreReadOfWhomNoNodeTakesForLong) {
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

TEST(ClusterVolumes, WhoseVolumeIsGoneIsReplaced) {
    const Known known = waiting_for_a_node(300s);
    engine::Snapshot seen = seeing(known);
    model::CustomObject claim;
    claim.meta = {{"shop", "db-data-b"}, "uid-claim", 3, 1, false};
    const auto replaces = [&] {
        const engine::Decision decision = decide(seen, noon);
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

TEST(ClusterVolumes, OfOneWhosePodSomebodyDeletesTheClaimsAreReadAtOnce) {
    const auto wanted = [](Duration since) {
        Known known = waiting_for_a_node(since);
        known.pods.erase(known.pods.begin() + 1);
        return decided(known).rests_on;
    };
    EXPECT_TRUE(wanted(19s).empty()) << "it may have been about to be bound";
    ASSERT_EQ(wanted(20s).size(), 1u);
    EXPECT_EQ(wanted(20s)[0].name, "db-data-b");
}

TEST(ClusterVolumes, OfManyWhoWaitAtOnceSixteenAreLookedInto) {
    const auto claims_read = [](int waiting) {
        Known known;
        known.edit("/replicas", std::to_string(waiting));
        for (int i = 0; i < waiting; ++i) {
            known.add(fmt::format("db-{}", i), known.revision());
            known.unready(known.pods.size() - 1, 300s).never_ready = true;
            known.status.members.back().state = Member::State::Starting;
        }
        known.keep(known.status);
        return decided(known).rests_on.size();
    };
    EXPECT_EQ(claims_read(16), 16u);
    EXPECT_EQ(claims_read(17), 16u);
}

}  // namespace
}  // namespace sluice::api::stateful_cluster
