#include "runtime/store.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/dice.hpp"

namespace sluice::runtime {
namespace {

using model::Pod;
using model::StatefulSet;

const std::string uid_a = "123e4567-e89b-12d3-a456-426614174000";
const std::string uid_b = "ffffffff-0000-0000-0000-00000000000f";

std::string pod_uid(int number) {
    std::string uid = "00000000-0000-4000-8000-000000000000";
    const std::string digits = std::to_string(number);
    return uid.replace(uid.size() - digits.size(), digits.size(), digits);
}

StatefulSet set(const std::string& name, std::uint64_t version, const std::string& uid = uid_a,
                const std::string& ns = "shop") {
    StatefulSet one;
    one.meta = {{ns, name}, uid, version, 7, false};
    return one;
}

Pod pod(int ordinal, std::uint64_t version, const std::string& owner = uid_a,
        const std::string& ns = "shop") {
    Pod one;
    one.meta = {{ns, "web-" + std::to_string(ordinal)}, pod_uid(ordinal), version, 0, false};
    one.owner_uid = owner;
    one.owner_kind = "StatefulSet";
    return one;
}

constexpr model::Watch watches[] = {{&model::statefulsets, model::Itself{}},
                                    {&model::pods, model::Owner{&model::statefulsets}}};

// A store of sets and their pods.
struct Known {
    Touched put(const StatefulSet& one) { return store.concerned(sets_in, of_sets.put(one)); }
    Touched put(const Pod& one) { return store.concerned(pods_in, of_pods.put(one)); }
    Touched remove(const StatefulSet& one) { return store.concerned(sets_in, of_sets.remove(one)); }
    Touched remove(const Pod& one) { return store.concerned(pods_in, of_pods.remove(one)); }
    void begin_list_of_sets(const std::string& ns) { of_sets.begin_list(ns); }
    void begin_list_of_pods(const std::string& ns) { of_pods.begin_list(ns); }
    Touched drop_unlisted_sets(const std::string& ns, std::uint64_t version) {
        return store.concerned(sets_in, of_sets.drop_unlisted(ns, version));
    }
    Touched drop_unlisted_pods(const std::string& ns, std::uint64_t version) {
        return store.concerned(pods_in, of_pods.drop_unlisted(ns, version));
    }
    std::optional<StatefulSet> statefulset(const model::ObjectKey& key) const {
        auto found = store.find(ref_to(model::statefulsets, key));
        return found ? std::optional{std::get<StatefulSet>(std::move(*found))} : std::nullopt;
    }
    std::vector<Pod> pods_of(const StatefulSet& one) const {
        return store.owned_by<Pod>(model::pods, one.meta);
    }
    Touched sets() const { return store.everybody(); }
    std::size_t set_count() const { return store.size(model::statefulsets); }
    std::size_t pod_count() const { return store.size(model::pods); }

    const WatchScope sets_in{&model::statefulsets, ""}, pods_in{&model::pods, ""};
    Store store{{watches}, 1u << 20};
    Table& of_sets = store.at(sets_in);
    Table& of_pods = store.at(pods_in);
};

std::vector<std::string> names(const Touched& touched) {
    std::vector<std::string> texts;
    for (const model::Ref& key : touched)
        texts.push_back(to_text(key));
    std::ranges::sort(texts);
    return texts;
}

using Names = std::vector<std::string>;

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

TEST(Store, WhatACompleteListDidNotBringIsGone) {
    Known store;
    store.put(set("web", 5));
    store.put(set("db", 6, uid_b));
    store.begin_list_of_sets("");
    store.begin_list_of_pods("");
    store.put(set("web", 5));
    EXPECT_EQ(names(store.drop_unlisted_sets("", 10)), Names{"shop/db"});
    EXPECT_EQ(store.sets(), (Touched{{&model::statefulsets, "shop", "web"}}));
    EXPECT_EQ(store.set_count(), 1u);
}

TEST(Store, PodsThatACompleteListDidNotBringAreGone) {
    Known store;
    for (int ordinal = 0; ordinal < 3; ++ordinal)
        store.put(pod(ordinal, 5));
    store.begin_list_of_sets("");
    store.begin_list_of_pods("");
    store.put(pod(1, 5));
    EXPECT_EQ(names(store.drop_unlisted_pods("shop", 10)), Names{"shop/web"});
    EXPECT_EQ(store.pod_count(), 1u);
    EXPECT_EQ(store.pods_of(set("web", 1)).at(0).meta.key.name, "web-1");
}

TEST(Store, AListSaysNothingAboutOtherNamespaces) {
    Known store;
    store.put(set("web", 5, uid_a, "shop"));
    store.put(set("web", 5, uid_b, "post"));
    store.put(pod(0, 5, uid_a, "shop"));
    store.put(pod(0, 5, uid_b, "post"));
    store.begin_list_of_sets("");
    store.begin_list_of_pods("");
    EXPECT_EQ(names(store.drop_unlisted_sets("shop", 10)), Names{"shop/web"});
    EXPECT_EQ(names(store.drop_unlisted_pods("shop", 10)), Names{"shop/web"});
    EXPECT_TRUE(store.statefulset({"post", "web"}).has_value());
    EXPECT_EQ(store.pod_count(), 1u);
}

TEST(Store, WhatIsNewerThanTheListIsNotGone) {
    Known store;
    store.put(set("web", 11));
    store.put(pod(0, 11));
    store.begin_list_of_sets("");
    store.begin_list_of_pods("");
    EXPECT_TRUE(store.drop_unlisted_sets("", 10).empty());
    EXPECT_TRUE(store.drop_unlisted_pods("", 10).empty());
    EXPECT_EQ(store.set_count() + store.pod_count(), 2u);
    EXPECT_EQ(names(store.drop_unlisted_sets("", 11)), Names{"shop/web"});
    EXPECT_EQ(names(store.drop_unlisted_pods("", 11)), Names{"shop/web"})
        << "what is of the very version of the list would be in it";
}

TEST(Store, AListThatWasCutShortRemovesNothing) {
    Known store;
    store.put(set("web", 5));
    store.put(set("db", 6, uid_b));
    store.begin_list_of_sets("");
    store.begin_list_of_pods("");
    store.put(set("web", 5));  // the first page of a list whose second page never came
    store.begin_list_of_sets("");
    store.begin_list_of_pods("");
    store.put(set("web", 5));
    store.put(set("db", 6, uid_b));
    EXPECT_TRUE(store.drop_unlisted_sets("", 10).empty());
    EXPECT_EQ(store.set_count(), 2u);
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
