// What complete lists, and lists that were cut short, say about what is gone.
#include <gtest/gtest.h>

#include "tests/unit/runtime/known.hpp"

namespace sluice::runtime {
namespace {

using namespace testing;

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

TEST(Store, ListsOfTwoNamespacesSayNothingAboutEachOther) {
    Known store;
    store.put(pod(0, 5, uid_a, "shop"));
    store.put(pod(0, 5, uid_b, "post"));
    store.begin_list_of_pods("post");
    store.put(pod(0, 5, uid_b, "post"));
    store.begin_list_of_pods("shop");
    EXPECT_TRUE(store.drop_unlisted_pods("post", 10).empty());
    EXPECT_EQ(names(store.drop_unlisted_pods("shop", 10)), Names{"shop/web"});
}

TEST(Store, CountsThePodsThatAreLeftWhenThoseOfSeveralSetsAreGone) {
    Known store;
    for (int ordinal = 0; ordinal < 3; ++ordinal) {
        store.put(pod(ordinal, 5, uid_a));
        store.put(pod(ordinal, 5, uid_b));
    }
    store.put(pod(3, 11, uid_a));
    store.begin_list_of_pods("");
    store.drop_unlisted_pods("", 10);
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

}  // namespace
}  // namespace sluice::runtime
