// How many requests the server is asked for: what each piece of work costs, and when there is room
// for the next one.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/controller/scene.hpp"

namespace sluice::controller {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::SizeIs;

Settings ten_a_second() {
    Settings settings;
    settings.qps = 10;
    return settings;
}

TEST(Requests, AtOnceAreThoseOfTwoSeconds) {
    Scene scene{ten_a_second()};
    scene.then = [](const Snapshot&) { return writing(Action::Verb::Create); };
    int made = 0;
    for (int i = 0; i < 30; ++i) {
        scene.desk.put(runs, object(fmt::format("run-{}", i)));
        for (const Write& one : scene.desk.creations()) {
            ++made;
            scene.desk.take(Written{one.ticket, object("one")});
        }
    }
    EXPECT_EQ(made, 20);
}

// Of the twenty that are allowed at once it takes two for the run and its pods, one for the run as
// an object, and forty for what it rests on: 23 too many.
TEST(Requests, OfALookAreTwoAndOneForEachObjectAndWhoComesNextWaitsForThem) {
    Scene scene{ten_a_second()};
    std::optional<Instant> second_look;
    scene.then = [&](const Snapshot& seen) {
        Decision decision;
        if (seen.subject.name == "two") second_look = scene.desk.now;
        for (int i = 0; seen.subject.name == "one" && i < 40; ++i)
            decision.rests_on.push_back({&recipes, "", fmt::format("recipe-{}", i)});
        return decision;
    };
    const Instant start = scene.desk.now;
    scene.show_run();
    EXPECT_THAT(scene.desk.done<ReadWorkload>().at(0).objects, SizeIs(41));
    scene.desk.put(runs, object("two"));
    EXPECT_EQ(second_look, std::nullopt);
    scene.desk.pass(10s);
    ASSERT_TRUE(second_look.has_value());
    EXPECT_GE(*second_look, start + 2400ms);
    EXPECT_LE(*second_look, start + 2450ms);
}

TEST(Requests, AreNotMadeForAnObjectThatIsWrittenAndNotInDoubt) {
    Scene scene;
    scene.then = [](const Snapshot&) {
        Decision decision;
        decision.actions.push_back(write_of(Action::Verb::Patch, "other"));
        decision.needs_live = true;
        return decision;
    };
    scene.show_run();
    EXPECT_THAT(scene.desk.done<ReadWorkload>().at(0).objects,
                ElementsAre(model::Ref{&runs, "shop", "one"}));
}

}  // namespace
}  // namespace sluice::controller
