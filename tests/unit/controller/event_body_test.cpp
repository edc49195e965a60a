#include "controller/event_body.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace sluice::controller {
namespace {

namespace json = boost::json;

json::value body_about(const model::Resource& resource) {
    return json::parse(event_body(
        PostEvent{{{&resource, "shop", "web"}, "uid-1"}, engine::Reason{}, "a note", Instant{}},
        "operator-0"));
}

TEST(EventBody, OfAStatefulSetNamesTheStatefulSet) {
    const json::value regarding = body_about(model::statefulsets).at("regarding");
    EXPECT_EQ(regarding.at("apiVersion"), "apps/v1");
    EXPECT_EQ(regarding.at("kind"), "StatefulSet");
    EXPECT_EQ(regarding.at("uid"), "uid-1");
}

TEST(EventBody, OfACustomObjectNamesThatObject) {
    static constexpr model::Resource things{"example.com", "v1", "things", "Thing"};
    const json::value body = body_about(things);
    EXPECT_EQ(body.at("regarding").at("apiVersion"), "example.com/v1");
    EXPECT_EQ(body.at("regarding").at("kind"), "Thing");
    EXPECT_EQ(body.at("regarding").at("namespace"), "shop");
    EXPECT_EQ(body.at("regarding").at("name"), "web");
    EXPECT_EQ(body.at("metadata").at("namespace"), "shop");
}

TEST(EventBody, IsAWarningIfItsReasonIsOne) {
    const auto type_of = [](engine::Reason reason) {
        const PostEvent event{
            {{&model::statefulsets, "shop", "web"}, "uid-1"}, reason, "a note", Instant{}};
        return json::parse(event_body(event, "operator-0")).at("type");
    };
    EXPECT_EQ(type_of(engine::Reason::GateBypassed), "Warning");
    EXPECT_EQ(type_of(engine::Reason::RolloutStarted), "Normal");
}

TEST(EventBody, HoldsNoMoreThanTheServerTakesAndNoHalfLetter) {
    const auto field = [](const char* name, const std::string& note, const std::string& instance) {
        const PostEvent event{
            {{&model::statefulsets, "shop", "web"}, "uid-1"}, engine::Reason{}, note, Instant{}};
        return json::value_to<std::string>(json::parse(event_body(event, instance)).at(name));
    };
    const std::string note(1024, 'n'), instance(128, 'i');
    EXPECT_EQ(field("note", note, instance), note);
    EXPECT_EQ(field("note", note + "x", instance), note);
    EXPECT_EQ(field("reportingInstance", note, instance), instance);
    EXPECT_EQ(field("reportingInstance", note, instance + "x"), instance);
    const std::string shorter(1023, 'n');
    EXPECT_EQ(field("note", shorter + "\xc3\xa9", instance), shorter);
}

}  // namespace
}  // namespace sluice::controller
