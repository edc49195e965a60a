// The controller as a whole: what it watches, whom it believes, when it works and when it rests.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/controller/scene.hpp"

namespace sluice::controller {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Wants to write, whatever it sees.
Decision busy(const Snapshot&) {
    return writing(Action::Verb::Create);
}

TEST(Policies, AreLookedAtEveryFiveMinutesAndSoonAgainAfterAFailure) {
    Scene scene;
    EXPECT_THAT(scene.desk.done<CheckPolicies>(), SizeIs(1));
    scene.desk.pass(5min - 1ms);
    EXPECT_THAT(scene.desk.done<CheckPolicies>(), IsEmpty());
    scene.desk.pass(1ms);
    EXPECT_THAT(scene.desk.done<CheckPolicies>(), SizeIs(1));
    scene.desk.take(PoliciesSeen{std::nullopt});
    scene.desk.pass(20s - 1ms);
    EXPECT_THAT(scene.desk.done<CheckPolicies>(), IsEmpty());
    scene.desk.pass(1ms);
    EXPECT_THAT(scene.desk.done<CheckPolicies>(), SizeIs(1));
}

TEST(Policies, ThatComeOrGoAreToldToEverybodyOnce) {
    Scene scene;
    scene.show_run();
    scene.show_set(web_set(20));
    scene.show_gate();
    scene.looks.clear();
    scene.desk.take(PoliciesSeen{true});
    ASSERT_THAT(scene.looks, SizeIs(2));
    for (const Snapshot& look : scene.looks)
        EXPECT_EQ(look.environment.guarantee, engine::Guarantee::Prevent);
    EXPECT_EQ(scene.desk.controller.guarantee(), engine::Guarantee::Prevent);
    scene.desk.take(PoliciesSeen{true});
    scene.desk.take(PoliciesSeen{std::nullopt});
    EXPECT_THAT(scene.looks, SizeIs(2)) << "no news";
    scene.desk.take(PoliciesSeen{false});
    EXPECT_EQ(scene.looks.back().environment.guarantee, engine::Guarantee::Detect);
}

TEST(Policies, MustBeKnownBeforeAnythingIsDone) {
    Controller controller{Settings{}, test_apis};
    run_decides = gate_decides = [](const Snapshot& seen, Instant) { return busy(seen); };
    const Instant now{1'790'000'000'000};
    Effects effects = controller.step(Tick{}, now);
    for (const Effect& effect : effects.list)
        if (const auto* watch = std::get_if<StartWatch>(&effect)) {
            std::vector<model::WatchEvent> events;
            if (watch->scope.resource == &runs) {
                auto one = object("one");
                one.meta.resource_version = 5;
                events.push_back(model::Changed{one});
            }
            events.push_back(model::Bookmark{"10", true});
            const Effects more = controller.step(EventsArrived{watch->session, events}, now);
            for (const Effect& one : more.list)
                EXPECT_FALSE(std::holds_alternative<Write>(one));
        }
    ASSERT_TRUE(controller.is_synced());
    effects = controller.step(PoliciesSeen{false}, now);
    int made = 0;
    for (const Effect& one : effects.list)
        made += std::holds_alternative<Write>(one);
    EXPECT_EQ(made, 1);
}

TEST(Leadership, ThatWasLostTakesAlongWhatWasLearntThroughIt) {
    Settings settings;
    settings.leads_at_once = false;
    Scene scene{settings};
    scene.show_run();
    EXPECT_THAT(scene.looks, IsEmpty()) << "who does not lead decides nothing";
    scene.then = [](const Snapshot&) {
        Decision decision;
        decision.progress.emplace();
        decision.probe = engine::Probe{"key", engine::question_of(engine::MetricQuery{})};
        return decision;
    };
    scene.desk.take(Leadership{true, {"lease", 1}});
    EXPECT_THAT(scene.looks, SizeIs(1));
    scene.desk.take(Leadership{true, {"lease", 1}});
    EXPECT_THAT(scene.looks, SizeIs(1)) << "no news";
    const auto asked = scene.desk.done<Ask>();
    scene.desk.take(Answered{asked.at(0).ticket, engine::answer_of(engine::MetricAnswer{})});
    ASSERT_FALSE(scene.looks.back().evidence.empty());
    ASSERT_TRUE(scene.looks.back().progress.has_value());
    const auto again = scene.desk.done<Ask>();
    scene.desk.take(Leadership{false, {"lease", 1}});
    EXPECT_FALSE(scene.desk.controller.leads());
    EXPECT_THAT(scene.desk.done<CancelQuestion>(), SizeIs(1));
    scene.then = busy;
    scene.desk.take(Leadership{true, {"lease", 2}});
    EXPECT_TRUE(scene.looks.back().evidence.empty());
    EXPECT_FALSE(scene.looks.back().progress.has_value());
    EXPECT_THAT(scene.desk.creations(), IsEmpty());
    EXPECT_THAT(scene.desk.done<ReadWorkload>(), SizeIs(1)) << "somebody else may have written";
}

TEST(Leadership, ThatWasLostTakesAnswersToOwnQuestionsAlong) {
    Settings settings;
    settings.leads_at_once = false;
    Scene scene{settings};
    scene.desk.take(Leadership{true, {"lease", 1}});
    scene.then = [](const Snapshot& seen) {
        Decision decision;
        if (seen.evidence.empty())
            decision.probe = engine::Probe{"key", std::make_shared<const engine::Question>()};
        return decision;
    };
    scene.show_run();
    scene.desk.take(
        Answered{scene.desk.done<Ask>().at(0).ticket, std::make_shared<const engine::Answer>()});
    ASSERT_FALSE(scene.looks.back().evidence.empty());
    scene.desk.take(Leadership{false, {"lease", 1}});
    scene.desk.take(Leadership{true, {"lease", 2}});
    EXPECT_TRUE(scene.looks.back().evidence.empty());
}

TEST(Draining, TakesOnNoNewWork) {
    Scene scene;
    scene.desk.controller.drain();
    scene.show_run();
    scene.desk.pass(1h);
    EXPECT_THAT(scene.looks, IsEmpty());
}

TEST(Watches, ThatTheServerEndsInTheStreamAreStopped) {
    Scene scene;
    scene.desk.done<StopWatch>();
    scene.desk.take(EventsArrived{of_sets, {model::Bookmark{"20", false}}});
    EXPECT_THAT(scene.desk.done<StopWatch>(), IsEmpty());
    scene.desk.take(EventsArrived{of_sets, {model::WatchFailed{410, "too old"}}});
    const auto stopped = scene.desk.done<StopWatch>();
    ASSERT_THAT(stopped, SizeIs(1));
    EXPECT_EQ(stopped[0].session, of_sets);
}

TEST(Watches, SayWhatKeepsThemFromBeingInSync) {
    Controller controller{Settings{}, test_apis};
    const Instant now{1'790'000'000'000};
    controller.step(Tick{}, now);
    EXPECT_EQ(controller.sync_problem(), "the first list is not complete yet");
    controller.step(SessionFailed{of_sets, {503, {}, "no route"}}, now);
    EXPECT_EQ(controller.sync_problem(), "no route");
    EXPECT_EQ(controller.watch_restarts(model::Form::StatefulSet), 1);
    EXPECT_EQ(controller.watch_restarts(model::Form::Pod), 0);
    const Scene scene;
    EXPECT_EQ(scene.desk.controller.sync_problem(), "");
}

TEST(Watches, OfADefinitionThatIsMissingAreToldOfOnce) {
    Controller controller{Settings{}, test_apis};
    Instant now{1'790'000'000'000};
    const SessionId of_gates = 2;  // behind sets and pods
    std::vector<Log> lines;
    for (int time = 0; time < 3; ++time) {
        controller.step(Tick{}, now);
        const Effects effects = controller.step(SessionFailed{of_gates, {404, {}, "none"}}, now);
        for (const Effect& effect : effects.list)
            if (const auto* line = std::get_if<Log>(&effect)) lines.push_back(*line);
        now = now + 1min;
    }
    ASSERT_THAT(lines, SizeIs(1));
    EXPECT_THAT(lines[0].text, HasSubstr("the definition gates.test is not installed"));
    EXPECT_EQ(lines[0].level, Log::Level::Info);
}

TEST(Watches, TroubleIsLoggedAsAWarningAndAnOldVersionIsNone) {
    for (const auto& [status, level] :
         {std::pair{503, Log::Level::Warning}, std::pair{410, Log::Level::Info}}) {
        Scene scene;
        scene.desk.done<Log>();
        scene.desk.take(SessionFailed{of_sets, {status, {}, "a sentence"}});
        const auto lines = scene.desk.done<Log>();
        ASSERT_THAT(lines, SizeIs(1));
        EXPECT_EQ(lines[0].text, "a sentence");
        EXPECT_EQ(lines[0].level, level);
    }
}

TEST(Watches, WhatAFreshListDoesNotBringIsGone) {
    for (const int status : {410, 400}) {  // the version is too old; the server cannot stream
        Scene scene;
        scene.show_set(web_set(5));
        auto one = object("one");
        one.meta.resource_version = 500;
        const SessionId of_runs = 3;
        scene.desk.take(EventsArrived{of_runs, {model::Changed{one}}});
        ASSERT_EQ(scene.desk.controller.store().size(runs), 1u);
        scene.desk.lose_everything();
        for (const SessionId session : {of_sets, of_runs})
            scene.desk.take(SessionFailed{session, {410, {}, "too old"}});
        scene.desk.controller.step(Tick{}, scene.desk.now);
        scene.desk.pass(2s);
        if (status == 400)
            for (const SessionId session : {of_sets, of_runs})
                scene.desk.take(SessionFailed{session, {400, {}, "no such parameter"}});
        scene.desk.pass(1min);
        EXPECT_EQ(scene.desk.controller.store().size(model::statefulsets), 0u);
        EXPECT_EQ(scene.desk.controller.store().size(runs), 0u);
    }
}

TEST(Watches, OfAServerThatCannotStreamAreListedInPages) {
    Controller controller{Settings{}, test_apis};
    const Instant now{1'790'000'000'000};
    controller.step(Tick{}, now);
    const Effects effects = controller.step(SessionFailed{of_sets, {400, {}, "what?"}}, now);
    const auto lists = std::ranges::count_if(
        effects.list, [](const Effect& one) { return std::holds_alternative<StartList>(one); });
    EXPECT_EQ(lists, 1);
    controller.step(PageArrived{of_sets, {{web_set(20)}, "30", ""}}, now);
    EXPECT_EQ(controller.store().size(model::statefulsets), 1u);
}

TEST(Watches, ThatFailedAreTriedAgainInTime) {
    Controller controller{Settings{}, test_apis};
    const Instant now{1'790'000'000'000};
    controller.step(Tick{}, now);
    const Effects effects = controller.step(SessionFailed{of_sets, {503, {}, "trouble"}}, now);
    ASSERT_TRUE(effects.wake_at.has_value());
    EXPECT_LE(*effects.wake_at, now + 800ms);
}

TEST(Watches, AreGivenUpForAFreshListNowAndThen) {
    Scene scene;
    scene.desk.pass(10min - 1ms);
    EXPECT_THAT(scene.desk.done<StopWatch>(), IsEmpty());
    scene.desk.pass(5min + 1ms);
    EXPECT_THAT(scene.desk.done<StopWatch>(), SizeIs(5)) << "sets, pods, gates, runs and settings";
}

TEST(Watches, OfADefinitionThatIsMissingAreNoProblem) {
    Scene scene;
    scene.desk.take(SessionFailed{2, {404, {}, "none"}});
    EXPECT_EQ(scene.desk.controller.sync_problem(), "");
    EXPECT_TRUE(scene.desk.controller.is_synced());
}

TEST(Logs, NameTheObjectAndNotTheWorkloadThatItStandsFor) {
    Scene scene;
    scene.then = busy;
    scene.show_run();
    const auto last_after = [&](Ticket ticket) {
        scene.desk.take(Written{ticket, std::unexpected(refused(500))});
        return scene.desk.done<Log>().back();
    };
    const Log of_run = last_after(scene.desk.creations().at(0).ticket);
    EXPECT_EQ(of_run.about, (model::Ref{&runs, "shop", "one"}));
    scene.show_set(web_set(20));
    scene.show_gate();
    const Log of_set = last_after(scene.desk.creations().at(0).ticket);
    EXPECT_EQ(of_set.about, (model::Ref{&model::statefulsets, "shop", "web"}));
}

TEST(Settings, OfTheProcessAreKnownToEveryDecision) {
    Settings settings;
    settings.apis = {"run"};
    settings.plugin_directory = "/plugins";
    settings.hook_retry = 7s;
    settings.chosen = {&engine::Environment::passes_on_data};
    Scene scene{settings};
    scene.show_run();
    EXPECT_EQ(scene.looks.back().environment.plugin_directory, "/plugins");
    EXPECT_EQ(scene.looks.back().environment.hook_retry, 7s);
    EXPECT_TRUE(scene.looks.back().environment.passes_on_data);
    EXPECT_FALSE(scene.looks.back().environment.marks_no_owners) << "nobody chose that";
    EXPECT_FALSE(scene.desk.controller.store().sizes().contains("gates")) << "nobody serves them";
}

TEST(Watches, CountTheObjectsTheyBrought) {
    Scene scene;
    scene.show_gate();
    scene.show_run();
    scene.desk.put(runs, object("two"));
    const runtime::Store& store = scene.desk.controller.store();
    EXPECT_EQ(store.size(gates), 1u);
    EXPECT_EQ(store.size(runs), 2u);
}

TEST(Watches, AreOfEachNamespaceOnce) {
    Settings settings;
    settings.namespaces = {"shop", "post", "shop"};
    Controller controller{settings, test_apis};
    std::vector<std::string> watched;
    for (const Effect& effect : controller.step(Tick{}, Instant{1'790'000'000'000}).list)
        if (const auto* watch = std::get_if<StartWatch>(&effect))
            watched.push_back(fmt::format("{}/{}{}", watch->scope.ns, watch->scope.resource->plural,
                                          watch->scope.selector.name));
    EXPECT_THAT(watched, ElementsAre("post/statefulsets", "post/pods", "post/gates", "post/runs",
                                     "shop/statefulsets", "shop/pods", "shop/gates", "shop/runs",
                                     "sluice-system/configmapsgate-words"));
}

}  // namespace
}  // namespace sluice::controller
