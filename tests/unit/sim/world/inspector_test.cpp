// Promises that no small mistake in our code could break, because the code has no words for it:
// here somebody breaks them with the operator's own name.
#include "sim/world/inspector.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/api/admission.hpp"
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
