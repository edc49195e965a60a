#include "runtime/object_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace sluice::runtime {
namespace {

using model::CustomObject;
using model::ObjectKey;
using Names = std::vector<std::string>;

// The spec of these objects is nothing but the name of the workload.
std::string target_of(const CustomObject& object) {
    return object.spec;
}

CustomObject object(const std::string& name, std::uint64_t version, const std::string& target,
                    const std::string& uid = "uid-1", const std::string& ns = "shop") {
    CustomObject one;
    one.meta = {{ns, name}, uid, version, 7, false};
    one.spec = target;
    return one;
}

Names texts_of(const Touched& touched) {
    Names texts;
    for (const ObjectKey& key : touched)
        texts.push_back(to_text(key));
    std::ranges::sort(texts);
    return texts;
}

Names names(const Concerned& concerned) {
    return texts_of(concerned.workloads);
}

CustomObject owned(const std::string& name, std::uint64_t version, const std::string& owner,
                   const std::string& owner_uid) {
    CustomObject one = object(name, version, "", "uid-" + name);
    one.owner = owner;
    one.owner_uid = owner_uid;
    return one;
}

Names owned_by(const ObjectTable& table, const ObjectKey& owner, const std::string& uid) {
    Names found;
    for (const CustomObject& one : table.owned_by(owner, uid))
        found.push_back(one.meta.key.name);
    return found;
}

Names naming(const ObjectTable& table, const ObjectKey& workload) {
    Names found;
    for (const CustomObject& one : table.naming(workload))
        found.push_back(one.meta.key.name);
    return found;
}

TEST(ObjectTable, GivesAnObjectBackWithEveryField) {
    ObjectTable table{target_of};
    CustomObject whole = object("gate", 9, "web");
    whole.meta.deleting = true;
    whole.created = Instant{1'790'000'000'000};
    whole.annotations = {{"sluice.dev/retry", "1"}};
    whole.finalizers = {"sts.plus/finalizer"};
    whole.status = "{}";
    EXPECT_EQ(names(table.put(whole, 1)), Names{"shop/web"});
    EXPECT_EQ(table.find({"shop", "gate"}), whole);
    EXPECT_EQ(table.naming({"shop", "web"}), std::vector<CustomObject>{whole});
    EXPECT_EQ(table.find({"shop", "web"}), std::nullopt);
    EXPECT_EQ(table.size(), 1u);
}

TEST(ObjectTable, NeverGoesBackToAnOlderVersion) {
    ObjectTable table{target_of};
    table.put(object("gate", 9, "web"), 1);
    EXPECT_EQ(table.put(object("gate", 8, "old"), 1), Concerned{});
    EXPECT_EQ(table.put(object("gate", 9, "same"), 1), Concerned{});
    EXPECT_EQ(table.find({"shop", "gate"})->spec, "web");
    EXPECT_EQ(table.put(object("gate", 0, "none"), 1), Concerned{});
    EXPECT_EQ(table.put(object("new", 0, "none"), 1), Concerned{});
    EXPECT_EQ(table.size(), 1u);
}

TEST(ObjectTable, ListsTheWorkloadsThatAreNamedAndNoOthers) {
    ObjectTable table{target_of};
    table.put(object("a", 1, "web", "uid-a"), 1);
    table.put(object("b", 2, "web", "uid-b"), 1);
    table.put(object("c", 3, "db", "uid-c"), 1);
    EXPECT_EQ(texts_of(table.workloads()), (Names{"shop/db", "shop/web"}));
    table.put(object("a", 4, "db", "uid-a"), 1);
    table.remove(object("c", 3, "db", "uid-c"));
    EXPECT_EQ(texts_of(table.workloads()), (Names{"shop/db", "shop/web"}));
    table.put(object("b", 5, "", "uid-b"), 1);
    EXPECT_EQ(texts_of(table.workloads()), Names{"shop/db"});
}

TEST(ObjectTable, AChangeOfTheTargetConcernsBothWorkloads) {
    ObjectTable table{target_of};
    EXPECT_EQ(names(table.put(object("gate", 1, "web"), 1)), Names{"shop/web"});
    EXPECT_EQ(names(table.put(object("gate", 2, "web"), 1)), Names{"shop/web"});
    EXPECT_EQ(names(table.put(object("gate", 3, "db"), 1)), (Names{"shop/db", "shop/web"}));
    EXPECT_EQ(naming(table, {"shop", "web"}), Names{});
    EXPECT_EQ(naming(table, {"shop", "db"}), Names{"gate"});
    EXPECT_EQ(names(table.put(object("gate", 4, ""), 1)), Names{"shop/db"});
    EXPECT_EQ(table.put(object("gate", 5, ""), 1), Concerned{}) << "it names nobody";
    EXPECT_EQ(naming(table, {"shop", ""}), Names{});
    EXPECT_EQ(table.size(), 1u);
}

TEST(ObjectTable, OfSeveralThatNameAWorkloadTheOldestComesFirst) {
    ObjectTable table{target_of};
    const Instant noon{1'790'000'000'000};
    CustomObject young = object("a", 1, "web", "uid-a");
    young.created = noon + 1s;
    CustomObject second = object("b", 2, "web", "uid-b");
    second.created = noon;
    CustomObject first = object("c", 3, "web", "uid-a2");
    first.created = noon;
    table.put(young, 1);
    table.put(second, 1);
    table.put(first, 1);
    table.put(object("d", 4, "web", "uid-d", "other"), 1);
    EXPECT_EQ(naming(table, {"shop", "web"}), (Names{"c", "b", "a"}));
    EXPECT_EQ(naming(table, {"other", "web"}), Names{"d"}) << "names are of one namespace";
}

TEST(ObjectTable, ALateDeleteOfANamesakeRemovesNothing) {
    ObjectTable table{target_of};
    table.put(object("gate", 1, "web", "uid-1"), 1);
    EXPECT_EQ(names(table.put(object("gate", 5, "db", "uid-2"), 1)),
              (Names{"shop/db", "shop/web"}));
    EXPECT_EQ(table.remove(object("gate", 4, "web", "uid-1")), Concerned{});
    EXPECT_EQ(table.put(object("gate", 3, "web", "uid-1"), 1), Concerned{});
    EXPECT_EQ(table.find({"shop", "gate"})->meta.uid, "uid-2");
    EXPECT_EQ(names(table.remove(object("gate", 6, "db", "uid-2"))), Names{"shop/db"});
    EXPECT_EQ(table.size(), 0u);
    EXPECT_EQ(naming(table, {"shop", "db"}), Names{});
    EXPECT_EQ(table.remove(object("gate", 6, "db", "uid-2")), Concerned{});
}

TEST(ObjectTable, WhatACompleteListDidNotContainIsGone) {
    ObjectTable table{target_of};
    table.put(object("a", 1, "web", "uid-a"), 1);
    table.put(object("b", 2, "db", "uid-b"), 1);
    table.put(object("c", 3, "web", "uid-c", "other"), 1);
    table.put(object("d", 4, "", "uid-d"), 1);
    table.put(object("a", 1, "web", "uid-a"), 2);
    EXPECT_EQ(names(table.drop_unlisted("shop", 2, 10)), Names{"shop/db"});
    EXPECT_EQ(table.size(), 2u);
    EXPECT_EQ(names(table.drop_unlisted("", 3, 10)), (Names{"other/web", "shop/web"}));
    EXPECT_EQ(table.size(), 0u);
}

TEST(ObjectTable, WhatIsNewerThanTheListStays) {
    ObjectTable table{target_of};
    table.put(object("a", 11, "web", "uid-a"), 1);
    EXPECT_EQ(table.drop_unlisted("", 2, 10), Concerned{});
    EXPECT_EQ(table.size(), 1u);
    table.put(object("a", 5, "web", "uid-old"), 2);
    EXPECT_EQ(names(table.drop_unlisted("", 2, 20)), Names{"shop/web"})
        << "an older namesake in the list does not stand for this one";
    table.put(object("b", 20, "web", "uid-b"), 2);
    EXPECT_EQ(names(table.drop_unlisted("", 3, 20)), Names{"shop/web"})
        << "one of the very version of the list would be in it";
}

TEST(ObjectTable, WhatAnObjectOwnsIsFoundByItsNameAndItsUid) {
    ObjectTable table{target_of};
    table.put(owned("gentle-a", 1, "gentle", "uid-g"), 1);
    table.put(owned("anything", 2, "gentle", "uid-g"), 1);
    table.put(owned("gentle-b", 3, "gentle", "uid-of-a-namesake"), 1);
    table.put(owned("gentle-c", 4, "gentler", "uid-g2"), 1);
    table.put(owned("gentle-d", 5, "", ""), 1);
    EXPECT_EQ(owned_by(table, {"shop", "gentle"}, "uid-g"), (Names{"anything", "gentle-a"}));
    EXPECT_EQ(owned_by(table, {"shop", "gentler"}, "uid-g2"), Names{"gentle-c"});
    EXPECT_EQ(owned_by(table, {"other", "gentle"}, "uid-g"), Names{});
    EXPECT_EQ(owned_by(table, {"shop", ""}, ""), Names{}) << "nobody owns what has no owner";
}

TEST(ObjectTable, AnOwnerIsToldWhenItsObjectComesChangesOrGoes) {
    ObjectTable table{target_of};
    const Names gentle{"shop/gentle"};
    EXPECT_EQ(texts_of(table.put(owned("run", 1, "gentle", "uid-g"), 1).owners), gentle);
    EXPECT_EQ(texts_of(table.put(owned("run", 2, "gentle", "uid-g"), 1).owners), gentle);
    EXPECT_EQ(table.put(owned("run", 2, "gentle", "uid-g"), 1), Concerned{}) << "no news";
    EXPECT_EQ(texts_of(table.put(owned("run", 3, "rough", "uid-r"), 1).owners),
              (Names{"shop/gentle", "shop/rough"}));
    EXPECT_EQ(owned_by(table, {"shop", "gentle"}, "uid-g"), Names{});
    EXPECT_EQ(texts_of(table.remove(owned("run", 4, "", "")).owners), Names{"shop/rough"});
    EXPECT_EQ(owned_by(table, {"shop", "rough"}, "uid-r"), Names{});
    table.put(owned("run", 5, "gentle", "uid-g"), 1);
    EXPECT_EQ(texts_of(table.drop_unlisted("shop", 2, 10).owners), gentle);
    EXPECT_EQ(owned_by(table, {"shop", "gentle"}, "uid-g"), Names{});
}

}  // namespace
}  // namespace sluice::runtime
