// Nobody waits for somebody else's trouble, and the server is not asked for more than it should be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/controller/operators.hpp"

namespace sluice::controller {
namespace {

using namespace testing;
using ::testing::Contains;

void add_many(Cluster& cluster, int count) {
    for (int i = 0; i < count; ++i)
        cluster.add_set({"crowd", fmt::format("db{}", i)}, 0);
    cluster.live(noon);
}

TEST(ControllerBounds, AWorkloadThatAlwaysFailsDelaysNoOther) {
    Cluster cluster;
    const ObjectKey poisoned{"shop", "poisoned"};
    cluster.add_set(poisoned, 3);
    cluster.add_set(web, 3);
    cluster.live(noon);
    Operator sluice{cluster};
    sluice.fate = [&](const Write& patch) {
        if (patch.action.object.ref.key() != poisoned) return Fate{};
        return Fate{false, runtime::RequestFailure{500, {}, "poison"}};
    };
    sluice.run_for(1min);
    cluster.change_template(web, 1);
    cluster.change_template(poisoned, 1);
    const Instant start = sluice.now();
    while (cluster.pods(web) != "B B B" && sluice.now() < start + 5min)
        sluice.run_for(1s);
    EXPECT_LE(sluice.now(), start + 2s);
}

TEST(ControllerBounds, AWorkloadThatAlwaysFailsIsTriedLessAndLessOften) {
    Cluster cluster;
    cluster.add_set(web, 3);
    cluster.live(noon);
    Operator sluice{cluster};
    sluice.fate = [](const Write&) {
        return Fate{false, runtime::RequestFailure{500, {}, "poison"}};
    };
    sluice.run_for(1h);
    EXPECT_LE(std::ranges::count(sluice.history, "patch 3"), 130) << "about once a minute at last";
    EXPECT_GE(std::ranges::count(sluice.history, "patch 3"), 40) << "but it is not given up";
}

TEST(ControllerBounds, AtMostSixteenReadsAndWritesAreUnderWayAtOnce) {
    Cluster cluster;
    add_many(cluster, 100);
    Operator sluice{cluster};
    sluice.keeps_answers_back = true;
    sluice.run_for(1min);
    EXPECT_EQ(sluice.history.size(), 16u);
}

TEST(ControllerBounds, TheServerIsAskedForNoMoreThanTheRateAndABurst) {
    Cluster cluster;
    add_many(cluster, 1000);
    Settings settings;
    settings.qps = 10;
    Operator sluice{cluster, settings};
    const auto requests = [&] { return sluice.history.size(); };
    sluice.settle();
    EXPECT_LE(requests(), 20u + 16u) << "the burst, and what was begun with its last token";
    EXPECT_GE(requests(), 20u) << "which is what two seconds allow";
    const std::size_t burst = requests();
    sluice.run_for(10s);
    EXPECT_LE(requests() - burst, 10u * 10u + 16u);
    EXPECT_GE(requests() - burst, 10u * 8u) << "and the rate is used";
}

TEST(ControllerBounds, WhoeverOpensTheGateAllTheTimeIsAnsweredTwiceAMinute) {
    Steered steered{3};
    auto& [cluster, sluice] = steered;
    sluice.history.clear();
    for (int second = 0; second < 600; ++second) {
        cluster.change(web, [](StatefulSet& set) { set.partition = Partition{0}; });
        sluice.run_for(1s);
    }
    EXPECT_GE(std::ranges::count(sluice.history, "patch 3"), 19);
    EXPECT_LE(std::ranges::count(sluice.history, "patch 3"), 21);
    EXPECT_LE(sluice.history.size(), 70u) << "and is not told so each time";
}

TEST(ControllerBounds, AHookThatNeverAnswersHoldsOnlyItsOwnWorkload) {
    Cluster cluster;
    const ObjectKey hung{"shop", "hung"};
    cluster.add_set(hung, 2);
    cluster.add_set(web, 2);
    cluster.live(noon);
    Operator sluice{cluster};
    sluice.hook = [&](const api::hooks::Transition& asked) -> std::optional<bool> {
        if (asked.workload == "hung") return std::nullopt;
        return true;
    };
    sluice.run_for(1min);
    cluster.change_template(hung, 1);
    cluster.change_template(web, 1);
    sluice.run_for(1min);
    EXPECT_EQ(cluster.pods(web), "B B");
    EXPECT_EQ(cluster.pods(hung), "A A");
    EXPECT_EQ(cluster.set(hung).annotations.at("sluice.dev/reason"), "AskingHook");
}

TEST(ControllerBounds, AQuestionIsTakenBackWhenItsPodIsGone) {
    Steered steered{2};
    auto& [cluster, sluice] = steered;
    sluice.hook = [](const auto&) { return std::nullopt; };
    cluster.change_template(web, 1);
    sluice.run_for(1min);
    sluice.history.clear();
    sluice.keys_asked.clear();
    cluster.remove_pod({"shop", "web-1"});
    sluice.run_for(1min);
    EXPECT_THAT(sluice.history, Contains("cancel"));
    EXPECT_EQ(sluice.keys_asked.size(), 1u) << "and asked anew about the pod that came back";
}

TEST(ControllerBounds, AWatchThatReportsItsOwnEndIsStopped) {
    Cluster cluster;
    cluster.add_set(web, 2);
    Operator sluice{cluster};
    sluice.run_for(1min);
    const Effects effects = sluice.controller().step(
        EventsArrived{0, {model::WatchFailed{410, "too old"}}}, sluice.now());
    ASSERT_FALSE(effects.list.empty());
    const auto* stop = std::get_if<StopWatch>(&effects.list.front());
    ASSERT_TRUE(stop);
    EXPECT_EQ(stop->session, 0u);
}

TEST(ControllerBounds, WhatAWatchMissedIsFoundByTheNextList) {
    Steered steered{2};
    auto& [cluster, sluice] = steered;
    Controller& controller = sluice.controller();
    static_cast<void>(controller.step(SessionFailed{0, {410, {}, "too old"}}, sluice.now()));
    cluster.change_template(web, 1);
    sluice.run_for(20min);
    EXPECT_EQ(cluster.pods(web), "B B");
    EXPECT_EQ(controller.watch_restarts(model::Form::StatefulSet), 1);
}

TEST(ControllerBounds, AHookThatWasTakenAwayWhileNobodyWatchedIsFoundOutByTheNextList) {
    Cluster cluster;
    cluster.put_hooks({{"careful", "url: https://careful.example/hook\n"}});
    cluster.add_set(web, 2, "careful");
    cluster.live(noon);
    Operator sluice{cluster};
    sluice.run_for(1min);
    static_cast<void>(
        sluice.controller().step(SessionFailed{2, {410, {}, "too old"}}, sluice.now()));
    cluster.remove_hooks();
    sluice.run_for(20min);
    EXPECT_EQ(cluster.set(web).annotations.at("sluice.dev/reason"), "UnknownHook");
}

TEST(ControllerBounds, SaysWhyItIsNotInSync) {
    Controller controller{Settings{}};
    static_cast<void>(controller.step(Tick{}, noon));
    static_cast<void>(
        controller.step(SessionFailed{0, {403, {}, "statefulsets: forbidden"}}, noon));
    EXPECT_EQ(controller.sync_problem(), "statefulsets: forbidden");
}

TEST(ControllerBounds, ADefinitionThatIsNotInstalledIsNoProblem) {
    Controller controller{Settings{}};
    SessionId custom = 0;
    for (const Effect& effect : controller.step(Tick{}, noon).list) {
        const auto* watch = std::get_if<StartWatch>(&effect);
        if (watch && watch->scope.is_custom()) custom = watch->session;
    }
    ASSERT_NE(custom, 0u);
    static_cast<void>(controller.step(SessionFailed{custom, {404, {}, "not there"}}, noon));
    EXPECT_EQ(controller.sync_problem(), "the first list is not complete yet");
}

TEST(ControllerBounds, EachNamespaceIsWatchedOnceHoweverOftenItIsNamed) {
    Settings settings;
    settings.namespaces = {"shop", "post", "shop"};
    settings.apis = {"phasedrollout", "pilot"};
    Controller controller{settings};
    std::map<std::string, int> watches;
    for (const Effect& effect : controller.step(Tick{}, noon).list) {
        if (const auto* watch = std::get_if<StartWatch>(&effect)) ++watches[watch->scope.ns];
    }
    EXPECT_EQ(watches,
              (std::map<std::string, int>{{"post", 3}, {"shop", 3}, {"sluice-system", 1}}));
}

TEST(ControllerBounds, TheGuaranteeIsWhatThePoliciesGive) {
    Controller controller{Settings{}};
    EXPECT_EQ(controller.guarantee(), engine::Guarantee::Detect);
    static_cast<void>(controller.step(PoliciesSeen{true}, noon));
    EXPECT_EQ(controller.guarantee(), engine::Guarantee::Prevent);
    static_cast<void>(controller.step(PoliciesSeen{false}, noon));
    EXPECT_EQ(controller.guarantee(), engine::Guarantee::Detect);
}

TEST(ControllerBounds, AServerThatAsksForAPauseGetsItThoughEventsCome) {
    Cluster cluster;
    cluster.add_set(web, 2);
    cluster.live(noon);
    Operator sluice{cluster};
    sluice.fate = [](const auto&) {
        return Fate{false, runtime::RequestFailure{429, 60s, "slow down"}};
    };
    sluice.settle();
    ASSERT_EQ(sluice.history, (std::vector<std::string>{"patch 2"}));
    for (int second = 0; second < 30; ++second) {
        cluster.set_ready({"shop", "web-0"}, true, sluice.now());
        sluice.run_for(1s);
    }
    EXPECT_EQ(sluice.history.size(), 1u);
    sluice.run_for(31s);
    EXPECT_GT(sluice.history.size(), 1u);
}

TEST(ControllerBounds, APodThatLeavesTheViewAndComesBackInOneBatchIsStillThere) {
    Steered steered{1};
    auto& [cluster, sluice] = steered;
    model::Pod pod = cluster.read(web).pods.front();
    const model::Pod before = pod;
    pod.meta.resource_version += 10;
    static_cast<void>(sluice.controller().step(
        EventsArrived{1, {model::Deleted{before}, model::Changed{pod}}}, sluice.now()));
    EXPECT_EQ(sluice.controller().store().size(model::pods), 1u);
}

TEST(ControllerBounds, AListWithoutTheConfigMapIsNoNewsWhereThereWasNone) {
    Steered steered{1};
    auto& [cluster, sluice] = steered;
    const auto looks = [&] {
        std::uint64_t sum = 0;
        for (const auto& [about, count] : sluice.controller().counters().decisions)
            sum += count;
        return sum;
    };
    const std::uint64_t before = looks();
    sluice.run_for(1h);
    EXPECT_EQ(looks(), before) << "lists that bring nothing new are no reason to look";
}

}  // namespace
}  // namespace sluice::controller
