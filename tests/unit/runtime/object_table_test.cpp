#include <gtest/gtest.h>

#include "tests/unit/runtime/gates.hpp"

namespace sluice::runtime {
namespace {

using namespace testing;

TEST(ObjectTable, GivesAnObjectBackWithEveryField) {
    Budget budget{1u << 20};
    ObjectTable table{{&gates, model::Itself{}}, target_of, budget};
    CustomObject whole = object("gate", 9, "web");
    whole.meta.deleting = true;
    whole.created = Instant{1'790'000'000'000};
    whole.annotations = {{"sluice.dev/retry", "1"}};
    whole.finalizers = {"sts.plus/finalizer"};
    whole.status = "{}";
    EXPECT_EQ(names(table.put(whole)), Names{"shop/web"});
    EXPECT_EQ(known(table, {"shop", "gate"}), whole);
    EXPECT_EQ(table.about({&model::statefulsets, "shop", "web"}), std::vector<CustomObject>{whole});
    EXPECT_EQ(table.find({"shop", "web"}), std::nullopt);
    EXPECT_EQ(table.size(), 1u);
}

TEST(ObjectTable, NeverGoesBackToAnOlderVersion) {
    Budget budget{1u << 20};
    ObjectTable table{{&gates, model::Itself{}}, target_of, budget};
    table.put(object("gate", 9, "web"));
    EXPECT_EQ(table.put(object("gate", 8, "old")), Affected{});
    EXPECT_EQ(table.put(object("gate", 9, "same")), Affected{});
    EXPECT_EQ(known(table, {"shop", "gate"}).spec, "web");
    EXPECT_EQ(table.put(object("gate", 0, "none")), Affected{});
    EXPECT_EQ(table.put(object("new", 0, "none")), Affected{});
    EXPECT_EQ(table.size(), 1u);
}

TEST(ObjectTable, ListsTheWorkloadsThatAreNamedAndNoOthers) {
    Budget budget{1u << 20};
    ObjectTable table{{&gates, model::Itself{}}, target_of, budget};
    table.put(object("a", 1, "web", "uid-a"));
    table.put(object("b", 2, "web", "uid-b"));
    table.put(object("c", 3, "db", "uid-c"));
    EXPECT_EQ(texts_of(table.all().named), (Names{"shop/db", "shop/web"}));
    table.put(object("a", 4, "db", "uid-a"));
    table.remove(object("c", 3, "db", "uid-c"));
    EXPECT_EQ(texts_of(table.all().named), (Names{"shop/db", "shop/web"}));
    table.put(object("b", 5, "", "uid-b"));
    EXPECT_EQ(texts_of(table.all().named), Names{"shop/db"});
}

TEST(ObjectTable, AChangeOfTheTargetConcernsBothWorkloads) {
    Budget budget{1u << 20};
    ObjectTable table{{&gates, model::Itself{}}, target_of, budget};
    EXPECT_EQ(names(table.put(object("gate", 1, "web"))), Names{"shop/web"});
    EXPECT_EQ(names(table.put(object("gate", 2, "web"))), Names{"shop/web"});
    EXPECT_EQ(names(table.put(object("gate", 3, "db"))), (Names{"shop/db", "shop/web"}));
    EXPECT_EQ(naming(table, {"shop", "web"}), Names{});
    EXPECT_EQ(naming(table, {"shop", "db"}), Names{"gate"});
    EXPECT_EQ(names(table.put(object("gate", 4, ""))), Names{"shop/db"});
    EXPECT_EQ(table.put(object("gate", 5, "")), (Affected{.objects = {{"shop", "gate"}}}))
        << "it names nobody";
    EXPECT_EQ(naming(table, {"shop", ""}), Names{});
    EXPECT_EQ(table.size(), 1u);
}

TEST(ObjectTable, OfSeveralThatNameAWorkloadTheOldestComesFirst) {
    Budget budget{1u << 20};
    ObjectTable table{{&gates, model::Itself{}}, target_of, budget};
    const Instant noon{1'790'000'000'000};
    CustomObject young = object("a", 1, "web", "uid-a");
    young.created = noon + 1s;
    CustomObject second = object("b", 2, "web", "uid-b");
    second.created = noon;
    CustomObject first = object("c", 3, "web", "uid-a2");
    first.created = noon;
    table.put(young);
    table.put(second);
    table.put(first);
    table.put(object("d", 4, "web", "uid-d", "other"));
    EXPECT_EQ(naming(table, {"shop", "web"}), (Names{"c", "b", "a"}));
    EXPECT_EQ(naming(table, {"other", "web"}), Names{"d"}) << "names are of one namespace";
}

TEST(ObjectTable, ALateDeleteOfANamesakeRemovesNothing) {
    Budget budget{1u << 20};
    ObjectTable table{{&gates, model::Itself{}}, target_of, budget};
    table.put(object("gate", 1, "web", "uid-1"));
    EXPECT_EQ(names(table.put(object("gate", 5, "db", "uid-2"))), (Names{"shop/db", "shop/web"}));
    EXPECT_EQ(table.remove(object("gate", 4, "web", "uid-1")), Affected{});
    EXPECT_EQ(table.put(object("gate", 3, "web", "uid-1")), Affected{});
    EXPECT_EQ(known(table, {"shop", "gate"}).meta.uid, "uid-2");
    EXPECT_EQ(names(table.remove(object("gate", 6, "db", "uid-2"))), Names{"shop/db"});
    EXPECT_EQ(table.size(), 0u);
    EXPECT_EQ(naming(table, {"shop", "db"}), Names{});
    EXPECT_EQ(table.remove(object("gate", 6, "db", "uid-2")), Affected{});
}

TEST(ObjectTable, WhatACompleteListDidNotContainIsGone) {
    Budget budget{1u << 20};
    ObjectTable table{{&gates, model::Itself{}}, target_of, budget};
    table.put(object("a", 1, "web", "uid-a"));
    table.put(object("b", 2, "db", "uid-b"));
    table.put(object("c", 3, "web", "uid-c", "other"));
    table.put(object("d", 4, "", "uid-d"));
    table.begin_list("");
    table.put(object("a", 1, "web", "uid-a"));
    EXPECT_EQ(names(table.drop_unlisted("shop", 10)), Names{"shop/db"});
    EXPECT_EQ(table.size(), 2u);
    table.begin_list("");
    EXPECT_EQ(names(table.drop_unlisted("", 10)), (Names{"other/web", "shop/web"}));
    EXPECT_EQ(table.size(), 0u);
}

TEST(ObjectTable, WhatIsNewerThanTheListStays) {
    Budget budget{1u << 20};
    ObjectTable table{{&gates, model::Itself{}}, target_of, budget};
    table.put(object("a", 11, "web", "uid-a"));
    table.begin_list("");
    EXPECT_EQ(table.drop_unlisted("", 10), Affected{});
    EXPECT_EQ(table.size(), 1u);
    table.put(object("a", 5, "web", "uid-old"));
    EXPECT_EQ(names(table.drop_unlisted("", 20)), Names{"shop/web"})
        << "an older namesake in the list does not stand for this one";
    table.put(object("b", 20, "web", "uid-b"));
    table.begin_list("");
    EXPECT_EQ(names(table.drop_unlisted("", 20)), Names{"shop/web"})
        << "one of the very version of the list would be in it";
}

TEST(ObjectTable, WhatAnObjectOwnsIsFoundByItsNameAndItsUid) {
    Budget budget{1u << 20};
    ObjectTable table{{&gates, model::Itself{}}, target_of, budget};
    table.put(owned("gentle-a", 1, "gentle", "uid-g"));
    table.put(owned("anything", 2, "gentle", "uid-g"));
    table.put(owned("gentle-b", 3, "gentle", "uid-of-a-namesake"));
    table.put(owned("gentle-c", 4, "gentler", "uid-g2"));
    table.put(owned("gentle-d", 5, "", ""));
    EXPECT_EQ(owned_by(table, {"shop", "gentle"}, "uid-g"), (Names{"anything", "gentle-a"}));
    EXPECT_EQ(owned_by(table, {"shop", "gentler"}, "uid-g2"), Names{"gentle-c"});
    EXPECT_EQ(owned_by(table, {"other", "gentle"}, "uid-g"), Names{});
    EXPECT_EQ(owned_by(table, {"shop", ""}, ""), Names{}) << "nobody owns what has no owner";
}

TEST(ObjectTable, AnOwnerIsToldWhenItsObjectComesChangesOrGoes) {
    Budget budget{1u << 20};
    ObjectTable table{{&gates, model::Itself{}}, target_of, budget};
    const Names gentle{"shop/gentle"};
    EXPECT_EQ(texts_of(table.put(owned("run", 1, "gentle", "uid-g")).owners), gentle);
    EXPECT_EQ(texts_of(table.put(owned("run", 2, "gentle", "uid-g")).owners), gentle);
    EXPECT_EQ(table.put(owned("run", 2, "gentle", "uid-g")), Affected{}) << "no news";
    EXPECT_EQ(texts_of(table.put(owned("run", 3, "rough", "uid-r")).owners),
              (Names{"shop/gentle", "shop/rough"}));
    EXPECT_EQ(owned_by(table, {"shop", "gentle"}, "uid-g"), Names{});
    EXPECT_EQ(texts_of(table.remove(owned("run", 4, "", "")).owners), Names{"shop/rough"});
    EXPECT_EQ(owned_by(table, {"shop", "rough"}, "uid-r"), Names{});
    table.put(owned("run", 5, "gentle", "uid-g"));
    table.begin_list("");
    EXPECT_EQ(texts_of(table.drop_unlisted("shop", 10).owners), gentle);
    EXPECT_EQ(owned_by(table, {"shop", "gentle"}, "uid-g"), Names{});
}

TEST(ObjectTable, WhatAListHasAndNobodyCouldReadStays) {
    Budget budget{1u << 20};
    ObjectTable table{{&gates, model::Itself{}}, target_of, budget};
    table.put(object("huge", 1, "web", "uid-huge"));
    table.put(object("gone", 2, "db", "uid-gone"));
    table.begin_list("");
    table.keep({"shop", "huge"});
    table.keep({"shop", "never-heard-of"});
    EXPECT_EQ(names(table.drop_unlisted("", 10)), Names{"shop/db"});
    EXPECT_TRUE(table.find({"shop", "huge"}).has_value());
    EXPECT_EQ(table.size(), 1u);
}

TEST(ObjectTable, ListsOfTwoNamespacesSayNothingAboutEachOther) {
    Budget budget{1u << 20};
    ObjectTable table{{&gates, model::Itself{}}, target_of, budget};
    table.put(object("a", 1, "web"));
    table.put(object("b", 2, "web", "uid-1", "other"));
    table.begin_list("other");
    table.put(object("b", 2, "web", "uid-1", "other"));
    table.begin_list("shop");
    EXPECT_EQ(table.drop_unlisted("other", 10), Affected{});
    EXPECT_EQ(names(table.drop_unlisted("shop", 10)), Names{"shop/web"});
    EXPECT_EQ(table.size(), 1u);
}

TEST(ObjectTable, SaysInWhichVersionItKnowsAnObjectAndNotItsNamesake) {
    Budget budget{1u << 20};
    ObjectTable table{{&gates, model::Itself{}}, target_of, budget};
    table.put(object("gate", 9, "web"));
    EXPECT_EQ(table.version_of(object("gate", 12, "web")), 9u);
    EXPECT_EQ(table.version_of(object("gate", 12, "web", "uid-2")), 0u);
    EXPECT_EQ(table.version_of(object("other", 12, "web")), 0u);
}

TEST(ObjectTable, ListsTheObjectsOfANamespaceByName) {
    Budget budget{1u << 20};
    ObjectTable table{{&gates, model::Itself{}}, target_of, budget};
    table.put(object("e", 1, "web", "uid-1", "post"));
    table.put(object("d", 2, "web"));
    table.put(object("c", 3, "db"));
    table.put(object("b", 4, "web", "uid-1", "zoo"));
    Names found;
    for (const CustomObject& one : table.in("shop"))
        found.push_back(one.meta.key.name);
    EXPECT_EQ(found, (Names{"c", "d"}));
    const auto names_web = [](const CustomObject& one) { return one.spec == "web"; };
    EXPECT_EQ(table.names_in("shop", names_web), Names{"d"});
}

}  // namespace
}  // namespace sluice::runtime
