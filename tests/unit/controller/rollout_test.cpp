// The life of a rollout as the whole controller drives it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/controller/operators.hpp"

namespace sluice::controller {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

// Everything that was asked of hooks and written to workloads, without the words about it.
std::vector<std::string> deeds(const std::vector<std::string>& history) {
    std::vector<std::string> kept;
    for (const std::string& one : history) {
        if (!one.starts_with("event")) kept.push_back(one);
    }
    return kept;
}

TEST(ControllerRollout, AdoptsASetAndGoesThroughAllItsGates) {
    Steered steered{3};
    auto& [cluster, sluice] = steered;
    EXPECT_EQ(cluster.pods(web), "A A A");
    EXPECT_EQ(cluster.set(web).partition, Partition{3});

    sluice.history.clear();
    cluster.change_template(web, 1);
    sluice.run_for(5min);
    EXPECT_EQ(cluster.pods(web), "B B B");
    EXPECT_EQ(cluster.set(web).partition, Partition{3});
    EXPECT_EQ(cluster.set(web).annotations.at("sluice.dev/phase"), "Idle");
    EXPECT_THAT(deeds(sluice.history),
                ElementsAre("read", "patch 1000000", "ask nil > web-2", "read", "patch 2",
                            "ask web-2 > web-1", "read", "patch 1", "ask web-1 > web-0", "read",
                            "patch 0", "ask web-0 > nil", "read", "patch 3", "end"));
}

TEST(ControllerRollout, TellsAPersonWhatHappened) {
    Steered steered{2};
    auto& [cluster, sluice] = steered;
    cluster.change_template(web, 1);
    sluice.run_for(5min);
    for (const char* event :
         {"event Adopted", "event RolloutStarted", "event HookAllowed", "event RolloutCompleted"})
        EXPECT_THAT(sluice.history, Contains(event));
}

TEST(ControllerRollout, DoesNothingBeforeEverythingWasSeenOnce) {
    Cluster cluster;
    cluster.add_set(web, 3);
    cluster.live(noon);
    Controller controller{pilot_only()};
    const auto told = [&](SessionId session, const model::Resource& kind) {
        int writes = 0;
        for (const Effect& effect :
             controller.step(EventsArrived{session, cluster.initial(kind)}, noon).list)
            if (std::holds_alternative<Write>(effect)) ++writes;
        return writes;
    };
    static_cast<void>(controller.step(Tick{}, noon));
    EXPECT_EQ(told(0, model::statefulsets), 0);
    EXPECT_EQ(told(1, model::pods), 0);
    EXPECT_FALSE(controller.is_synced());
    EXPECT_EQ(controller.sync_problem(), "the first list is not complete yet");
    EXPECT_EQ(told(2, model::config_maps), 0) << "what is promised is not known yet";
    EXPECT_TRUE(controller.is_synced());
    int writes = 0;
    for (const Effect& effect : controller.step(PoliciesSeen{true}, noon).list)
        if (std::holds_alternative<Write>(effect)) ++writes;
    EXPECT_EQ(writes, 1);
}

TEST(ControllerRollout, WaitsWhileTheHookRefusesAndGoesOnWhenItAllows) {
    Cluster cluster;
    cluster.add_set(web, 2);
    cluster.live(noon);
    Operator sluice{cluster};
    bool allows = false;
    sluice.hook = [&](const auto&) { return allows; };
    sluice.run_for(1min);
    cluster.change_template(web, 1);
    sluice.history.clear();
    sluice.run_for(10min);
    EXPECT_EQ(cluster.pods(web), "A A");
    EXPECT_EQ(cluster.set(web).annotations.at("sluice.dev/reason"), "HookRefused");
    const auto asked = std::ranges::count(sluice.history, "ask nil > web-1");
    EXPECT_GE(asked, 18);
    EXPECT_LE(asked, 21) << "twice a minute";
    EXPECT_LE(sluice.controller().counters().workload_writes, 4u) << "and told once";
    allows = true;
    sluice.run_for(2min);
    EXPECT_EQ(cluster.pods(web), "B B");
}

TEST(ControllerRollout, CarriesTheSameKeyWhenItAsksTheSameQuestionAgain) {
    Cluster cluster;
    cluster.add_set(web, 2);
    cluster.live(noon);
    Operator sluice{cluster};
    sluice.hook = [](const auto&) { return false; };
    sluice.run_for(1min);
    cluster.change_template(web, 1);
    sluice.run_for(2min);
    ASSERT_GE(sluice.keys_asked.size(), 3u);
    EXPECT_EQ(std::set<std::string>(sluice.keys_asked.begin(), sluice.keys_asked.end()).size(), 1u);
}

TEST(ControllerRollout, WritesNothingWhileNothingHappensForAnHour) {
    Cluster cluster;
    for (int i = 0; i < 20; ++i)
        cluster.add_set({"shop", fmt::format("db{}", i)}, 2);
    cluster.add_set({"shop", "lost"}, 2, "nobody-knows-this-hook");
    cluster.live(noon);
    Operator sluice{cluster};
    sluice.run_for(5min);
    sluice.history.clear();
    sluice.run_for(1h);
    EXPECT_THAT(sluice.history, IsEmpty());
}

TEST(ControllerRollout, WritesNothingWhileItWaitsForABrokenPodForAnHour) {
    Steered steered{3};
    auto& [cluster, sluice] = steered;
    cluster.is_broken = [](const model::Pod& pod) { return pod.revision == "web-B"; };
    cluster.change_template(web, 1);
    sluice.run_for(5min);
    EXPECT_EQ(cluster.pods(web), "A A B!");
    sluice.history.clear();
    sluice.run_for(1h);
    EXPECT_THAT(sluice.history, IsEmpty());
    cluster.is_broken = [](const model::Pod&) { return false; };
    sluice.run_for(5min);
    EXPECT_EQ(cluster.pods(web), "B B B");
}

TEST(ControllerRollout, LeavesASetAloneOnceItsLabelIsGone) {
    Steered steered{3};
    auto& [cluster, sluice] = steered;
    sluice.hook = [](const auto&) { return std::nullopt; };
    cluster.change_template(web, 1);
    sluice.run_for(1min);
    ASSERT_THAT(sluice.history, Contains("ask nil > web-2"));
    ASSERT_THAT(sluice.history, Not(Contains("cancel")));
    cluster.change(web, [](StatefulSet& set) { set.labels.clear(); });
    sluice.history.clear();
    sluice.run_for(1min);
    EXPECT_THAT(sluice.history, Contains("cancel"));
    EXPECT_THAT(cluster.set(web).annotations,
                ElementsAre(Pair("sluice.dev/partition-before", "0@1000000")));
    EXPECT_EQ(cluster.set(web).partition, closed_partition) << "where it was";
    EXPECT_EQ(cluster.pods(web), "A A A");
}

TEST(ControllerRollout, AHookThatIsDeclaredLaterUnblocksTheSetThatNamesIt) {
    Cluster cluster;
    cluster.add_set(web, 2, "careful");
    cluster.live(noon);
    Operator sluice{cluster};
    sluice.run_for(1min);
    EXPECT_EQ(cluster.set(web).annotations.at("sluice.dev/reason"), "UnknownHook");
    cluster.put_hooks({{"careful", "url: https://careful.example/hook\n"}});
    cluster.change_template(web, 1);
    sluice.run_for(5min);
    EXPECT_EQ(cluster.pods(web), "B B");
}

TEST(ControllerRollout, AHookThatIsTakenAwayHoldsTheSetThatNamesIt) {
    Cluster cluster;
    cluster.put_hooks({{"careful", "url: https://careful.example/hook\n"}});
    cluster.add_set(web, 2, "careful");
    cluster.live(noon);
    Operator sluice{cluster};
    sluice.run_for(1min);
    cluster.remove_hooks();
    cluster.change_template(web, 1);
    sluice.run_for(5min);
    EXPECT_EQ(cluster.set(web).annotations.at("sluice.dev/reason"), "UnknownHook");
    EXPECT_EQ(cluster.pods(web), "A A");
}

TEST(ControllerRollout, ASetThatIsDeletedInMidRolloutIsForgotten) {
    Steered steered{3};
    auto& [cluster, sluice] = steered;
    sluice.hook = [](const auto&) { return std::nullopt; };
    cluster.change_template(web, 1);
    sluice.run_for(1min);
    cluster.remove_set(web);
    sluice.run_for(1min);
    EXPECT_EQ(sluice.history.back(), "cancel");
    EXPECT_THAT(sluice.controller().rollouts_by_phase(), IsEmpty());
}

}  // namespace
}  // namespace sluice::controller
