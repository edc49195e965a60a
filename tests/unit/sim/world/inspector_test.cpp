// Promises that no small mistake in our code could break, because the code has no words for it:
// here somebody breaks them with the operator's own name.
#include "sim/world/inspector.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/api/admission.hpp"
#include "sim/apis/pilot/objects.hpp"
#include "sim/world/world.hpp"

namespace sluice::sim {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class InspectorTest : public ::testing::Test {
  protected:
    InspectorTest() {
        SetOptions set;
        set.labels = {{pilot::label, "careful"}};
        set.claim = "data";
        world.create_set(set);
        world.cluster.run_for(1min);
    }
    const std::vector<std::string>& violations() const { return world.inspector.violations(); }

    World world{{}};
};

TEST_F(InspectorTest, SaysNothingWhereNothingIsWrong) {
    world.start_operators();
    world.cluster.run_for(10min);
    EXPECT_THAT(violations(), IsEmpty());
    EXPECT_GT(world.inspector.writes(), 0);
}

TEST_F(InspectorTest, SeesAClaimThatAnOperatorDeletes) {
    world.cluster.api().remove("persistentvolumeclaims", "shop", "data-web-0", operator_user,
                               world.cluster.now());
    world.cluster.api().remove("pods", "shop", "web-0", operator_user, world.cluster.now(),
                               {.grace = 0});
    EXPECT_THAT(violations(), Contains(StartsWith("S11 ")));
}

TEST_F(InspectorTest, SeesAnObjectThatIsNoneOfAnOperatorsBusiness) {
    world.cluster.api().create(
        json::object{{"apiVersion", "v1"},
                     {"kind", "ConfigMap"},
                     {"metadata", json::object{{"name", "x"}, {"namespace", "shop"}}}},
        operator_user, world.cluster.now());
    EXPECT_THAT(violations(), Contains(StartsWith("S10 ")));
}

TEST_F(InspectorTest, SeesAPodThatAnOperatorDeletesWithoutNamingIt) {
    const auto uid = [&](const std::string& name) {
        return text_at(world.cluster.api().find("pods", "shop", name)->object(), "/metadata/uid");
    };
    const auto remove = [&](const std::string& name) {
        world.cluster.api().remove("pods", "shop", name, operator_user, world.cluster.now());
    };
    world.inspector.witness().writes(
        "operator-0", engine::deletion_of({{&model::pods, "shop", "web-0"}, uid("web-0")}));
    remove("web-0");
    EXPECT_THAT(violations(), Contains(StartsWith("S9 ")));
    EXPECT_THAT(violations(), Not(Contains(StartsWith("S11 "))));
    remove("web-1");
    EXPECT_THAT(violations(), Contains(StartsWith("S11 ")));
}

TEST_F(InspectorTest, SeesWhatAnOperatorChangesOnACustomObject) {
    const std::string id = "phasedrollouts.sts.plus";
    const json::object spec{
        {"targetRef", "web"},
        {"check", json::object{{"query", json::object{{"expr", "up"}, {"url", "prom"}}}}}};
    ASSERT_EQ(
        world.cluster.api()
            .create(json::object{{"apiVersion", "sts.plus/v1alpha1"},
                                 {"kind", "PhasedRollout"},
                                 {"metadata", json::object{{"name", "web"}, {"namespace", "shop"}}},
                                 {"spec", spec}},
                    admin, world.cluster.now())
            .status,
        201);
    const auto write = [&](const std::string& pointer, const json::value& value,
                           const std::string& subresource = {}) {
        json::object object = world.cluster.api().find(id, "shop", "web")->object();
        sim::set(object, pointer, value);
        return world.cluster.api()
            .update(std::move(object), operator_user, world.cluster.now(), subresource)
            .status;
    };
    EXPECT_EQ(write("/metadata/finalizers", json::array{"sts.plus/finalizer"}), 200);
    EXPECT_EQ(write("/status", json::object{{"phase", "Rolling"}}, "status"), 200);
    EXPECT_THAT(violations(), IsEmpty());
    EXPECT_EQ(write("/spec/targetRef", "other"), 200);
    EXPECT_THAT(violations(), Contains(StartsWith("S10 ")));
    const std::size_t before = violations().size();
    world.cluster.api().remove(id, "shop", "web", admin, world.cluster.now());
    EXPECT_EQ(write("/metadata/finalizers", json::array{}), 200);
    EXPECT_EQ(world.cluster.api().find(id, "shop", "web"), nullptr);
    EXPECT_EQ(violations().size(), before) << "it was somebody else who deleted it";
}

// The API server itself refuses one that names another namespace.
TEST_F(InspectorTest, SeesAnEventInAnotherNamespaceThanWhatItIsAbout) {
    world.cluster.api().create(
        json::object{{"apiVersion", "v1"},
                     {"kind", "Event"},
                     {"metadata", json::object{{"name", "x"}, {"namespace", "default"}}},
                     {"involvedObject", json::object{{"name", "web"}}}},
        operator_user, world.cluster.now());
    EXPECT_THAT(violations(), Contains(StartsWith("S16 ")));
}

TEST_F(InspectorTest, SeesASecretInAnEvent) {
    world.cluster.api().create(
        json::object{{"apiVersion", "v1"},
                     {"kind", "Event"},
                     {"metadata", json::object{{"name", "x"}, {"namespace", "shop"}}},
                     {"involvedObject", json::object{{"namespace", "shop"}, {"name", "web"}}},
                     {"message", "the token is " + canary}},
        operator_user, world.cluster.now());
    EXPECT_THAT(violations(), Contains(StartsWith("S14 ")));
}

TEST_F(InspectorTest, SeesASecretInALogLine) {
    world.inspector.witness().logs("operator-0",
                                   {controller::Log::Level::Info, "token " + canary, {}});
    EXPECT_THAT(violations(), Contains(StartsWith("S14 ")));
}

}  // namespace
}  // namespace sluice::sim
