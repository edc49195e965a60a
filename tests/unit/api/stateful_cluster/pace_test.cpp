// How often a status is written: not for each change of a count while more of them are to come.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/api/stateful_cluster/cluster.hpp"

namespace sluice::api::stateful_cluster {
namespace {

using namespace testing;
using engine::Decision;
using engine::Reason;
using ::testing::Contains;

// Something moves, at noon, and more is to come.
struct Moving {
    const char* what;
    void (*begin)(Known& known);
};

constexpr Moving moving[] = {
    {"an update is under way",
     [](Known& known) {
         known.edit("/updateStrategy", R"({"rollingUpdate":{"partition":3}})");
         known.edit("/template/spec/containers/0/image", R"("db:2")");
     }},
    {"a member leaves",
     [](Known& known) {
         known.edit("/replicas", "2");
         look(known);
         for (model::Pod& pod : known.pods)
             pod.meta.deleting = pod.meta.key.name == known.status.leaving.at(0).name;
     }},
    {"the pod of a new member is being made",
     [](Known& known) {
         known.edit("/replicas", "4");
         look(known);
     }},
    {"a new member starts",
     [](Known& known) {
         known.edit("/replicas", "4");
         known.add("db-new", known.revision()).ready = false;
         known.status.members.back().state = Member::State::Starting;
         known.status.members.back().added = true;
         known.keep(known.status);
     }},
};

// One of the pods that stay is not ready any more.
void lose_one(Known& known) {
    for (model::Pod& pod : known.pods)
        if (pod.ready && !pod.meta.deleting) {
            pod.ready = false;
            return;
        }
}

Known begun(const Moving& row) {
    Known known = at_rest();
    row.begin(known);
    settle(known);
    return known;
}

TEST(ClusterPace, AtRestCountsFollowAtOnce) {
    Known known = at_rest();
    known.now = noon + 1s;
    lose_one(known);
    look(known);
    EXPECT_EQ(known.status.ready, PodCount{2});
    EXPECT_EQ(known.status.written, noon + 1s);
}

TEST(ClusterPace, WhileSomethingMovesCountsFollowWithinTenSeconds) {
    for (const Moving& row : moving) {
        Known known = begun(row);
        const PodCount before = known.status.ready;
        lose_one(known);
        known.now = noon + 9s;
        const Decision decision = decided(known);
        EXPECT_TRUE(decision.actions.empty()) << row.what;
        EXPECT_EQ(decision.wake_at, noon + 10s) << row.what;
        known.now = noon + 10s;
        look(known);
        EXPECT_LT(known.status.ready, before) << row.what;
        EXPECT_EQ(known.status.written, noon + 10s) << row.what;
    }
}

TEST(ClusterPace, NothingIsToldThatIsNotWrittenDownYet) {
    Known known = begun(moving[0]);
    lose_most(known);
    known.now = noon + 9s;
    EXPECT_TRUE(decided(known).notices.empty());
    known.now = noon + 10s;
    EXPECT_THAT(told_of(decided(known)), Contains(Reason::TooManyUnready));
}

TEST(ClusterPace, ARefusalThatIsTooLongToBeWrittenDownIsWrittenOnce) {
    Known known = at_rest();
    known.edit("/replicas", "4");
    const auto refused = [&] {
        engine::Snapshot seen = seeing(known);
        seen.attempt = engine::Attempt{.verb = engine::Action::Verb::Create,
                                       .ref = {&model::pods, "shop", "db-new"},
                                       .refusal = engine::Refusal{403, std::string(3000, 'x')}};
        const Decision decision = decide(seen, known.now);
        return apply_status(known, decision);
    };
    for (int i = 0; i < 10 && refused(); ++i) {
    }
    known.now = noon + 1min;
    EXPECT_FALSE(refused());
}

TEST(ClusterPace, AClusterAtRestIsNotWrittenAgain) {
    Known known = at_rest();
    known.now = noon + 24h;
    EXPECT_TRUE(decided(known).actions.empty());
}

}  // namespace
}  // namespace sluice::api::stateful_cluster
