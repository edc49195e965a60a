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

Names names(const Touched& touched) {
    Names texts;
    for (const ObjectKey& key : touched)
        texts.push_back(to_text(key));
    std::ranges::sort(texts);
    return texts;
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
    EXPECT_TRUE(table.put(object("gate", 8, "old"), 1).empty());
    EXPECT_TRUE(table.put(object("gate", 9, "same"), 1).empty());
    EXPECT_EQ(table.find({"shop", "gate"})->spec, "web");
    EXPECT_TRUE(table.put(object("gate", 0, "none"), 1).empty());
}

TEST(ObjectTable, AChangeOfTheTargetConcernsBothWorkloads) {
    ObjectTable table{target_of};
    EXPECT_EQ(names(table.put(object("gate", 1, "web"), 1)), Names{"shop/web"});
    EXPECT_EQ(names(table.put(object("gate", 2, "web"), 1)), Names{"shop/web"});
    EXPECT_EQ(names(table.put(object("gate", 3, "db"), 1)), (Names{"shop/db", "shop/web"}));
    EXPECT_EQ(naming(table, {"shop", "web"}), Names{});
    EXPECT_EQ(naming(table, {"shop", "db"}), Names{"gate"});
    EXPECT_EQ(names(table.put(object("gate", 4, ""), 1)), Names{"shop/db"});
    EXPECT_TRUE(table.put(object("gate", 5, ""), 1).empty()) << "it names nobody";
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
    EXPECT_TRUE(table.remove(object("gate", 4, "web", "uid-1")).empty());
    EXPECT_TRUE(table.put(object("gate", 3, "web", "uid-1"), 1).empty());
    EXPECT_EQ(table.find({"shop", "gate"})->meta.uid, "uid-2");
    EXPECT_EQ(names(table.remove(object("gate", 6, "db", "uid-2"))), Names{"shop/db"});
    EXPECT_EQ(table.size(), 0u);
    EXPECT_EQ(naming(table, {"shop", "db"}), Names{});
    EXPECT_TRUE(table.remove(object("gate", 6, "db", "uid-2")).empty());
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
    EXPECT_TRUE(table.drop_unlisted("", 2, 10).empty());
    EXPECT_EQ(table.size(), 1u);
    table.put(object("a", 5, "web", "uid-old"), 2);
    EXPECT_EQ(names(table.drop_unlisted("", 2, 20)), Names{"shop/web"})
        << "an older namesake in the list does not stand for this one";
}

}  // namespace
}  // namespace sluice::runtime
