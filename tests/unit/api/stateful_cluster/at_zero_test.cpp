// What becomes of a cluster, and of a new template, while nobody is a member.
#include <gtest/gtest.h>

#include "engine/memory.hpp"
#include "tests/unit/api/stateful_cluster/cluster.hpp"

namespace sluice::api::stateful_cluster {
namespace {

using namespace testing;

// The last one of them has left.
Known left_by_all(Known known) {
    known.edit("/replicas", "0");
    look(known);
    known.pods.clear();
    settle(known);
    return known;
}

bool has_open_rollout(const Status& status) {
    const auto memory = engine::decode_memory(status.rollout);
    return memory && memory->open;
}

TEST(ClusterAtZero, BeginsReady) {
    Known known;
    known.edit("/replicas", "0");
    settle(known);
    EXPECT_EQ(known.status.phase, "Ready");
    EXPECT_EQ(known.status.current_revision, known.revision());
}

TEST(ClusterAtZero, ANewTemplateIsSimplyTheTemplate) {
    Known known = left_by_all(at_rest());
    known.edit("/template/spec/containers/0/image", R"("db:2")");
    EXPECT_TRUE(look(known).notices.empty());
    EXPECT_EQ(known.status.current_revision, known.revision());
    EXPECT_EQ(known.status.phase, "Ready");
    EXPECT_FALSE(has_open_rollout(known.status));
}

TEST(ClusterAtZero, AnUpdateThatWasUnderWayIsOver) {
    const Known known = left_by_all(updating());
    EXPECT_EQ(known.status.current_revision, known.revision());
    EXPECT_EQ(known.status.phase, "Ready");
    EXPECT_FALSE(has_open_rollout(known.status));
}

TEST(ClusterAtZero, IsNotReachedBeforeTheLastMemberLeaves) {
    Known known = updating();
    const std::string before = known.status.current_revision;
    known.edit("/replicas", "0");
    look(known);
    EXPECT_EQ(known.status.current_revision, before);
    EXPECT_TRUE(has_open_rollout(known.status));
}

TEST(ClusterAtZero, GatesAreStillToBeAskedAboutANewTemplate) {
    Known known = left_by_all(at_rest());
    known.edit("/updateStrategy", R"({"gates":{"pause":{}}})");
    known.edit("/template/spec/containers/0/image", R"("db:2")");
    look(known);
    known.now = noon + 10s;
    look(known);
    EXPECT_NE(known.status.current_revision, known.revision());
    EXPECT_EQ(known.status.reason, "ScaledToZero");
    EXPECT_TRUE(has_open_rollout(known.status));
}

}  // namespace
}  // namespace sluice::api::stateful_cluster
