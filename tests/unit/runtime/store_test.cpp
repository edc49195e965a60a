#include <gtest/gtest.h>

#include "base/dice.hpp"
#include "tests/unit/runtime/known.hpp"

namespace sluice::runtime {
namespace {

using namespace testing;

TEST(Store, GivesASetBackWithEveryField) {
    StatefulSet whole = set("web", 9);
    whole.meta.deleting = true;
    whole.labels = {{"dd-statefulset-pilot", "careful"}};
    whole.annotations = {{"sluice.dev/claim", "pilot/web"}, {"sluice.dev/message", "a/b"}};
    whole.has_annotations = true;
    whole.template_hash = 0xfedcba9876543210;
    whole.replicas = PodCount{5};
    whole.start = Ordinal{3};
    whole.min_ready = 90s;
    whole.strategy = model::UpdateStrategy::OnDelete;
    whole.partition = closed_partition;
    whole.partition_owner = "kubectl-edit";
    whole.limits_unavailable = true;
    whole.observed_generation = 6;
    whole.current_revision = "web-6bb";
    whole.update_revision = "web-7cc";
    whole.owner = "shelf";
    whole.owner_uid = uid_b;
    whole.owner_kind = "Shelf";
    Known store;
    EXPECT_EQ(names(store.put(whole)), Names{"shop/web"});
    EXPECT_EQ(store.statefulset({"shop", "web"}), whole);
}

TEST(Store, ASetThatNobodyOwnsHasNoOwner) {
    StatefulSet alone = set("web", 9);
    alone.labels = {{"dd-statefulset-pilot", "careful"}};
    Known store;
    store.put(alone);
    EXPECT_EQ(store.statefulset({"shop", "web"}), alone);
}

TEST(Store, TellsNoPartitionFromAnyPartition) {
    Known store;
    StatefulSet one = set("web", 1);
    store.put(one);
    EXPECT_EQ(store.statefulset({"shop", "web"})->partition, std::nullopt);
    one.meta.resource_version = 2;
    one.partition = Partition{0};
    store.put(one);
    EXPECT_EQ(store.statefulset({"shop", "web"})->partition, Partition{0});
}

TEST(Store, GivesPodsBackWithEveryField) {
    Known store;
    store.put(set("web", 1));
    Pod whole = pod(4, 9);
    whole.meta.deleting = true;
    whole.revision = "web-7cc";
    whole.ready = true;
    whole.ready_since = Instant{1'790'000'000'123};
    EXPECT_EQ(names(store.put(whole)), Names{"shop/web"});
    EXPECT_EQ(store.pods_of(set("web", 1)), std::vector<Pod>{whole});
}

TEST(Store, AnyUidComesBackAsItWas) {
    Dice dice{4};
    Known store;
    constexpr char hex[] = "0123456789abcdef";
    for (int round = 0; round < 500; ++round) {
        std::string uid = uid_a;
        for (char& c : uid) {
            if (c != '-') c = hex[dice.roll() % 16];
        }
        store.put(set("web", static_cast<std::uint64_t>(round) + 1, uid));
        EXPECT_EQ(store.statefulset({"shop", "web"})->meta.uid, uid);
    }
}

TEST(Store, TextsThatAreNoUuidAreToldApartFromThoseThatAre) {
    const std::string almost[] = {
        "123e4567-e89b-12d3-a456-42661417400g",  // not a hexadecimal digit
        "123e4567-e89b-12d3-a456-42661417400G",
        "123e4567-e89b-12d3-a456-42661417400:",
        "123e4567-e89b-12d3-a456-4266141740`0",
        "123e4567e89b12d3a456426614174000abcd",
        "123e4567e89b12d3a456426614174000",
        "----",
        "",
        "gate-1",
        "gate-2"};
    const std::string real[] = {
        uid_a, "123e4567-e89b-12d3-a456-426614174010", "123e4567-e89b-12d3-a456-4266141740ff",
        "ffffffff-ffff-ffff-ffff-ffffffffffff", "00000000-0000-0000-0000-000000000000"};
    for (const std::string& one : almost) {
        Known store;
        store.put(set("web", 1, one));
        for (const std::string& other : real)
            EXPECT_EQ(store.remove(set("web", 2, other)), Touched{}) << one << " is not " << other;
        for (const std::string& other : almost)
            if (other != one)
                EXPECT_EQ(store.remove(set("web", 2, other)), Touched{}) << one << ", " << other;
        EXPECT_EQ(names(store.remove(set("web", 2, one))), Names{"shop/web"}) << one;
    }
}

TEST(Store, ASetNeverGoesBackToAnOlderVersion) {
    Known store;
    StatefulSet newer = set("web", 9);
    newer.replicas = PodCount{5};
    store.put(newer);
    EXPECT_TRUE(store.put(set("web", 8)).empty());
    EXPECT_TRUE(store.put(set("web", 9)).empty()) << "the same version is no news";
    EXPECT_EQ(store.statefulset({"shop", "web"})->replicas, PodCount{5});
}

TEST(Store, APodNeverGoesBackToAnOlderVersion) {
    Known store;
    Pod newer = pod(0, 9);
    newer.ready = true;
    store.put(newer);
    EXPECT_TRUE(store.put(pod(0, 8)).empty());
    EXPECT_TRUE(store.pods_of(set("web", 1)).at(0).ready);
    EXPECT_EQ(store.pod_count(), 1u);
}

TEST(Store, ANamesakeWithAnotherUidIsAnotherSet) {
    Known store;
    store.put(set("web", 5, uid_a));
    store.put(pod(0, 4, uid_a));
    store.put(set("web", 9, uid_b));
    EXPECT_EQ(store.statefulset({"shop", "web"})->meta.uid, uid_b);
    EXPECT_TRUE(store.pods_of(*store.statefulset({"shop", "web"})).empty())
        << "the pods of the dead one are not its pods";
    EXPECT_TRUE(store.remove(set("web", 10, uid_a)).empty())
        << "the late death of the old one does not kill the new one";
    EXPECT_TRUE(store.statefulset({"shop", "web"}).has_value());
}

TEST(Store, APodThatCameBackUnderItsNameIsAnotherPod) {
    Known store;
    Pod old = pod(0, 5), young = pod(0, 9);
    young.meta.uid = uid_b;
    store.put(old);
    store.put(young);
    EXPECT_EQ(names(store.remove(old)), Names{"shop/web"});
    ASSERT_EQ(store.pods_of(set("web", 1)).size(), 1u);
    EXPECT_EQ(store.pods_of(set("web", 1))[0].meta.uid, uid_b);
}

TEST(Store, PodsThatNoSetOwnsAreNotKept) {
    Known store;
    Pod orphan = pod(0, 5);
    orphan.owner_uid.clear();
    EXPECT_TRUE(store.put(orphan).empty());
    Pod nameless = pod(0, 5);
    nameless.meta.key.name = "web";
    EXPECT_TRUE(store.put(nameless).empty());
    EXPECT_EQ(store.pod_count(), 0u);
}

TEST(Store, SaysInWhichVersionItKnowsAPod) {
    Known store;
    EXPECT_EQ(store.of_pods.version_of(pod(0, 9)), 0u);
    store.put(pod(0, 5));
    EXPECT_EQ(store.of_pods.version_of(pod(0, 9)), 5u);
    EXPECT_EQ(store.of_pods.version_of(pod(1, 9)), 0u);
}

TEST(Store, RemovingAPodThatIsNotThereConcernsNobody) {
    Known store;
    store.put(pod(0, 5));
    EXPECT_EQ(store.remove(pod(1, 5)), Touched{});
    EXPECT_EQ(store.pod_count(), 1u);
}

TEST(Store, RemovingTwiceIsRemovingOnce) {
    Known store;
    store.put(set("web", 5));
    store.put(pod(0, 5));
    EXPECT_EQ(names(store.remove(set("web", 6))), Names{"shop/web"});
    EXPECT_TRUE(store.remove(set("web", 6)).empty());
    EXPECT_EQ(names(store.remove(pod(0, 6))), Names{"shop/web"});
    EXPECT_TRUE(store.remove(pod(0, 6)).empty());
    EXPECT_EQ(store.set_count() + store.pod_count(), 0u);
}

TEST(Store, PodsMayComeBeforeTheirSet) {
    Known store;
    EXPECT_EQ(names(store.put(pod(0, 5))), Names{"shop/web"});
    EXPECT_FALSE(store.statefulset({"shop", "web"}).has_value());
    store.put(set("web", 6));
    EXPECT_EQ(store.pods_of(*store.statefulset({"shop", "web"})).size(), 1u);
}

TEST(Store, AnObjectWithoutAVersionIsNoObject) {
    Known store;
    EXPECT_TRUE(store.put(set("web", 0)).empty());
    EXPECT_TRUE(store.put(pod(0, 0)).empty());
    EXPECT_EQ(store.set_count() + store.pod_count(), 0u);
}

}  // namespace
}  // namespace sluice::runtime
