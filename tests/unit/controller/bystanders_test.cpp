// Of several who want a workload one steers it; the others tell their objects what they think of it
// and leave it alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/assert.hpp"
#include "model/annotations.hpp"
#include "tests/unit/controller/scene.hpp"

namespace sluice::controller {
namespace {

using namespace testing;
using engine::Reason;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Objects of "lock" name a set, as gates do; gates come first.
constexpr model::Resource locks{"test", "v1", "locks", "Lock"};
Decide lock_decides;
Decision decide_lock(const Snapshot& seen, Instant now) {
    return lock_decides(seen, now);
}
constexpr api::Watch lock_watches[] = {{&model::statefulsets, model::Itself{}},
                                       {&model::pods, model::Owner{&model::statefulsets}},
                                       {&locks, model::Named{target_in_spec}}};
const api::Api rivals[] = {test_apis[0],
                           {.name = "lock",
                            .resource = &locks,
                            .watches = lock_watches,
                            .concerns = is_named,
                            .decide = decide_lock}};

// The gate "gentle" and the lock "firm" want the set "web", of which nobody has heard yet; gates
// that may not be read are not there.
struct Rivals : Scene {
    explicit Rivals(Settings settings = {}, const Trouble& trouble = {})
        : Scene(std::move(settings), rivals, trouble) {
        lock_decides = [this](const Snapshot& seen, Instant) {
            lock_looks.push_back(seen);
            return lock_does(seen);
        };
        if (!trouble.contains(&gates)) show_gate();
        desk.put(locks, object("firm", "web"));
        looks.clear();
        lock_looks.clear();
    }
    void show_set_claimed_by(const std::string& claim) {
        auto set = web_set(20);
        if (!claim.empty()) set.annotations[model::key::claim] = claim;
        set.has_annotations = true;
        show_set(set);
    }
    std::vector<Snapshot> lock_looks;
    std::function<Decision(const Snapshot&)> lock_does = [](const Snapshot&) { return Decision{}; };
};

Action patch_of_lock() {
    return {.verb = Action::Verb::Patch,
            .object = {{&locks, "shop", "firm"}, "uid-firm"},
            .body = "body"};
}

TEST(Bystanders, WriteToTheirOwnObjectsAfterWhoeverSteersHasDecided) {
    Rivals scene;
    scene.lock_does = [](const Snapshot&) {
        Decision decision;
        decision.actions.push_back(patch_of_lock());
        return decision;
    };
    scene.show_set_claimed_by("gate/gentle");
    const auto patches = scene.desk.patches_of_objects();
    ASSERT_THAT(patches, SizeIs(1));
    EXPECT_EQ(patches[0].action.object.ref, (model::Ref{&locks, "shop", "firm"}));
}

TEST(Bystanders, WriteNeitherToTheWorkloadNorToItsPods) {
    for (const bool is_pod : {false, true}) {
        Rivals scene;
        scene.lock_does = [&](const Snapshot& seen) {
            Decision decision = is_pod ? Decision{} : moving(seen, Partition{3});
            if (is_pod) decision.actions.push_back(removing("web-1", "uid-1"));
            decision.actions.push_back(patch_of_lock());
            return decision;
        };
        scene.show_set_claimed_by("gate/gentle");
        EXPECT_THAT(scene.lock_looks, SizeIs(1));
        EXPECT_THAT(scene.desk.done<Write>(), IsEmpty());
        EXPECT_THAT(scene.desk.done<ReadWorkload>(), IsEmpty());
    }
}

TEST(Bystanders, TellTheirOwnObjectsWhoSteers) {
    Rivals scene;
    scene.lock_does = [](const Snapshot&) {
        Decision decision;
        decision.subject = engine::Subject{{&locks, "shop", "firm"}, "uid-firm"};
        decision.notices = {{Reason::ClaimedByOther, "the gate has it"}};
        return decision;
    };
    scene.show_set_claimed_by("gate/gentle");
    const auto told = scene.desk.done<PostEvent>();
    ASSERT_THAT(told, SizeIs(1));
    EXPECT_EQ(told[0].about.ref, (model::Ref{&locks, "shop", "firm"}));
    EXPECT_EQ(told[0].note, "the gate has it");
}

TEST(Bystanders, AreNotAskedAboutAWorkloadThatNobodyHasClaimed) {
    Rivals scene;
    scene.show_set_claimed_by("");
    EXPECT_THAT(scene.looks, SizeIs(1));
    EXPECT_THAT(scene.lock_looks, IsEmpty());
}

TEST(Bystanders, AreAllButWhoHoldsTheClaimAndEachIsAskedOnce) {
    Rivals scene;
    scene.then = [](const Snapshot& seen) { return moving(seen, Partition{3}); };
    scene.lock_does = [](const Snapshot& seen) { return moving(seen, Partition{2}); };
    scene.show_set_claimed_by("lock/firm");
    EXPECT_THAT(scene.looks, SizeIs(1));
    EXPECT_THAT(scene.lock_looks, SizeIs(1));
    const auto patches = scene.desk.patches_of_sets();
    ASSERT_THAT(patches, SizeIs(1));
    EXPECT_EQ(patches[0].action.partition, Partition{2});
}

TEST(Bystanders, ThatMeetADefectDoNotHoldWhoSteers) {
    Settings settings;
    settings.survives_defects = true;
    Rivals scene{settings};
    scene.then = [](const Snapshot& seen) { return moving(seen, Partition{3}); };
    scene.lock_does = [](const Snapshot&) -> Decision {
        SLUICE_ASSERT(false);
        return {};
    };
    scene.show_set_claimed_by("gate/gentle");
    EXPECT_THAT(scene.desk.patches_of_sets(), SizeIs(1));
    EXPECT_EQ(scene.desk.controller.counters().defects, 1u);
}

const Trouble gates_may_not_be_read{{&gates, refused(403)}};

TEST(Rivals, AWorkloadIsNotTakenFromAHolderWhoseObjectsCannotBeSeen) {
    Rivals scene{{}, gates_may_not_be_read};
    scene.show_set_claimed_by("gate/gentle");
    scene.desk.pass(1min);
    EXPECT_THAT(scene.lock_looks, IsEmpty());
}

TEST(Rivals, AWorkloadIsSteeredThoughObjectsOfSomebodyElseCannotBeSeen) {
    for (const char* claim : {"", "lock/firm"}) {
        Rivals scene{{}, gates_may_not_be_read};
        scene.show_set_claimed_by(claim);
        EXPECT_THAT(scene.lock_looks, SizeIs(1)) << claim;
        EXPECT_THAT(scene.looks, IsEmpty()) << "gates are blind";
    }
}

TEST(Rivals, WhoIsNotServedDecidesNothingThoughItsObjectsAreSeen) {
    Settings settings;
    settings.apis = {"gate"};
    Desk desk{settings};
    int looks = 0;
    run_decides = [&](const Snapshot&, Instant) { return ++looks, Decision{}; };
    const auto gate = object("gentle", "run/one");
    desk.put(runs, object("one"));
    desk.put(gates, gate);
    desk.remove(gates, gate);
    desk.pass(1min);
    EXPECT_EQ(looks, 0);
}

}  // namespace
}  // namespace sluice::controller
