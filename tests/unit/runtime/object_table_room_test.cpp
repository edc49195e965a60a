// What a table does with objects that its namespace has no room for.
#include <gtest/gtest.h>

#include "tests/unit/runtime/gates.hpp"

namespace sluice::runtime {
namespace {

using namespace testing;

CustomObject heavy(const std::string& name, std::uint64_t version, std::size_t bytes,
                   const std::string& ns = "shop") {
    CustomObject one = object(name, version, "web", "uid-" + name, ns);
    one.status = std::string(bytes, 'x');
    return one;
}

Names left_out_in(const ObjectTable& table) {
    Names names;
    for (const auto& [meta, bytes] : table.left_out({&model::statefulsets, "shop", "web"}))
        names.push_back(meta.key.name);
    return names;
}

TEST(ObjectTable, WhatANamespaceHasNoRoomForIsKnownByItsNameOnly) {
    Budget budget{10'000};
    ObjectTable table{{&gates, model::Itself{}}, target_of, budget};
    table.put(heavy("a", 1, 6'000));
    EXPECT_EQ(names(table.put(heavy("b", 2, 6'000))), Names{"shop/web"});
    EXPECT_EQ(left_out_in(table), Names{"b"});
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
    EXPECT_EQ(left_out_in(table), Names{});
    EXPECT_EQ(table.put(heavy("b", 2, 6'000)), Affected{}) << "no news";
    table.put(heavy("b", 3, 100));
    EXPECT_TRUE(budget.has_room("shop", 9'000)) << "what became smaller gave the rest back";
    table.begin_list("");
    table.drop_unlisted("", 10);
    EXPECT_TRUE(budget.has_room("shop", 10'000));
}

TEST(ObjectTable, KeepsOfAnObjectWhatIsLeftOfIt) {
    Budget budget{10'000};
    ObjectTable table{{&gates, model::Itself{}, {}, [](CustomObject& one) { one.status.clear(); }},
                      target_of,
                      budget};
    table.put(heavy("a", 1, 50'000));
    EXPECT_EQ(left_out_in(table), Names{});
    EXPECT_EQ(known(table, {"shop", "a"}).status, "");
}

TEST(ObjectTable, OfWhatHasGrownTooLargeNothingButItsNameIsLeft) {
    Budget budget{10'000};
    ObjectTable table{{&gates, model::Itself{}}, target_of, budget};
    CustomObject one = heavy("a", 1, 100);
    one.labels = {{"app", "web"}};
    one.annotations = {{"sluice.dev/retry", "1"}};
    one.finalizers = {"sts.plus/finalizer"};
    table.put(one);
    one.meta.resource_version = 2;
    one.status = std::string(20'000, 'x');
    table.put(one);
    CustomObject left = one;
    left.labels.clear();
    left.annotations.clear();
    left.finalizers.clear();
    left.spec.clear();
    left.status.clear();
    EXPECT_EQ(known(table, {"shop", "a"}), left);
    EXPECT_TRUE(budget.has_room("shop", 10'000));
}

TEST(ObjectTable, LabelsAnnotationsAndFinalizersTakeRoomToo) {
    const std::string key(300, 'k'), value(200, 'v');
    CustomObject labelled = heavy("a", 1, 0), annotated = labelled, finalized = labelled;
    labelled.labels = {{key, value}};
    annotated.annotations = {{key, value}};
    finalized.finalizers = {key, value};
    for (const CustomObject& one : {labelled, annotated, finalized}) {
        Budget budget{1'000};
        ObjectTable table{{&gates, model::Itself{}}, target_of, budget};
        table.put(one);
        const std::size_t taken = one.spec.size() + 500;
        EXPECT_TRUE(budget.has_room("shop", 1'000 - taken));
        EXPECT_FALSE(budget.has_room("shop", 1'001 - taken));
    }
}

TEST(ObjectTable, WhatThereIsNoRoomForIsNotShownToItsNeighbours) {
    Budget budget{10'000};
    ObjectTable table{{&gates, model::Itself{}}, target_of, budget};
    table.put(heavy("a", 1, 6'000));
    table.put(heavy("b", 2, 6'000));
    ASSERT_EQ(table.in("shop").size(), 1u);
    EXPECT_EQ(table.in("shop")[0].meta.key.name, "a");
}

}  // namespace
}  // namespace sluice::runtime
