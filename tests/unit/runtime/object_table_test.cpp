#include "runtime/object_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace sluice::runtime {
namespace {

using model::CustomObject;
using model::ObjectKey;
using model::Ref;
using Names = std::vector<std::string>;

constexpr model::Resource gates{"test", "v1", "gates", "Gate"};

// The spec of these objects is nothing but the name of the workload.
Ref target_of(const CustomObject& object) {
    return {&model::statefulsets, object.meta.key.ns, object.spec};
}

CustomObject object(const std::string& name, std::uint64_t version, const std::string& target,
                    const std::string& uid = "uid-1", const std::string& ns = "shop") {
    CustomObject one;
    one.meta = {{ns, name}, uid, version, 7, false};
    one.spec = target;
    return one;
}

template <class Key>
Names texts_of(const std::vector<Key>& touched) {
    Names texts;
    for (const Key& key : touched)
        texts.push_back(to_text(key));
    std::ranges::sort(texts);
    return texts;
}

Names names(const Affected& affected) {
    return texts_of(affected.named);
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
    for (const model::Object& one : table.owned_by({owner, uid}))
        found.push_back(model::meta_of(one).key.name);
    return found;
}

CustomObject known(const ObjectTable& table, const ObjectKey& key) {
    return std::get<CustomObject>(table.find(key).value());
}

Names naming(const ObjectTable& table, const ObjectKey& workload) {
    Names found;
    for (const CustomObject& one : table.about(ref_to(model::statefulsets, workload)))
        found.push_back(one.meta.key.name);
    return found;
}

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

model::CustomObject heavy(const std::string& name, std::uint64_t version, std::size_t bytes,
                          const std::string& ns = "shop") {
    model::CustomObject one = object(name, version, "web", "uid-" + name, ns);
    one.status = std::string(bytes, 'x');
    return one;
}

std::vector<std::string> left_out_in(const ObjectTable& table) {
    std::vector<std::string> names;
    for (const auto& [meta, bytes] : table.left_out({&model::statefulsets, "shop", "web"}))
        names.push_back(meta.key.name);
    return names;
}

TEST(ObjectTable, WhatANamespaceHasNoRoomForIsKnownByItsNameOnly) {
    Budget budget{10'000};
    ObjectTable table{{&gates, model::Itself{}}, target_of, budget};
    table.put(heavy("a", 1, 6'000));
    EXPECT_EQ(names(table.put(heavy("b", 2, 6'000))), Names{"shop/web"});
    EXPECT_EQ(left_out_in(table), std::vector<std::string>{"b"});
    EXPECT_EQ(known(table, {"shop", "b"}).status, "");
    EXPECT_EQ(known(table, {"shop", "b"}).meta.uid, "uid-b");
    table.put(heavy("c", 3, 9'000, "post"));
    EXPECT_EQ(known(table, {"post", "c"}).status.size(), 9'000u) << "that is another namespace";
}

TEST(ObjectTable, WhatWasLeftOutIsTakenWhenThereIsRoom) {
    Budget budget{10'000};
    ObjectTable table{{&gates, model::Itself{}}, target_of, budget};
    table.put(heavy("a", 1, 6'000));
    table.put(heavy("b", 2, 6'000));
    EXPECT_EQ(table.put(heavy("b", 2, 6'000)), Affected{}) << "there is still no room";
    table.remove(heavy("a", 1, 6'000));
    EXPECT_EQ(names(table.put(heavy("b", 2, 6'000))), Names{"shop/web"});
    EXPECT_EQ(left_out_in(table), std::vector<std::string>{});
    EXPECT_EQ(table.put(heavy("b", 2, 6'000)), Affected{}) << "no news";
    table.put(heavy("b", 3, 100));
    EXPECT_TRUE(budget.has_room("shop", 9'000)) << "what became smaller gave the rest back";
    table.begin_list("");
    table.drop_unlisted("", 10);
    EXPECT_TRUE(budget.has_room("shop", 10'000));
}

TEST(ObjectTable, KeepsOfAnObjectWhatIsLeftOfIt) {
    Budget budget{10'000};
    ObjectTable table{
        {&gates, model::Itself{}, {}, [](model::CustomObject& one) { one.status.clear(); }},
        target_of,
        budget};
    table.put(heavy("a", 1, 50'000));
    EXPECT_EQ(left_out_in(table), std::vector<std::string>{});
    EXPECT_EQ(known(table, {"shop", "a"}).status, "");
}

}  // namespace
}  // namespace sluice::runtime
