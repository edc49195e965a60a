#include "api/extended_stateful_set/compile.hpp"

#include <gtest/gtest.h>

#include "tests/unit/api/extended_stateful_set/extended.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

using engine::OnFailure;

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

TEST(UpgradePlan, TheHookHearsOfAPodThatIsThere) {
    Spec spec = with_canaries(1);
    spec.strategy.gates.hook = "careful";
    const engine::Plan plan = compile(spec, {.pods = {3}, .old_pod = PodIndex{1}});
    const engine::HookApproval first{.hook = "careful", .prev = std::nullopt, .next = PodIndex{1}};
    const engine::HookApproval last{.hook = "careful", .prev = PodIndex{0}, .next = std::nullopt};
    EXPECT_EQ(plan.steps[0].before.back(), engine::Gate{first});
    EXPECT_EQ(plan.steps[1].after.back(), engine::Gate{last});
}

}  // namespace
}  // namespace sluice::api::extended_stateful_set
