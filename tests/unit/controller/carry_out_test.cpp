// How one decision becomes effects: what is read first, what is remembered, what is told, and when
// the workload is looked at again.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/annotations.hpp"
#include "tests/unit/controller/scene.hpp"

namespace sluice::controller {
namespace {

using namespace testing;
using engine::Reason;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Decision reporting(Reason reason, engine::Phase phase = engine::Phase::Held) {
    Decision decision;
    decision.report = {phase, reason, "a sentence", ""};
    return decision;
}

TEST(CarryOut, RemembersSinceWhenItWaitsForTheSameReason) {
    Scene scene;
    Reason reason = Reason::Paused;
    scene.then = [&](const Snapshot&) { return reporting(reason); };
    const Instant first = scene.desk.now;
    scene.show_run();
    scene.desk.pass(5s);
    scene.show_run();
    EXPECT_EQ(scene.looks.back().waiting_for, Reason::Paused);
    EXPECT_EQ(scene.looks.back().waiting_since, first);
    reason = Reason::StepPaused;
    scene.show_run();
    scene.desk.pass(5s);
    scene.show_run();
    EXPECT_EQ(scene.looks.back().waiting_for, Reason::StepPaused);
    EXPECT_EQ(scene.looks.back().waiting_since, first + 5s);
}

TEST(CarryOut, CountsDecisionsByReasonAndRolloutsByPhase) {
    Scene scene;
    scene.then = [](const Snapshot&) { return reporting(Reason::Paused); };
    scene.show_set(web_set(20));
    scene.show_gate();
    scene.show_gate();
    scene.show_run();
    EXPECT_EQ(scene.desk.controller.rollouts_by_phase(),
              (std::map<engine::Phase, int>{{engine::Phase::Held, 1}}))
        << "a run that stands alone is no rollout";
    const auto& decisions = scene.desk.controller.counters().decisions;
    EXPECT_EQ(decisions.at({"gate", Reason::Paused}), 2u);
    EXPECT_EQ(decisions.at({"run", Reason::Paused}), 1u);
}

TEST(CarryOut, KeepsTheProgressOfChecksForTheNextLookAndNoLonger) {
    Scene scene;
    scene.then = [](const Snapshot&) {
        Decision decision;
        decision.progress.emplace();
        decision.progress->tries = 7;
        return decision;
    };
    scene.show_run();
    scene.then = [](const Snapshot&) { return Decision{}; };
    scene.show_run();
    EXPECT_EQ(scene.looks.back().progress.value().tries, 7);
    scene.show_run();
    EXPECT_FALSE(scene.looks.back().progress.has_value());
}

TEST(CarryOut, ATimeThatIsOverBringsTheWorkloadBackAHundredTimesASecondAtMost) {
    Scene scene;
    scene.then = [&](const Snapshot&) {
        Decision decision;
        decision.wake_at = scene.desk.now - 1h;
        return decision;
    };
    scene.show_run();
    scene.looks.clear();
    scene.desk.pass(1s);
    EXPECT_GE(scene.looks.size(), 99u);
    EXPECT_LE(scene.looks.size(), 101u);
}

TEST(CarryOut, TellsWhatNeedsNoWriteAtOnceAndWarningsOnce) {
    Scene scene;
    scene.then = [](const Snapshot&) {
        Decision decision;
        decision.notices = {{Reason::GateBypassed, "somebody did"}};
        return decision;
    };
    scene.show_run();
    scene.show_run();
    const auto told = scene.desk.done<PostEvent>();
    ASSERT_THAT(told, SizeIs(1));
    EXPECT_EQ(told[0].note, "somebody did");
    EXPECT_EQ(told[0].at, scene.desk.now);
    auto logged = scene.desk.done<Log>();
    EXPECT_EQ(logged.back().text, "GateBypassed: somebody did");
    EXPECT_EQ(logged.back().level, Log::Level::Warning);
    scene.then = [](const Snapshot&) {
        Decision decision;
        decision.notices = {{Reason::RolloutStarted, "here we go"}};
        return decision;
    };
    scene.show_run();
    scene.show_run();
    EXPECT_THAT(scene.desk.done<PostEvent>(), SizeIs(2)) << "a start is told every time";
    logged = scene.desk.done<Log>();
    EXPECT_EQ(logged.back().level, Log::Level::Info);
    EXPECT_EQ(
        scene.desk.controller.counters().events,
        (std::map<Reason, std::uint64_t>{{Reason::GateBypassed, 1}, {Reason::RolloutStarted, 2}}));
}

TEST(CarryOut, NobodyTakesBackWhatWasNotAsked) {
    Scene scene;
    scene.show_run();
    scene.desk.remove(runs, object("one"));
    EXPECT_THAT(scene.desk.done<CancelQuestion>(), IsEmpty());
}

TEST(CarryOut, WhatIsWantedTwiceIsReadOnceAndNoMoreThanSoManyInAll) {
    Scene scene;
    const auto want = [](int many) {
        Decision decision;
        for (int i = 0; i < many; ++i)
            decision.rests_on.push_back({&recipes, "", fmt::format("recipe-{}", i)});
        decision.rests_on.push_back({&recipes, "", "recipe-0"});
        return decision;
    };
    scene.then = [&](const Snapshot&) { return want(128); };
    scene.show_run();
    const auto reads = scene.desk.done<ReadWorkload>();
    ASSERT_THAT(reads, SizeIs(1));
    EXPECT_THAT(reads[0].objects, SizeIs(129)) << "and the run itself";
    Scene vain;
    vain.then = [](const Snapshot&) {
        Decision decision;
        decision.rests_on = {{&runs, "shop", "one"}};
        return decision;
    };
    vain.show_run();
    EXPECT_THAT(vain.desk.done<ReadWorkload>().at(0).objects, SizeIs(1));
    Scene greedy;
    greedy.then = [&](const Snapshot&) { return want(129); };
    greedy.show_run();
    EXPECT_THAT(greedy.desk.done<ReadWorkload>(), IsEmpty());
}

TEST(CarryOut, ReadsTheObjectThatHoldsTheClaimThoughNobodyKnowsIt) {
    for (const auto& [claim, is_read] :
         {std::pair{"gate/ghost", true}, std::pair{"gate/Not A Name", false},
          std::pair{"other/ghost", false}}) {
        Scene scene;
        scene.then = [](const Snapshot& seen) {
            Decision decision = moving(seen, Partition{3});
            decision.needs_live = true;
            return decision;
        };
        auto set = web_set(20);
        set.annotations[model::key::claim] = claim;
        set.has_annotations = true;
        scene.show_set(set);
        scene.show_gate();
        const auto reads = scene.desk.done<ReadWorkload>();
        ASSERT_THAT(reads, SizeIs(1));
        const model::Ref ghost{&gates, "shop", "ghost"}, gentle{&gates, "shop", "gentle"};
        EXPECT_THAT(reads[0].objects, Contains(gentle));
        if (is_read)
            EXPECT_THAT(reads[0].objects, Contains(ghost));
        else
            EXPECT_THAT(reads[0].objects, SizeIs(1)) << claim;
    }
}

TEST(CarryOut, OfAPatchAndARemovalThePatchComesFirstAndNeedsNoLookIfItClosesTheGate) {
    Scene scene;
    scene.then = [](const Snapshot& seen) {
        Decision decision = moving(seen, Partition{3});
        decision.actions.push_back(removing("web-1", "uid-1"));
        return decision;
    };
    scene.show_set(web_set(20));
    scene.show_gate();
    EXPECT_THAT(scene.desk.done<ReadWorkload>(), IsEmpty());
    EXPECT_THAT(scene.desk.patches_of_sets(), SizeIs(1));
    EXPECT_THAT(scene.desk.deletions_of_pods(), IsEmpty());
}

TEST(CarryOut, ALookWithoutAFailureForgivesTheFailuresBeforeIt) {
    Scene scene;
    const auto create = [](const Snapshot&) { return writing(Action::Verb::Create); };
    scene.then = create;
    scene.show_run();
    for (int time = 0; time < 8; ++time) {
        scene.desk.take(
            Written{scene.desk.creations().at(0).ticket, std::unexpected(refused(409))});
        scene.desk.pass(2min);
    }
    scene.desk.take(Written{scene.desk.creations().at(0).ticket, std::unexpected(refused(409))});
    scene.then = [](const Snapshot&) { return Decision{}; };
    scene.desk.pass(2min);
    scene.then = create;
    scene.show_run();
    scene.desk.take(Written{scene.desk.creations().at(0).ticket, std::unexpected(refused(409))});
    scene.desk.pass(500ms);
    EXPECT_THAT(scene.desk.creations(), SizeIs(1));
}

TEST(CarryOut, ConflictsAreLoggedWhenTheyAreNoCoincidence) {
    Scene scene;
    scene.then = [](const Snapshot&) { return writing(Action::Verb::Create); };
    scene.show_run();
    scene.desk.done<Log>();
    const auto words_after = [&](const Answer<std::optional<model::Object>>& answer) {
        scene.desk.take(Written{scene.desk.creations().at(0).ticket, answer});
        const std::size_t words = scene.desk.done<Log>().size();
        scene.desk.pass(2min);
        return words;
    };
    const Answer<std::optional<model::Object>> conflict = std::unexpected(refused(409));
    EXPECT_EQ(words_after(conflict), 0u);
    EXPECT_EQ(words_after(conflict), 0u);
    EXPECT_EQ(words_after(conflict), 1u);
    EXPECT_EQ(words_after(conflict), 0u);
    EXPECT_EQ(words_after(object("one")), 0u);
    EXPECT_EQ(words_after(conflict), 0u);
    EXPECT_EQ(words_after(conflict), 0u) << "they are counted in a row";
    EXPECT_EQ(words_after(std::unexpected(refused(500))), 1u) << "all else is worth a word";
}

TEST(CarryOut, ANoticeWithAWordOfItsOwnIsToldUnderThat) {
    Scene scene;
    scene.then = [](const Snapshot&) {
        Decision decision;
        decision.notices = {{Reason::RolloutStarted, "here we go", "Departed"}};
        return decision;
    };
    scene.show_run();
    EXPECT_EQ(scene.desk.done<PostEvent>().at(0).name, "Departed");
    EXPECT_EQ(scene.desk.done<Log>().back().text, "Departed: here we go");
}

TEST(CarryOut, WhatCannotBeUndoneIsNotDoneWhereNothingCanBeRead) {
    Scene scene;
    scene.then = [](const Snapshot&) { return writing(Action::Verb::Delete); };
    scene.show_gate();
    EXPECT_THAT(scene.desk.done<ReadWorkload>(), IsEmpty()) << "there is no such set";
    EXPECT_THAT(scene.desk.done<Write>(), IsEmpty());
}

TEST(CarryOut, WhoIsGoneTakesItsFailuresAlong) {
    Scene scene;
    scene.then = [](const Snapshot&) { return writing(Action::Verb::Create); };
    const auto fail = [&] {
        scene.desk.take(
            Written{scene.desk.creations().at(0).ticket, std::unexpected(refused(409))});
    };
    scene.show_run();
    for (int time = 0; time < 8; ++time) {
        fail();
        scene.desk.pass(2min);
    }
    fail();
    scene.desk.remove(runs, object("one"));
    scene.desk.pass(2min);
    scene.show_run();
    fail();
    scene.desk.pass(500ms);
    EXPECT_THAT(scene.desk.creations(), SizeIs(1)) << "as after the first failure";
}

}  // namespace
}  // namespace sluice::controller
