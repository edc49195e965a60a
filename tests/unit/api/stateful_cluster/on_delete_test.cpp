// updateStrategy.type OnDelete: people decide who gets the new template.
#include <gtest/gtest.h>

#include "tests/unit/api/stateful_cluster/cluster.hpp"

namespace sluice::api::stateful_cluster {
namespace {

using namespace testing;

// It begins in the middle of an update.
Known on_delete() {
    Known known = updating();
    known.edit("/updateStrategy", R"({"type":"OnDelete"})");
    return known;
}

TEST(ClusterOnDelete, NobodyIsReplacedNotEvenWhomAnUpdateHadReached) {
    Known known = on_delete();
    known.edit("/template/spec/containers/0/image", R"("db:3")");
    const std::vector<std::string> before = names_of(known.status);
    settle(known);
    EXPECT_EQ(names_of(known.status), before);
    EXPECT_EQ(known.status.exposed, PodCount{0});
}

TEST(ClusterOnDelete, WhoIsDeletedComesBackWithTheNewTemplate) {
    Known known = on_delete();
    known.pods.erase(known.pods.begin());
    look(known);
    EXPECT_EQ(known.status.members[0].revision, known.revision());
    EXPECT_NE(known.status.members[1].revision, known.revision());
}

TEST(ClusterOnDelete, ARevisionIsTheCurrentOneOnceEverybodyHasIt) {
    Known known = on_delete();
    look(known);
    EXPECT_EQ(known.status.current_revision, known.pods[0].revision);
    for (std::size_t i = 0; i < 3; ++i)
        known.pods[i].revision = known.status.members[i].revision = known.revision();
    known.keep(known.status);
    look(known);
    EXPECT_EQ(known.status.current_revision, known.revision());
}

}  // namespace
}  // namespace sluice::api::stateful_cluster
