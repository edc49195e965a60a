#include "engine/advance.hpp"

#include <gtest/gtest.h>

#include "tests/unit/engine/metric_gate.hpp"
#include "tests/unit/engine/seen.hpp"

namespace sluice::engine {
namespace {

using namespace testing;

// Steps to 1, 2 and 3 pods; a gate that holds wherever it stands.
const HookApproval shut{.hook = "careful", .prev = {}, .next = PodIndex{0}};

Plan steps(std::vector<PodCount> targets) {
    Plan plan;
    for (const PodCount target : targets)
        plan.steps.push_back({target, {}, {}});
    return plan;
}

PodCount target_of(const Advance& next) {
    const auto* step = std::get_if<TakeStep>(&next);
    return step ? step->target : PodCount{-1};
}

TEST(Advance, TakesTheFirstStepThatIsNotYetBehindUs) {
    const Plan plan = steps({PodCount{1}, PodCount{2}, PodCount{3}});
    EXPECT_EQ(target_of(advance(plan, PodCount{0}, pending(3), noon)), PodCount{1});
    EXPECT_EQ(target_of(advance(plan, PodCount{2}, pending(3), noon)), PodCount{3});
}

TEST(Advance, StandingBetweenTwoStepsTheNextHigherOneIsDue) {
    const Plan plan = steps({PodCount{1}, PodCount{4}, PodCount{8}});
    EXPECT_EQ(target_of(advance(plan, PodCount{2}, pending(8), noon)), PodCount{4});
    EXPECT_EQ(target_of(advance(plan, PodCount{5}, pending(8), noon)), PodCount{8});
}

TEST(Advance, IsFinishedWhenEveryStepIsTaken) {
    const Plan plan = steps({PodCount{1}, PodCount{2}});
    EXPECT_TRUE(std::holds_alternative<Finished>(advance(plan, PodCount{2}, pending(2), noon)));
    EXPECT_TRUE(std::holds_alternative<Finished>(advance(plan, PodCount{9}, pending(2), noon)));
}

TEST(Advance, APlanWithoutStepsIsFinished) {
    EXPECT_TRUE(std::holds_alternative<Finished>(advance({}, PodCount{0}, pending(0), noon)));
}

TEST(Advance, HoldsAtTheGateBeforeTheNextStep) {
    Plan plan = steps({PodCount{1}, PodCount{2}});
    plan.steps[1].before = {shut};
    EXPECT_EQ(target_of(advance(plan, PodCount{0}, pending(2), noon)), PodCount{1});
    const Advance next = advance(plan, PodCount{1}, pending(2), noon);
    ASSERT_TRUE(std::holds_alternative<Hold>(next));
    EXPECT_EQ(std::get<Hold>(next).reason, Reason::AskingHook);
    EXPECT_TRUE(std::get<Hold>(next).probe.has_value());
}

TEST(Advance, HoldsAtTheGateBehindTheLastTakenStepBeforeAnyOther) {
    Plan plan = steps({PodCount{1}, PodCount{2}});
    plan.steps[0].after = {PodsReady{}};
    plan.steps[1].before = {shut};
    Snapshot look = rolling(2, 1);
    look.pods[1].ready = false;
    const Advance next = advance(plan, PodCount{1}, look, noon);
    ASSERT_TRUE(std::holds_alternative<Hold>(next));
    EXPECT_EQ(std::get<Hold>(next).reason, Reason::PodsNotReady);
}

TEST(Advance, TheGateBehindTheLastStepKeepsThePlanFromBeingFinished) {
    Plan plan = steps({PodCount{1}, PodCount{2}});
    plan.steps[0].after = {shut};
    plan.steps[1].after = {RevisionSettled{}};
    const Advance next = advance(plan, PodCount{2}, rolling(2, 0), noon);
    ASSERT_TRUE(std::holds_alternative<Hold>(next));
    EXPECT_EQ(std::get<Hold>(next).reason, Reason::SettlingRevision)
        << "gates of steps long taken are not asked again";
}

TEST(Advance, OfSeveralGatesTheFirstThatHoldsSpeaks) {
    Plan plan = steps({PodCount{1}});
    plan.steps[0].before = {PodsReady{}, shut};
    Snapshot look = pending(2);
    EXPECT_EQ(std::get<Hold>(advance(plan, PodCount{0}, look, noon)).reason, Reason::AskingHook);
    look.pods[0].ready = false;
    EXPECT_EQ(std::get<Hold>(advance(plan, PodCount{0}, look, noon)).reason, Reason::PodsNotReady);
}

TEST(Advance, PassesAreRememberedWhileAnotherGateHolds) {
    Plan plan = steps({PodCount{1}});
    plan.steps[0].before = {check, shut};
    Snapshot look = pending(2);
    look.progress = std::get<Hold>(advance(plan, PodCount{0}, look, noon)).progress;
    ASSERT_TRUE(look.progress.has_value());
    look.progress->tries = look.progress->successes = check.success_threshold;
    look.progress->last = noon;
    const Hold asking = std::get<Hold>(advance(plan, PodCount{0}, look, noon));
    EXPECT_EQ(asking.reason, Reason::AskingHook);
    EXPECT_EQ(asking.progress, look.progress);
}

TEST(Advance, APassThatCountsNothingDoesNotForgetWhatWasCounted) {
    Plan plan = steps({PodCount{1}});
    plan.steps[0].before = {check, PodsReady{}, shut};
    Snapshot look = pending(2);
    look.progress = std::get<Hold>(advance(plan, PodCount{0}, look, noon)).progress;
    look.progress->tries = look.progress->successes = check.success_threshold;
    look.progress->last = noon;
    EXPECT_EQ(std::get<Hold>(advance(plan, PodCount{0}, look, noon)).progress, look.progress);
}

TEST(Advance, AnApprovalIsAskedForAnewWhenItIsTooOldAndOthersStillHold) {
    Plan plan = steps({PodCount{1}});
    plan.steps[0].before = {shut, Refused{Reason::HookRefused, "not yet"}};
    Snapshot look = pending(2);
    const Probe probe = std::get<Hold>(advance(plan, PodCount{0}, look, noon)).probe.value();
    look.evidence = {{probe.key, answer_of(HookAnswer{.allowed = true}), noon}};
    const Instant old = noon + shut.evidence_age_max;
    const auto held = [&](Instant now) {
        return std::get<Hold>(advance(plan, PodCount{0}, look, now));
    };
    EXPECT_EQ(held(noon + 5s).until, old + 1s);
    EXPECT_EQ(held(old).reason, Reason::HookRefused);
    EXPECT_EQ(held(old + 1s).reason, Reason::AskingHook);
    plan.steps[0].before = {shut, Pause{.began = noon, .length = 20s}};
    EXPECT_EQ(held(noon + 5s).until, noon + 20s) << "the pause is over before";
    plan.steps[0].before = {shut, Pause{.began = noon, .length = 1h}};
    EXPECT_EQ(held(noon + 5s).until, old + 1s);
}

}  // namespace
}  // namespace sluice::engine
