// What the lists say that are made now and then, to make good what watches did not say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/controller/scene.hpp"

namespace sluice::controller {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;

constexpr Duration surely_listed = 16min;

TEST(Lists, OfAClusterThatWentBackToAnOlderStateAreBelieved) {
    Scene scene;
    scene.show_set(web_set(50));
    scene.desk.put_back(model::statefulsets, web_set(15));
    scene.desk.done<Log>();
    scene.desk.pass(surely_listed);
    EXPECT_THAT(scene.desk.done<Log>(), Contains(Field(&Log::text, HasSubstr("an older state"))));
    const auto known = scene.desk.controller.store().find({&model::statefulsets, "shop", "web"});
    EXPECT_EQ(model::meta_of(known.value()).resource_version, 15u);
}

TEST(Lists, WithAnObjectThatNobodyCanReadDoNotSayThatItIsGone) {
    Scene scene;
    scene.show_run();
    scene.desk.unreadable = {"uid-one"};
    scene.desk.pass(surely_listed);
    EXPECT_EQ(scene.desk.controller.store().size(runs), 1u);
}

}  // namespace
}  // namespace sluice::controller
