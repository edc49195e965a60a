#include "controller/event_body.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace sluice::controller {
namespace {

namespace json = boost::json;

json::value body_about(const model::CustomResource* resource) {
    return json::parse(event_body(
        PostEvent{resource, {"shop", "web"}, "uid-1", engine::Reason{}, "a note", Instant{}},
        "operator-0"));
}

TEST(EventBody, OfAStatefulSetNamesTheStatefulSet) {
    const json::value regarding = body_about(nullptr).at("regarding");
    EXPECT_EQ(regarding.at("apiVersion"), "apps/v1");
    EXPECT_EQ(regarding.at("kind"), "StatefulSet");
    EXPECT_EQ(regarding.at("uid"), "uid-1");
}

TEST(EventBody, OfACustomObjectNamesThatObject) {
    constexpr model::CustomResource things{"example.com", "v1", "things", "Thing"};
    const json::value body = body_about(&things);
    EXPECT_EQ(body.at("regarding").at("apiVersion"), "example.com/v1");
    EXPECT_EQ(body.at("regarding").at("kind"), "Thing");
    EXPECT_EQ(body.at("regarding").at("namespace"), "shop");
    EXPECT_EQ(body.at("regarding").at("name"), "web");
    EXPECT_EQ(body.at("metadata").at("namespace"), "shop");
}

}  // namespace
}  // namespace sluice::controller
