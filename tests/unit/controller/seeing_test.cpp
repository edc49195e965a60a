// What an API is shown of the world when it is asked to decide.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/controller/scene.hpp"

namespace sluice::controller {
namespace {

using namespace testing;
using ::testing::SizeIs;

TEST(Seen, OfASetThatIsNotThereIsItsName) {
    Scene scene;
    scene.show_gate();
    EXPECT_EQ(scene.looks.back().workload.meta.key, (model::ObjectKey{"shop", "web"}));
    EXPECT_EQ(scene.looks.back().workload.meta.uid, "");
}

TEST(Seen, OfASetThatIsGoneWhenItIsReadIsItsName) {
    Scene scene;
    scene.show_set(web_set(20));
    scene.then = [](const Snapshot& seen) {
        Decision decision;
        if (seen.fetched.empty()) decision.rests_on = {{&recipes, "", "salt"}};
        return decision;
    };
    scene.show_gate();
    scene.desk.take(WorkloadRead{scene.desk.done<ReadWorkload>().at(0).ticket,
                                 LiveWorkload{{}, {}, {{&gates, object("gentle", "web")}}}});
    ASSERT_THAT(scene.looks.back().fetched, SizeIs(1));
    EXPECT_EQ(scene.looks.back().workload.meta.key, (model::ObjectKey{"shop", "web"}));
    EXPECT_EQ(scene.looks.back().workload.meta.uid, "");
}

TEST(Seen, NoSetStandsInForWhatIsNone) {
    Scene scene;
    scene.show_run();
    EXPECT_EQ(scene.looks.back().workload.meta.key, (model::ObjectKey{"shop", ""}));
}

// Gates own runs, and these own scraps.
constexpr model::Resource scraps{"test", "v1", "scraps", "Scrap"};
constexpr api::Watch watches_of_scraps[] = {{&model::statefulsets, model::Itself{}},
                                            {&model::pods, model::Owner{&model::statefulsets}},
                                            {&gates, model::Named{target_in_spec}},
                                            {&runs, model::Owner{&gates}},
                                            {&scraps, model::Owner{&runs}}};
const api::Api owners_of_owners[] = {{.name = "gate",
                                      .resource = &gates,
                                      .watches = watches_of_scraps,
                                      .concerns = is_named,
                                      .decide = decide_gate}};

TEST(Seen, AsOwnedIsOnlyWhatTheApiWatchesForThat) {
    Scene scene{{}, owners_of_owners};
    for (const model::Resource* one : {&gates, &runs, &scraps})
        scene.desk.put(*one, owned("of-" + std::string{one->plural}, object("gentle")));
    scene.show_gate();
    ASSERT_THAT(scene.looks.back().owned, SizeIs(1));
    EXPECT_EQ(scene.looks.back().owned[0].meta.key.name, "of-runs");
}

// Runs that own sets, whose pods are found through these.
constexpr api::Watch watches_of_owners[] = {{&runs, model::Itself{}},
                                            {&model::statefulsets, model::Owner{&runs}},
                                            {&model::pods, model::Owner{&model::statefulsets}}};
const api::Api owners_of_sets[] = {
    test_apis[0],
    {.name = "run", .resource = &runs, .watches = watches_of_owners, .decide = decide_run}};

// The run wants to be read before it does anything; the gate does nothing.
Decision run_that_reads(const Snapshot& seen) {
    Decision decision;
    if (seen.subject.resource != &runs) return decision;
    decision = writing(Action::Verb::Patch);
    decision.needs_live = true;
    return decision;
}

TEST(Seen, PodsThatSayNotWhoseTheyAreAreNotListedForIt) {
    Scene scene{{}, owners_of_sets};
    scene.then = run_that_reads;
    scene.show_run();
    EXPECT_EQ(scene.desk.done<ReadWorkload>().at(0).pods_by, "");
}

TEST(Seen, SetsThatWereReadAlongAreNewsToWhoeverTheyConcern) {
    Scene scene{{}, owners_of_sets};
    scene.show_set(web_set(20));
    scene.show_gate();
    scene.then = run_that_reads;
    scene.show_run();
    LiveWorkload live{{}, {}, {{&runs, object("one")}}};
    live.sets = {web_set(30, Partition{7})};
    scene.desk.take(WorkloadRead{scene.desk.done<ReadWorkload>().at(0).ticket, live});
    EXPECT_EQ(scene.looks.back().subject.name, "web");
    EXPECT_EQ(scene.looks.back().workload.partition, Partition{7});
}

}  // namespace
}  // namespace sluice::controller
