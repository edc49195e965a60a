// A set carries the fence of whoever wrote to it last. Who sees that of a later leader doubts for a
// while whether it leads itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/annotations.hpp"
#include "tests/unit/controller/scene.hpp"

namespace sluice::controller {
namespace {

using namespace testing;
using engine::Reason;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Leads by the first holding of the lease; the set carries the fence of the ninth.
struct Overtaken : Scene {
    Overtaken() : Scene(follower()) {
        desk.take(Leadership{true, {"lease", 1}});
        desk.put(gates, object("gentle", "web"));
        then = [](const Snapshot& seen) { return moving(seen, Partition{3}); };
    }
    static Settings follower() {
        Settings settings;
        settings.leads_at_once = false;
        return settings;
    }
    void show_fence(const std::string& fence) {
        auto set = web_set(++version);
        set.annotations[model::key::fence] = fence;
        set.has_annotations = true;
        show_set(set);
    }
    std::uint64_t version = 20;
    const std::string newer = model::encode(model::Fence{"lease", 9});
    const std::string older = model::encode(model::Fence{"lease", 0});
};

TEST(Fence, OfALaterLeaderHoldsEveryWriteForHalfAMinute) {
    Overtaken scene;
    scene.show_fence(scene.newer);
    EXPECT_THAT(scene.desk.patches_of_sets(), IsEmpty());
    const auto told = scene.desk.done<PostEvent>();
    ASSERT_THAT(told, SizeIs(1));
    EXPECT_EQ(told[0].reason, Reason::StaleLeader);
    scene.desk.pass(29'999ms);
    EXPECT_THAT(scene.desk.patches_of_sets(), IsEmpty());
    scene.desk.pass(1ms);
    EXPECT_THAT(scene.desk.patches_of_sets(), SizeIs(1)) << "we lead still: it was nobody's";
}

TEST(Fence, IsDoubtedAnewEachTimeItComesBack) {
    Overtaken scene;
    scene.show_fence(scene.newer);
    scene.desk.pass(20s);
    scene.show_fence(scene.older);
    const auto patches = scene.desk.patches_of_sets();
    ASSERT_THAT(patches, SizeIs(1));
    auto again = web_set(40);
    again.annotations[model::key::fence] = scene.newer;
    again.has_annotations = true;
    scene.desk.take(Written{patches[0].ticket, again});
    scene.desk.pass(29'999ms);
    EXPECT_THAT(scene.desk.patches_of_sets(), IsEmpty());
}

TEST(Fence, IsDoubtedAnewByWhoLostTheLeadMeanwhile) {
    Overtaken scene;
    scene.show_fence(scene.newer);
    scene.desk.pass(20s);
    scene.desk.take(Leadership{false, {"lease", 1}});
    scene.desk.pass(20s);
    scene.desk.take(Leadership{true, {"lease", 1}});
    scene.desk.pass(29'999ms);
    EXPECT_THAT(scene.desk.done<ReadWorkload>(), IsEmpty());
    scene.desk.pass(1ms);
    EXPECT_THAT(scene.desk.done<ReadWorkload>(), SizeIs(1)) << "what a patch begins with then";
}

TEST(Fence, IsNotAskedForByWhoLetsTheSetGo) {
    Overtaken scene;
    scene.then = [](const Snapshot& seen) {
        Decision decision = moving(seen, Partition{3});
        decision.releases = true;
        return decision;
    };
    scene.show_fence(scene.newer);
    EXPECT_THAT(scene.desk.patches_of_sets(), SizeIs(1));
}

}  // namespace
}  // namespace sluice::controller
