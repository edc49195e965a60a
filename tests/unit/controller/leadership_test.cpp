#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/controller/operators.hpp"

namespace sluice::controller {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;

Settings elected() {
    Settings settings;
    settings.leads_at_once = false;
    return settings;
}

struct ControllerLeadership : ::testing::Test {
    void SetUp() override {
        cluster.add_set(web, 3);
        cluster.live(noon);
    }
    void lead(std::int64_t transitions) { sluice.send(Leadership{true, {"lease", transitions}}); }
    void lose() { sluice.send(Leadership{false, {"lease", 0}}); }
    Cluster cluster;
    Operator sluice{cluster, elected()};
};

TEST_F(ControllerLeadership, WhoDoesNotLeadWatchesAndWritesNothing) {
    cluster.change_template(web, 1);
    sluice.run_for(1h);
    EXPECT_THAT(sluice.history, IsEmpty());
    EXPECT_TRUE(sluice.controller().is_synced());
    EXPECT_EQ(sluice.controller().store().size(model::statefulsets), 1u);
}

TEST_F(ControllerLeadership, WhoTakesTheLeadTakesUpTheWork) {
    sluice.run_for(1min);
    lead(4);
    cluster.change_template(web, 1);
    sluice.run_for(5min);
    EXPECT_EQ(cluster.pods(web), "B B B");
    EXPECT_EQ(cluster.set(web).annotations.at("sluice.dev/fence"), "lease/4");
}

TEST_F(ControllerLeadership, WhoLosesTheLeadTakesItsQuestionsBack) {
    lead(4);
    sluice.run_for(1min);
    sluice.hook = [](const auto&) { return std::nullopt; };
    cluster.change_template(web, 1);
    sluice.run_for(1min);
    ASSERT_THAT(sluice.history, Contains("ask nil > web-2"));
    lose();
    sluice.settle();
    EXPECT_EQ(sluice.history.back(), "cancel");
    sluice.history.clear();
    sluice.run_for(1h);
    EXPECT_THAT(sluice.history, IsEmpty());
}

TEST_F(ControllerLeadership, WhatWasAllowedBeforeTheLeadWasLostCountsForNothing) {
    lead(4);
    sluice.run_for(1min);
    sluice.before_read_answer = [&, lost = false]() mutable {
        const bool asked = std::ranges::count(sluice.history, "ask nil > web-2") > 0;
        if (!asked || std::exchange(lost, true)) return;
        lose();
        lead(6);
    };
    cluster.change_template(web, 1);
    sluice.run_for(5min);
    EXPECT_EQ(cluster.pods(web), "B B B");
    EXPECT_EQ(std::ranges::count(sluice.history, "ask nil > web-2"), 2)
        << "the question was asked again under the new fence";
}

TEST_F(ControllerLeadership, AnAnswerToAQuestionThatWasTakenBackIsNotHeard) {
    lead(4);
    sluice.run_for(1min);
    sluice.hook = [](const auto&) { return std::nullopt; };
    cluster.change_template(web, 1);
    sluice.run_for(1min);
    lose();
    sluice.settle();
    lead(6);
    sluice.settle();
    ASSERT_EQ(sluice.tickets_asked.size(), 2u);
    sluice.send(Answered{sluice.tickets_asked[0], engine::answer_of(engine::HookAnswer{true})});
    sluice.run_for(1min);
    EXPECT_EQ(cluster.pods(web), "A A A");
    sluice.send(Answered{sluice.tickets_asked[1], engine::answer_of(engine::HookAnswer{true})});
    sluice.run_for(1min);
    EXPECT_EQ(cluster.pods(web), "A A B");
}

TEST_F(ControllerLeadership, ANewLeaderReadsBeforeItsFirstWrite) {
    lead(4);
    sluice.run_for(1min);
    lose();
    sluice.settle();
    cluster.change_template(web, 1);
    sluice.settle();
    sluice.history.clear();
    lead(6);
    sluice.settle();
    std::erase_if(sluice.history, [](const auto& one) { return one.starts_with("event"); });
    ASSERT_GE(sluice.history.size(), 2u);
    EXPECT_EQ(sluice.history[0], "read");
    EXPECT_EQ(sluice.history[1], "patch 1000000");
}

TEST_F(ControllerLeadership, HandsOffWhenANewerLeaderHasWritten) {
    cluster.change(web, [](StatefulSet& set) { set.annotations["sluice.dev/fence"] = "lease/5"; });
    lead(4);
    sluice.run_for(25s);
    EXPECT_THAT(sluice.history, Not(Contains(::testing::StartsWith("patch"))));
}

TEST_F(ControllerLeadership, AFenceThatNobodyWroteWhoHeldTheLeaseIsOverwritten) {
    cluster.change(web, [](StatefulSet& set) {
        set.annotations["sluice.dev/fence"] = "lease/9223372036854775807";
    });
    lead(4);
    sluice.run_for(2min);
    EXPECT_EQ(cluster.set(web).annotations.at("sluice.dev/fence"), "lease/4");
}

TEST_F(ControllerLeadership, NoFenceKeepsASetThatLostItsLabelFromBeingLetGo) {
    lead(4);
    sluice.run_for(1min);
    cluster.change(web, [](StatefulSet& set) {
        set.annotations["sluice.dev/fence"] = "lease/99";
        set.labels.clear();
    });
    sluice.run_for(1s);
    EXPECT_FALSE(cluster.set(web).annotations.contains("sluice.dev/claim"));
}

TEST_F(ControllerLeadership, TheFenceOfALeaseThatIsNoMoreBindsNobody) {
    cluster.change(web, [](StatefulSet& set) { set.annotations["sluice.dev/fence"] = "old/99"; });
    lead(0);
    sluice.run_for(5min);
    EXPECT_EQ(cluster.set(web).annotations.at("sluice.dev/fence"), "lease/0");
}

TEST_F(ControllerLeadership, AWriteOfAnOldLeaderThatComesLateIsRefused) {
    Operator rival{cluster, elected()};
    lead(4);
    sluice.run_for(1min);
    bool late = false;
    sluice.fate = [&](const Write& patch) {
        if (patch.action.body.find("\"value\":2}") == std::string::npos) return Fate{};
        rival.send(Leadership{true, {"lease", 5}});
        rival.run_for(
            1min);  // the new leader does its work while the old one's write is on its way
        late = true;
        return Fate{};
    };
    cluster.change_template(web, 1);
    sluice.run_for(5min);
    EXPECT_TRUE(late);
    EXPECT_EQ(cluster.pods(web), "B B B");
    EXPECT_EQ(cluster.set(web).annotations.at("sluice.dev/fence"), "lease/5");
    EXPECT_EQ(sluice.controller().counters().steps, 0u);
    EXPECT_EQ(rival.controller().counters().steps, 3u) << "each pod was let go once";
}

TEST_F(ControllerLeadership, WhileItDrainsItTakesNoNewWork) {
    lead(4);
    sluice.run_for(1min);
    sluice.controller().drain();
    sluice.history.clear();
    cluster.change_template(web, 1);
    sluice.run_for(5min);
    EXPECT_THAT(sluice.history, IsEmpty());
    EXPECT_TRUE(sluice.controller().is_quiet());
}

TEST_F(ControllerLeadership, WhileItDrainsAWriteUnderWayIsStillHeardOf) {
    lead(4);
    sluice.keeps_answers_back = true;
    sluice.settle();
    EXPECT_FALSE(sluice.controller().is_quiet());
    sluice.controller().drain();
    sluice.send(Written{1, cluster.set(web)});
    sluice.settle();
    EXPECT_TRUE(sluice.controller().is_quiet());
}

TEST_F(ControllerLeadership, AStandbyWhosePodsLagBehindTheSetStartsNoSecondRollout) {
    lead(4);
    sluice.run_for(1min);
    Settings settings;
    settings.leads_at_once = false;
    Operator standby{cluster, settings};
    standby.run_for(1min);
    cluster.change_template(web, 1);
    sluice.run_for(1min);
    ASSERT_EQ(cluster.pods(web), "B B B");
    const std::string memory = cluster.set(web).annotations.at("sluice.dev/rollout");
    // The set's watch is up to date, the pods' is not.
    static_cast<void>(standby.controller().step(
        EventsArrived{0, {model::Changed{cluster.set(web)}}}, standby.now()));
    const auto looked = standby.controller().step(Leadership{true, {"lease", 5}}, standby.now());
    int reads = 0;
    for (const Effect& effect : looked.list) {
        EXPECT_FALSE(std::holds_alternative<Write>(effect));
        reads += std::holds_alternative<ReadWorkload>(effect) ? 1 : 0;
    }
    EXPECT_EQ(reads, 1) << "the API is asked before a rollout is started";
    standby.send(WorkloadRead{1, cluster.read(web)});
    standby.run_for(5min);
    EXPECT_THAT(standby.keys_asked, IsEmpty());
    EXPECT_EQ(cluster.set(web).annotations.at("sluice.dev/rollout"), memory);
}

}  // namespace
}  // namespace sluice::controller
