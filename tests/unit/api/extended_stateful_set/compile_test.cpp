#include "api/extended_stateful_set/compile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/api/extended_stateful_set/extended.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

using engine::OnFailure;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<int> targets(const engine::Plan& plan) {
    std::vector<int> all;
    for (const engine::Step& step : plan.steps)
        all.push_back(step.target.value);
    return all;
}

Spec with_canaries(int canaries) {
    Spec spec = *read_spec(testing::Known{}.object);
    spec.strategy.canaries = canaries;
    return spec;
}

TEST(UpgradePlan, CanariesComeFirstAndThenAll) {
    EXPECT_EQ(targets(compile(with_canaries(1), {.pods = {3}})), (std::vector{1, 3}));
    EXPECT_EQ(targets(compile(with_canaries(0), {.pods = {3}})), (std::vector{3}));
    EXPECT_EQ(targets(compile(with_canaries(9), {.pods = {3}})), (std::vector{3}));
    EXPECT_EQ(targets(compile(with_canaries(1), {.pods = {0}})), std::vector<int>{});
}

TEST(UpgradePlan, OneZoneFollowsOnTheOther) {
    EXPECT_EQ(targets(compile(with_canaries(1), {.pods = {3}, .zones = 3})),
              (std::vector{1, 3, 6, 9}));
    EXPECT_EQ(targets(compile(with_canaries(5), {.pods = {3}, .zones = 2})), (std::vector{3, 6}))
        << "canaries are in the first one";
    EXPECT_EQ(targets(compile(with_canaries(1), {.pods = {3}, .zones = 3, .exposed = {4}})),
              (std::vector{4, 6, 9}));
}

TEST(UpgradePlan, WhereOrdinalsAreHandedOverEachIsAStep) {
    EXPECT_EQ(targets(compile(with_canaries(2), {.pods = {3}, .hands_over = true})),
              (std::vector{1, 2, 3}));
    EXPECT_EQ(targets(compile(with_canaries(1),
                              {.pods = {2}, .zones = 2, .exposed = {3}, .hands_over = true})),
              (std::vector{1, 2, 3, 4}));
}

TEST(UpgradePlan, GoesOnFromWhereTheUpgradeStands) {
    EXPECT_EQ(targets(compile(with_canaries(2), {.pods = {3}, .exposed = {1}})),
              (std::vector{1, 2, 3}));
    EXPECT_EQ(targets(compile(with_canaries(1), {.pods = {3}, .exposed = {2}})),
              (std::vector{2, 3}));
    EXPECT_EQ(targets(compile(with_canaries(1), {.pods = {2}, .exposed = {3}})), (std::vector{2}));
}

TEST(UpgradePlan, FailsOnlyWhereItCanGoBack) {
    const engine::Plan plan = compile(with_canaries(1), {.pods = {3}, .deadline = testing::noon});
    EXPECT_EQ(plan.deadline, testing::noon);
    EXPECT_EQ(plan.on_failure, OnFailure::Rollback);
    EXPECT_EQ(plan.at_deadline, OnFailure::Rollback);
    const engine::Plan stuck =
        compile(with_canaries(1), {.pods = {3}, .deadline = testing::noon, .can_go_back = false});
    EXPECT_EQ(stuck.deadline, std::nullopt);
    EXPECT_EQ(stuck.on_failure, OnFailure::Hold);
}

TEST(UpgradePlan, CanariesGetTimeToShowWhatIsWrong) {
    Spec spec = with_canaries(1);
    spec.strategy.canary_time = 30s;
    const engine::Plan plan = compile(spec, {.pods = {3}});
    EXPECT_EQ(plan.steps[0].after.back(), engine::Gate{engine::SettleTime{30s}});
    EXPECT_NE(plan.steps[1].after.back(), engine::Gate{engine::SettleTime{30s}});
}

TEST(UpgradePlan, NoZoneWaitsForTheTimeOfCanariesOnceMore) {
    Spec spec = with_canaries(1);
    spec.strategy.canary_time = 30s;
    for (const int exposed : {0, 3, 4}) {
        const engine::Plan plan = compile(spec, {.pods = {3}, .zones = 2, .exposed = {exposed}});
        for (const engine::Step& step : plan.steps)
            EXPECT_EQ(step.after.back() == engine::Gate{engine::SettleTime{30s}},
                      step.target.value == 1)
                << exposed << " " << step.target.value;
    }
}

// The targets behind which canaries get their time.
std::vector<int> rested(Spec spec, const Circumstances& now, Duration time = 30s) {
    spec.strategy.canary_time = time;
    std::vector<int> all;
    for (const engine::Step& step : compile(spec, now).steps)
        if (std::ranges::any_of(step.after, [](const engine::Gate& gate) {
                return std::holds_alternative<engine::SettleTime>(gate);
            }))
            all.push_back(step.target.value);
    return all;
}

TEST(UpgradePlan, WhatIsMadeFirstGetsTheTimeOfCanaries) {
    EXPECT_THAT(rested(with_canaries(2), {.pods = {3}}), ElementsAre(2));
    EXPECT_THAT(rested(with_canaries(0), {.pods = {3}}), ElementsAre(3));
    EXPECT_THAT(rested(with_canaries(9), {.pods = {3}}), ElementsAre(3));
    EXPECT_THAT(rested(with_canaries(0), {.pods = {3}, .zones = 2}), ElementsAre(3));
    EXPECT_THAT(rested(with_canaries(1), {.pods = {3}, .exposed = {2}}), ElementsAre(2));
}

TEST(UpgradePlan, MoreCanariesInTheMiddleOfAnUpgradeGetTheirTimeTogether) {
    EXPECT_THAT(rested(with_canaries(2), {.pods = {3}, .exposed = {1}}), ElementsAre(2));
    EXPECT_THAT(rested(with_canaries(0), {.pods = {3}, .exposed = {1}}), ElementsAre(3));
}

TEST(UpgradePlan, WhereOrdinalsAreHandedOverTheTimeCountsOnceAllCanariesHaveTheirs) {
    EXPECT_THAT(rested(with_canaries(2), {.pods = {3}, .hands_over = true}), ElementsAre(2));
    EXPECT_THAT(rested(with_canaries(0), {.pods = {3}, .hands_over = true}), ElementsAre(1));
}

TEST(UpgradePlan, CanariesRestHoweverShortTheirTimeIs) {
    EXPECT_THAT(rested(with_canaries(1), {.pods = {3}}, 1ms), ElementsAre(1));
    EXPECT_THAT(rested(with_canaries(1), {.pods = {3}}, 0s), IsEmpty());
}

// The targets behind which the analysis is a gate.
std::vector<int> analysed(const Spec& spec, Circumstances now) {
    now.analysis = engine::Analysis{.place = -1};
    std::vector<int> all;
    for (const engine::Step& step : compile(spec, now).steps)
        if (std::ranges::find(step.after, engine::Gate{*now.analysis}) != step.after.end())
            all.push_back(step.target.value);
    return all;
}

TEST(UpgradePlan, CanariesAreAnalysedBehindTheirTime) {
    Spec spec = with_canaries(1);
    spec.strategy.canary_time = 30s;
    const engine::Analysis gate{.place = -1};
    const engine::Plan plan = compile(spec, {.pods = {3}, .analysis = gate});
    EXPECT_EQ(plan.steps[0].after.back(), engine::Gate{gate});
    EXPECT_EQ(plan.steps[0].after.end()[-2], engine::Gate{engine::SettleTime{30s}});
}

TEST(UpgradePlan, NobodyGoesPastAnAnalysis) {
    EXPECT_EQ(analysed(with_canaries(1), {.pods = {3}}), (std::vector{1, 3}));
    EXPECT_EQ(analysed(with_canaries(0), {.pods = {3}}), (std::vector{3}));
    EXPECT_EQ(analysed(with_canaries(9), {.pods = {3}}), (std::vector{3}));
    EXPECT_EQ(analysed(with_canaries(2), {.pods = {3}, .exposed = {1}}), (std::vector{2, 3}));
    EXPECT_EQ(analysed(with_canaries(1), {.pods = {3}, .exposed = {2}}), (std::vector{2, 3}));
    EXPECT_EQ(analysed(with_canaries(5), {.pods = {3}, .zones = 2}), (std::vector{3, 6}));
    EXPECT_EQ(analysed(with_canaries(2), {.pods = {3}, .hands_over = true}), (std::vector{2, 3}));
}

TEST(UpgradePlan, TheJobAfterAnUpgradeComesBehindTheAnalysis) {
    const engine::JobSuccess job{.job = "x"};
    const engine::Plan plan =
        compile(with_canaries(0), {.pods = {3}, .analysis = engine::Analysis{}, .job_after = job});
    EXPECT_EQ(plan.steps[0].after.back(), engine::Gate{job});
}

TEST(UpgradePlan, JobsGuardNoUpgradeOfNoPods) {
    const engine::JobSuccess job{.job = "x"};
    EXPECT_THAT(compile(with_canaries(1), {.pods = {0}, .job_before = job, .job_after = job}).steps,
                IsEmpty());
}

TEST(UpgradePlan, TheHookHearsOfAPodThatIsThere) {
    Spec spec = with_canaries(1);
    spec.strategy.gates.hook = "careful";
    const engine::Plan plan = compile(spec, {.pods = {3}, .old_pod = PodIndex{1}});
    const engine::HookApproval first{.hook = "careful", .prev = std::nullopt, .next = PodIndex{1}};
    const engine::HookApproval rest{.hook = "careful", .prev = PodIndex{2}, .next = PodIndex{1}};
    const engine::HookApproval last{.hook = "careful", .prev = PodIndex{0}, .next = std::nullopt};
    EXPECT_EQ(plan.steps[0].before.back(), engine::Gate{first});
    EXPECT_EQ(plan.steps[1].before.back(), engine::Gate{rest});
    EXPECT_EQ(plan.steps[1].after.back(), engine::Gate{last});
}

// The places of the pauses before each step; -1: there is none.
std::vector<int> pauses(const engine::Plan& plan) {
    std::vector<int> places;
    for (const engine::Step& step : plan.steps) {
        places.push_back(-1);
        for (const engine::Gate& gate : step.before)
            if (const auto* pause = std::get_if<engine::Pause>(&gate)) places.back() = pause->place;
    }
    return places;
}

TEST(RestartPlan, PausesBetweenTwoPodsAndNotBeforeTheFirst) {
    Spec spec = with_canaries(1);
    spec.strategy.gates.pause.emplace();
    EXPECT_THAT(pauses(compile_restart(spec, {}, {3}, {})), ElementsAre(-1, 1, 2));
}

TEST(RestartPlan, TheHookHearsOfThePodBeforeAndOfTheNext) {
    Spec spec = with_canaries(1);
    spec.strategy.gates.hook = "careful";
    const engine::Plan plan = compile_restart(spec, {}, {2}, {});
    const engine::HookApproval first{.hook = "careful", .prev = std::nullopt, .next = PodIndex{1}};
    const engine::HookApproval second{.hook = "careful", .prev = PodIndex{1}, .next = PodIndex{0}};
    const engine::HookApproval end{.hook = "careful", .prev = PodIndex{0}, .next = std::nullopt};
    EXPECT_THAT(plan.steps.at(0).before, Contains(engine::Gate{first}));
    EXPECT_THAT(plan.steps.at(1).before, Contains(engine::Gate{second}));
    EXPECT_THAT(plan.steps.at(1).after, Contains(engine::Gate{end}));
}

TEST(RestartPlan, IsOverOnceKubernetesAgreesThatAllPodsAreOfOneRevision) {
    const engine::Plan plan = compile_restart(with_canaries(1), {}, {2}, {});
    EXPECT_THAT(plan.steps.at(0).after, Not(Contains(engine::Gate{engine::RevisionSettled{}})));
    EXPECT_EQ(plan.steps.at(1).after.back(), engine::Gate{engine::RevisionSettled{}});
}

TEST(RestartPlan, OfNoPodsHasNoStep) {
    EXPECT_THAT(compile_restart(with_canaries(1), {}, {0}, {}).steps, IsEmpty());
}

}  // namespace
}  // namespace sluice::api::extended_stateful_set
