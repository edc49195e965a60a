// What a program outside is asked and when, and what is told of it meanwhile.
#include <gtest/gtest.h>

#include "tests/unit/engine/weighed.hpp"

namespace sluice::engine {
namespace {

using namespace testing;
using What = WeightGoal::What;

TEST(WeightLever, TheFirstLookOnlyAsksWhatIsThere) {
    const Decision decision = weighed().steered();
    EXPECT_TRUE(decision.keeps_report);
    EXPECT_EQ(decision.report.reason, Reason::PluginWorking);
    EXPECT_EQ(decision.report.message, "Plugin split is asked what is there.");
    ASSERT_TRUE(asked(decision));
    EXPECT_EQ(asked(decision)->goal.what, What::Watch);
    EXPECT_TRUE(asked(decision)->inits);
    EXPECT_FALSE(decision.needs_live) << "it begins no change";
    EXPECT_FALSE(decision.memory);
}

TEST(WeightLever, WhatNobodyRemembersIsAdoptedWithNothingExposed) {
    Weighed one = weighed_at_rest("v1", "v1");
    one.weight.memory.reset();
    const Decision decision = one.steered();
    EXPECT_TRUE(tells(decision, Reason::Adopted));
    EXPECT_EQ(weight_in(decision), 0);
    EXPECT_FALSE(decision.memory->open);
}

TEST(WeightLever, AnErrorIsToldAndBlocksUntilALookHasSucceeded) {
    Weighed one = weighed();
    one.program.problem = "down";
    one.program.asked_at = noon;
    const Decision never = one.steered();
    EXPECT_EQ(never.report.phase, Phase::Blocked);
    EXPECT_EQ(never.report.reason, Reason::PluginError);
    EXPECT_EQ(never.report.message, "down");
    EXPECT_EQ(told(never, Reason::PluginError), "down");
    one.weight.memory = weighed_at_rest("v1", "v1").memory();
    EXPECT_EQ(one.steered().report.phase, Phase::Idle) << "it worked before";
}

TEST(WeightLever, AnErrorInMidRolloutHoldsIt) {
    Weighed one = weighed_at(20);
    one.program.problem = "down";
    const Decision decision = one.steered();
    EXPECT_EQ(decision.report.phase, Phase::Rolling);
    EXPECT_EQ(decision.report.reason, Reason::PluginError);
    EXPECT_EQ(decision.report.message, "down");
    EXPECT_FALSE(decision.memory);
}

TEST(WeightLever, AfterAnErrorItIsAskedAgainInFiveSeconds) {
    Weighed one = weighed_at(20);
    one.program.problem = "down";
    EXPECT_FALSE(asked(one.steered(noon + 5s - 1ms)));
    EXPECT_EQ(one.steered(noon + 1s).wake_at, noon + 5s);
    EXPECT_TRUE(asked(one.steered(noon + 5s)));
}

TEST(WeightLever, AnErrorThatWasToldStandsUntilSomebodyHasAskedAgain) {
    Weighed one = weighed_at(20);
    one.weight.told = "PluginError";
    one.weight.told_message = "down since yesterday";
    one.knows_nothing();
    const Decision anew = one.steered();
    EXPECT_EQ(anew.report.reason, Reason::PluginError);
    EXPECT_EQ(anew.report.message, "down since yesterday");
    EXPECT_TRUE(asked(anew));
    one.program.problem = "down again";
    EXPECT_EQ(one.steered().report.message, "down again");
    one.program.problem.clear();
    one.program.there = WeightReality{"v1", "v2", true, false};
    one.answers(weigh(20));
    EXPECT_EQ(weight_in(one.steered()), 60) << "it is over";
}

TEST(WeightLever, AfterARestartAnyOtherWordIsNoError) {
    Weighed one = weighed_at(20);
    one.weight.told = "PluginWorking";
    one.weight.told_message = "Plugin split brings it to 20 %. It is at 3 %.";
    one.knows_nothing();
    const Decision decision = one.steered();
    EXPECT_EQ(decision.report.reason, Reason::PluginWorking);
    EXPECT_EQ(decision.report.message, "Plugin split is asked for 20 %.");
    ASSERT_TRUE(asked(decision));
    EXPECT_EQ(asked(decision)->goal.weight, 20);
    EXPECT_TRUE(decision.needs_live) << "somebody else may have gone further";
}

TEST(WeightLever, AtRestItLooksEveryFifteenSecondsAndSaysThatItRests) {
    const Weighed one = weighed_at_rest("v1", "v1");
    const Decision between = one.steered(noon + 10s);
    EXPECT_EQ(between.report.reason, Reason::Idle);
    EXPECT_FALSE(between.keeps_report);
    EXPECT_FALSE(asked(between));
    EXPECT_EQ(between.wake_at, noon + 15s);
    const Decision due = one.steered(noon + 15s);
    EXPECT_EQ(due.report.reason, Reason::Idle);
    ASSERT_TRUE(asked(due));
    EXPECT_EQ(asked(due)->goal.what, What::Watch);
    EXPECT_FALSE(asked(due)->inits);
    EXPECT_FALSE(due.needs_live) << "it begins no change";
}

TEST(WeightLever, AtWorkItLooksEveryTwoSeconds) {
    Weighed one = weighed_at(20);
    one.answers(weigh(20), "It is at 3 %.");
    const Decision between = one.steered(noon + 1s);
    EXPECT_EQ(between.report.message, "Plugin split brings it to 20 %. It is at 3 %.");
    EXPECT_FALSE(asked(between));
    EXPECT_EQ(between.wake_at, noon + 2s);
    const Decision due = one.steered(noon + 2s);
    ASSERT_TRUE(asked(due));
    EXPECT_EQ(asked(due)->goal.weight, 20);
    EXPECT_FALSE(due.needs_live) << "it was asked for this before";
}

TEST(WeightLever, AWaitForTheProgramIsToldWhenItHasLastedTenSeconds) {
    Weighed one = weighed_at(20);
    one.answers(weigh(20), "It is at 3 %.");
    one.look.waiting_for = Reason::PluginWorking;
    one.look.waiting_since = noon - 9s;
    const Decision early = one.steered();
    EXPECT_TRUE(early.keeps_report);
    EXPECT_EQ(early.wake_at, noon + 1s) << "to tell it then";
    EXPECT_FALSE(one.steered(noon + 1s).keeps_report);
}

TEST(WeightLever, AWaitThatWasToldIsToldAnewEveryFifteenSeconds) {
    Weighed one = weighed_at(20);
    one.answers(weigh(20), "It is at 3 %.");
    one.look.waiting_for = Reason::PluginWorking;
    one.look.waiting_since = noon - 1h;
    one.weight.told = "PluginWorking";
    one.weight.told_at = noon - 14s;
    const Decision early = one.steered();
    EXPECT_TRUE(early.keeps_report);
    EXPECT_EQ(early.wake_at, noon + 1s) << "to tell it then";
    EXPECT_FALSE(one.steered(noon + 1s).keeps_report);
}

}  // namespace
}  // namespace sluice::engine
