// Rollouts through a program outside: what a step rests on, and how they end.
#include <gtest/gtest.h>

#include "tests/unit/engine/weighed.hpp"

namespace sluice::engine {
namespace {

using namespace testing;
using What = WeightGoal::What;

TEST(WeightRollout, BeginsWithNothingOfItOnceAFreshLookHasSeenTheRevision) {
    const Weighed one = weighed_at_rest("v1", "v2");
    const Decision late = one.steered(noon + 6s);
    EXPECT_FALSE(late.memory);
    ASSERT_TRUE(asked(late));
    EXPECT_EQ(asked(late)->goal.what, What::Watch);
    const Decision decision = one.steered(noon + 5s);
    EXPECT_TRUE(tells(decision, Reason::RolloutStarted));
    EXPECT_EQ(weight_in(decision), 0);
    EXPECT_EQ(decision.memory->revision, "v2");
    EXPECT_EQ(decision.memory->id, 2);
}

TEST(WeightRollout, ARevisionThatIsKnownAndWasNeverTriedNeedsAFreshLookToo) {
    Weighed one = weighed_at_rest("v1", "v2");
    one.memory().revision = "v2";
    EXPECT_FALSE(one.steered(noon + 6s).memory);
    EXPECT_TRUE(tells(one.steered(noon + 5s), Reason::RolloutStarted));
}

TEST(WeightRollout, ARevisionThatFailedIsLeftAloneUntilItIsAskedFor) {
    Weighed one = weighed_at_rest("v1", "v2");
    one.memory().revision = "v2";
    one.memory().failed = true;
    const Decision rests = one.steered(noon + 6s);
    EXPECT_EQ(rests.report.reason, Reason::RolledBack);
    EXPECT_EQ(rests.report.message, "Revision v2 failed; all is back at revision v1.");
    EXPECT_FALSE(asked(rests)) << "it looks at the pace of a rest";
    one.weight.restarts = true;
    EXPECT_TRUE(asked(one.steered(noon + 6s))) << "what is known is too old";
    EXPECT_TRUE(tells(one.steered(), Reason::RolloutStarted));
    one.answers(take_back);
    const Decision unseen = one.steered();
    EXPECT_FALSE(unseen.memory) << "that look was made for another end";
    ASSERT_TRUE(asked(unseen));
    EXPECT_EQ(asked(unseen)->goal.what, What::Watch);
}

TEST(WeightRollout, AStepRestsOnALookThatIsNoOlderThanFiveSeconds) {
    const Weighed one = weighed_at(20);
    const Decision step = one.steered(noon + 5s);
    EXPECT_EQ(weight_in(step), 60);
    EXPECT_TRUE(step.takes_step);
    EXPECT_EQ(step.report.message, "Plugin split is asked for 60 %.");
    EXPECT_EQ(step.report.unblock, "The plugin.");
    EXPECT_EQ(told(step, Reason::StepTaken), "Plugin split brings 60 % to revision v2.");
    const Decision late = one.steered(noon + 5s + 1ms);
    EXPECT_FALSE(late.memory);
    EXPECT_TRUE(late.keeps_report);
    EXPECT_TRUE(asked(late));
}

TEST(WeightRollout, ARestNeedsNoFreshLook) {
    Weighed one = weighed_at(20);
    Plan plan = by_weight();
    plan.steps[1].before.emplace_back(Pause{.place = 1});
    one.course.compile = [plan] { return plan; };
    const Decision decision = one.steered(noon + 6s);
    EXPECT_EQ(decision.report.reason, Reason::StepPaused);
    EXPECT_FALSE(decision.keeps_report);
    EXPECT_EQ(decision.wake_at, noon + 15s);
}

TEST(WeightRollout, AnotherRevisionInMidRolloutBeginsFromTheTopAfterAFreshLook) {
    Weighed one = weighed_at(20);
    one.program.there->updated = "v3";
    const Decision late = one.steered(noon + 6s);
    EXPECT_FALSE(late.memory);
    EXPECT_TRUE(asked(late));
    const Decision decision = one.steered();
    EXPECT_EQ(weight_in(decision), 0);
    EXPECT_EQ(decision.memory->revision, "v3");
    EXPECT_EQ(decision.memory->id, 3);
}

TEST(WeightRollout, ThePromotionIsAskedForWithTheLastStep) {
    Weighed one = weighed_at(60);
    const Decision decision = one.steered();
    EXPECT_EQ(weight_in(decision), 100);
    EXPECT_EQ(decision.memory->place, last_place);
    EXPECT_EQ(decision.report.message,
              "Plugin split is asked to make revision v2 the current one.");
    one.memory() = decision.memory.value();
    EXPECT_EQ(asked(one.steered())->goal.what, What::Promote);
}

TEST(WeightRollout, EndsOnlyWhenTheRevisionIsCurrentVerifiedAndReady) {
    struct Row {
        const char* what;
        const char* current;
        bool is_ready;
        const char* lacks;
    };
    for (const Row& row : {Row{"not current", "v1", true, ""}, Row{"not ready", "v2", false, ""},
                           Row{"not verified", "v2", true, "It is at 90 %."},
                           Row{"only ready", "v1", true, "It is at 90 %."}}) {
        Weighed one = weighed_at(100);
        one.program.there = WeightReality{row.current, "v2", row.is_ready, row.is_ready};
        one.answers(promote, row.lacks);
        const Decision decision = one.steered();
        EXPECT_FALSE(decision.memory) << row.what;
        EXPECT_EQ(decision.report.message,
                  std::string{"Plugin split makes revision v2 the current one. "} + row.lacks)
            << row.what;
    }
    Weighed one = weighed_at(100);
    one.program.there->current = "v2";
    const Decision decision = one.steered();
    EXPECT_EQ(decision.report.reason, Reason::RolloutCompleted);
    EXPECT_EQ(decision.report.message, "All of it is at revision v2.");
    EXPECT_FALSE(decision.memory->open);
}

TEST(WeightRollout, AllOfItInAnotherListOfStepsIsNoPromotion) {
    Weighed one = weighed_at(100);
    one.memory().list = list_of_steps + 1;
    one.answers(weigh(100));
    const Decision decision = one.steered();
    EXPECT_EQ(decision.report.message,
              "Plugin split is asked to make revision v2 the current one.");
    EXPECT_EQ(decision.memory->list, list_of_steps);
    EXPECT_EQ(decision.memory->place, last_place);
}

TEST(WeightRollout, GoesBackToTheShareThatItsStepsAllow) {
    Weighed one = weighed_at(60);
    Plan plan = by_weight();
    plan.exposed_max = PodCount{20};
    one.course.compile = [plan] { return plan; };
    const Decision decision = one.steered();
    EXPECT_EQ(weight_in(decision), 20);
    EXPECT_TRUE(decision.takes_step);
    EXPECT_EQ(decision.report.message, "Plugin split is asked for 20 %.");
    EXPECT_EQ(told(decision, Reason::StepTaken), "Plugin split brings 20 % to revision v2.");
}

TEST(WeightRollout, APersonsWordNeedsNoLook) {
    Weighed aborted = weighed_at(20);
    aborted.course.abort = "Somebody aborted it.";
    aborted.program.there->updated = "v3";
    const Decision back = aborted.steered(noon + 1min);
    EXPECT_EQ(weight_in(back), 0);
    EXPECT_TRUE(back.memory->returning);
    EXPECT_EQ(back.memory->revision, "v2") << "whatever is wanted meanwhile";
    EXPECT_EQ(back.report.message,
              "Somebody aborted it. What was updated returns to the revision before.");
    EXPECT_EQ(told(back, Reason::Aborted), "Somebody aborted it.");
    EXPECT_TRUE(back.needs_live);

    Weighed promoted = weighed_at(20);
    promoted.weight.promotes = true;
    Plan plan;
    plan.steps = {Step{PodCount{100}, {}, {ExposureReached{}}, last_place}};
    promoted.course.compile = [plan] { return plan; };
    const Decision all = promoted.steered(noon + 1min);
    EXPECT_EQ(weight_in(all), 100);
    EXPECT_EQ(all.memory->place, last_place);
}

TEST(WeightRollout, ComesBackWhenTheProgramSaysSo) {
    Weighed one = weighed_at(20);
    one.memory().partition = closed_partition;
    one.memory().returning = true;
    const Decision asks = one.steered();
    EXPECT_EQ(asks.report.reason, Reason::RollingBack);
    EXPECT_EQ(asks.report.message, "Plugin split is asked for 0 %.");
    EXPECT_EQ(asked(asks)->goal.what, What::Return);
    one.answers(take_back, "It is at 3 %.");
    EXPECT_EQ(one.steered().report.message, "Plugin split takes revision v2 back. It is at 3 %.");
    one.program.problem = "down";
    const Decision fails = one.steered();
    EXPECT_EQ(fails.report.phase, Phase::Held);
    EXPECT_EQ(fails.report.reason, Reason::PluginError);
    EXPECT_EQ(fails.report.message, "down");
    one.program.problem.clear();
    one.answers(take_back);
    const Decision back = one.steered();
    EXPECT_EQ(back.report.reason, Reason::RolledBack);
    EXPECT_EQ(back.report.message, "Revision v2 failed; all is back at revision v1.");
    one.knows_nothing();
    EXPECT_EQ(one.steered().report.message, "Plugin split is asked for 0 %.") << "after a restart";
}

TEST(WeightRollout, AnAbortThatComesTooLateLeavesTheNewRevision) {
    Weighed one = weighed_at(100);
    one.memory().partition = closed_partition;
    one.memory().returning = true;
    one.program.there->current = "v2";
    one.answers(take_back, "Nothing is left to go back to.");
    const Decision decision = one.steered();
    EXPECT_EQ(decision.report.reason, Reason::RolloutCompleted);
    EXPECT_EQ(decision.report.message, "Revision v2 was current before the abort came; it stays.");
}

TEST(WeightRollout, WhatWasUpdatedFollowsARevisionThatIsTakenBack) {
    Weighed one = weighed_at(20);
    one.weight.current = "";
    one.program.there->updated = "v1";
    const Decision follows = one.steered();
    EXPECT_EQ(follows.report.message,
              "Revision v2 was taken back: what was updated returns to revision v1.");
    ASSERT_TRUE(asked(follows));
    EXPECT_EQ(asked(follows)->goal.what, What::Return);
    EXPECT_EQ(asked(follows)->goal.revision, "v1");
    one.answers(asked(follows)->goal);
    const Decision home = one.steered();
    EXPECT_FALSE(home.memory->open);
    EXPECT_EQ(told(home, Reason::RolloutCompleted), "The plugin is back at revision v1.");
    ASSERT_TRUE(home.ended);
    EXPECT_STREQ(home.ended->outcome, "superseded");
    EXPECT_EQ(home.ended->took, 10min);
}

TEST(WeightRollout, ARevisionThatFailedAndIsNotWantedAnyMoreIsForgotten) {
    Weighed one = weighed_at_rest("v1", "v1");
    one.memory().revision = "v2";
    one.memory().failed = true;
    const Decision decision = one.steered();
    EXPECT_EQ(decision.report.reason, Reason::Idle);
    ASSERT_TRUE(decision.memory);
    EXPECT_FALSE(decision.memory->failed);
}

}  // namespace
}  // namespace sluice::engine
