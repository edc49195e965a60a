#include "wire/paths.hpp"

#include <gtest/gtest.h>

namespace sluice::wire {
namespace {

constexpr model::Resource things{"example.com", "v1alpha1", "things", "Thing"};

TEST(Paths, events_are_asked_for_by_the_object_that_they_are_about) {
    EXPECT_EQ(
        events_about_path("shop", "a-b&c"),
        "/api/v1/namespaces/shop/events?limit=500&fieldSelector=involvedObject.uid%3Da-b%26c");
}

TEST(Paths, a_log_is_of_one_container_and_cut) {
    EXPECT_EQ(log_path({&model::pods, "shop", "web-0"}, "a b", 9),
              "/api/v1/namespaces/shop/pods/web-0/log?container=a%20b&limitBytes=9");
}

TEST(Paths, OfACustomResourceNameItsGroupAndVersion) {
    const runtime::WatchScope shop{&things, "shop"};
    EXPECT_EQ(collection_path(things, ""), "/apis/example.com/v1alpha1/things");
    EXPECT_EQ(collection_path(things, "shop"), "/apis/example.com/v1alpha1/namespaces/shop/things");
    EXPECT_EQ(list_path(shop, {.next = "a b"}),
              "/apis/example.com/v1alpha1/namespaces/shop/things?limit=250&continue=a%20b");
    EXPECT_EQ(object_path({&things, "shop", "a/b"}),
              "/apis/example.com/v1alpha1/namespaces/shop/things/a%2Fb");
    EXPECT_EQ(object_path({&things, "shop", ""}),
              "/apis/example.com/v1alpha1/namespaces/shop/things");
    model::Resource of_cluster = things;
    of_cluster.is_cluster_scoped = true;
    EXPECT_EQ(object_path({&of_cluster, "shop", "a"}), "/apis/example.com/v1alpha1/things/a");
}

TEST(Paths, TellTheirResource) {
    const runtime::WatchScope shop{&things, "pods"};
    const std::string of_things = object_path({&things, "pods", "secrets"});
    const model::ObjectKey key{"events", "pods"};
    EXPECT_EQ(resource_of(watch_path(shop, {})), "things");
    EXPECT_EQ(resource_of(of_things), "things");
    EXPECT_EQ(resource_of(of_things + "/status?fieldManager=sluice"), "things");
    for (const model::Resource* one :
         {&model::statefulsets, &model::pods, &model::secrets, &model::leases, &model::jobs}) {
        EXPECT_EQ(resource_of(object_path(ref_to(*one, key))), one->plural);
        EXPECT_EQ(resource_of(collection_path(*one, "shop")), one->plural);
        EXPECT_EQ(resource_of(collection_path(*one, "")), one->plural);
    }
    EXPECT_EQ(resource_of(pods_path("shop", "app=a", "")), "pods");
    EXPECT_EQ(object_path({&model::jobs, "shop", "a/b"}),
              "/apis/batch/v1/namespaces/shop/jobs/a%2Fb");
    EXPECT_EQ(collection_path(model::pods, "shop"), "/api/v1/namespaces/shop/pods");
    EXPECT_EQ(resource_of(collection_path(model::events, "shop")), "events");
    EXPECT_EQ(resource_of(events_about_path("shop", "u")), "events");
    EXPECT_EQ(resource_of(policy_path("mutatingadmissionpolicies", "x")),
              "mutatingadmissionpolicies");
    for (const char* other : {"", "/", "/version", "/api/v1", "/apis/apps/v1/", "pods",
                              "/api/v1/namespaces/x", "/api/v1/%2e%2e"})
        EXPECT_EQ(resource_of(other), "other") << other;
}

TEST(Paths, OfWhatNobodyMayKnowTheContentsOnlyTheMetadataIsAskedFor) {
    EXPECT_EQ(listed_as(model::secret_contents),
              "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
    EXPECT_EQ(watched_as(model::config_map_contents),
              "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
    EXPECT_EQ(listed_as(things), "application/json");
    EXPECT_EQ(watched_as(model::config_maps), "application/json");
}

}  // namespace
}  // namespace sluice::wire
