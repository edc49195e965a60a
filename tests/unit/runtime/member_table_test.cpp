#include <gtest/gtest.h>

#include "runtime/table.hpp"

namespace sluice::runtime {
namespace {

const std::string owner_a = "aaaaaaaa-0000-0000-0000-000000000001";
const std::string owner_b = "aaaaaaaa-0000-0000-0000-000000000002";

model::Pod pod(const std::string& name, std::uint64_t version, const std::string& owner = owner_a) {
    model::Pod one;
    one.meta = {{"shop", name}, "bbbbbbbb-0000-0000-0000-000000000009", version, 0, false};
    one.owner = owner == owner_a ? "db" : "kv";
    one.owner_uid = owner;
    one.owner_kind = "Cluster";
    one.revision = "db-1";
    one.claims = "00ff";
    one.node = "node-1";
    one.zone = "zone-a";
    one.created = Instant{7000};
    one.ready_since = Instant{9000};
    one.restarts = 3;
    one.ready = one.running = one.goes_first = one.meta.deleting = true;
    return one;
}

struct Kept {
    InternPool pool;
    std::unique_ptr<Table> table = make_member_table(pool, "Cluster");

    std::vector<std::string> of(const std::string& owner) const {
        std::vector<std::string> names;
        for (const model::Object& one : table->owned_by({{"shop", "db"}, owner, 0, 0, false}))
            names.push_back(model::meta_of(one).key.name);
        return names;
    }
};

using Names = std::vector<std::string>;

TEST(MemberTable, GivesBackWhatItWasGiven) {
    Kept kept;
    const model::Pod one = pod("db-a", 5);
    EXPECT_EQ(kept.table->put(one).owners, (std::vector<model::ObjectKey>{{"shop", "db"}}));
    EXPECT_EQ(std::get<model::Pod>(*kept.table->find({"shop", "db-a"})), one);
    EXPECT_EQ(kept.of(owner_a), Names{"db-a"});
    EXPECT_EQ(kept.table->size(), 1u);
}

TEST(MemberTable, NeverGoesBackToAnOlderVersion) {
    Kept kept;
    kept.table->put(pod("db-a", 5));
    model::Pod old = pod("db-a", 4);
    old.ready = false;
    EXPECT_TRUE(kept.table->put(old).objects.empty());
    old.meta.resource_version = 5;
    EXPECT_TRUE(kept.table->put(old).objects.empty()) << "the same version is no news";
    EXPECT_TRUE(std::get<model::Pod>(*kept.table->find({"shop", "db-a"})).ready);
}

TEST(MemberTable, APodWithoutAVersionIsNoPod) {
    Kept kept;
    EXPECT_TRUE(kept.table->put(pod("db-a", 0)).objects.empty());
    EXPECT_EQ(kept.table->size(), 0u);
    EXPECT_EQ(kept.table->put(pod("db-a", 1)).objects.size(), 1u);
    EXPECT_EQ(kept.table->find({"shop", "db-b"}), std::nullopt);
}

TEST(MemberTable, APodThatChangesItsOwnerConcernsBoth) {
    Kept kept;
    kept.table->put(pod("db-a", 5));
    const Affected affected = kept.table->put(pod("db-a", 6, owner_b));
    EXPECT_EQ(affected.owners, (std::vector<model::ObjectKey>{{"shop", "db"}, {"shop", "kv"}}));
    EXPECT_EQ(kept.of(owner_a), Names{});
    EXPECT_EQ(kept.of(owner_b), Names{"db-a"});
}

TEST(MemberTable, APodThatNobodyOwnsAnyMoreIsForgotten) {
    Kept kept;
    kept.table->put(pod("db-a", 5));
    model::Pod orphan = pod("db-a", 6);
    orphan.owner.clear();
    orphan.owner_uid.clear();
    EXPECT_EQ(kept.table->put(orphan).owners, (std::vector<model::ObjectKey>{{"shop", "db"}}));
    EXPECT_EQ(kept.table->size(), 0u);
    kept.table->put(pod("db-a", 7));
    orphan.meta.resource_version = 7;
    EXPECT_TRUE(kept.table->put(orphan).objects.empty()) << "that is how it was before";
    EXPECT_EQ(kept.of(owner_a), Names{"db-a"});
}

TEST(MemberTable, PodsOfOthersAreNotKept) {
    Kept kept;
    model::Pod other = pod("web-0", 5);
    other.owner_kind = "StatefulSet";
    EXPECT_TRUE(kept.table->put(other).objects.empty());
    EXPECT_EQ(kept.table->size(), 0u);
}

TEST(MemberTable, ALateWordAboutANamesakeTouchesNothing) {
    Kept kept;
    kept.table->put(pod("db-a", 5));
    model::Pod namesake = pod("db-a", 3);
    namesake.meta.uid = "bbbbbbbb-0000-0000-0000-000000000001";
    EXPECT_TRUE(kept.table->remove(namesake).objects.empty());
    EXPECT_EQ(kept.table->size(), 1u);
    EXPECT_EQ(kept.table->remove(pod("db-a", 5)).objects.size(), 1u);
}

TEST(MemberTable, WhatACompleteListDoesNotBringIsGoneUnlessItIsNewer) {
    Kept kept;
    kept.table->put(pod("db-a", 5));
    kept.table->put(pod("db-b", 6));
    kept.table->put(pod("db-c", 9));
    kept.table->begin_list("");
    kept.table->put(pod("db-a", 5));
    EXPECT_EQ(kept.table->drop_unlisted("", 8).objects,
              (std::vector<model::ObjectKey>{{"shop", "db-b"}}));
    EXPECT_EQ(kept.of(owner_a), (Names{"db-a", "db-c"}));
    kept.table->begin_list("");
    EXPECT_EQ(kept.table->drop_unlisted("", 9).objects.size(), 2u)
        << "one of the very version of the list would be in it";
}

TEST(MemberTable, ListsOfTwoNamespacesSayNothingAboutEachOther) {
    Kept kept;
    model::Pod other = pod("kv-a", 6, owner_b);
    other.meta.key.ns = "zoo";
    kept.table->put(pod("db-a", 5));
    kept.table->put(other);
    kept.table->begin_list("zoo");
    kept.table->put(other);
    kept.table->begin_list("shop");
    EXPECT_TRUE(kept.table->drop_unlisted("zoo", 9).objects.empty());
    EXPECT_EQ(kept.table->drop_unlisted("shop", 9).objects,
              (std::vector<model::ObjectKey>{{"shop", "db-a"}}));
    EXPECT_EQ(kept.of(owner_b), Names{"kv-a"});
}

TEST(MemberTable, SaysInWhichVersionItKnowsAPodAndNotItsNamesake) {
    Kept kept;
    kept.table->put(pod("db-a", 5));
    EXPECT_EQ(kept.table->version_of(pod("db-a", 9)), 5u);
    EXPECT_EQ(kept.table->version_of(pod("db-b", 9)), 0u);
    model::Pod namesake = pod("db-a", 9);
    namesake.meta.uid = "bbbbbbbb-0000-0000-0000-000000000001";
    EXPECT_EQ(kept.table->version_of(namesake), 0u);
}

}  // namespace
}  // namespace sluice::runtime
