#include "api/stateful_cluster/compile.hpp"

#include <gtest/gtest.h>

#include "tests/unit/api/stateful_cluster/cluster.hpp"

namespace sluice::api::stateful_cluster {
namespace {

using engine::Gate;
using engine::HookApproval;
using engine::MetricCheck;
using engine::PodsReady;
using engine::PodsRunning;

template <class What>
const What* find_in(const std::vector<Gate>& gates) {
    for (const Gate& gate : gates)
        if (const What* found = std::get_if<What>(&gate)) return found;
    return nullptr;
}

Spec guarded() {
    Spec spec = testing::Known{}.spec;
    spec.gates.hook = "careful";
    spec.gates.pause = gates::Rest{30s};
    spec.gates.check = metrics::Check{};
    return spec;
}

TEST(ClusterPlan, WithoutGatesMembersWaitForEachOtherAlone) {
    const engine::Plan plan = compile(testing::Known{}.spec, {PodCount{3}});
    ASSERT_EQ(plan.steps.size(), 3u);
    for (const engine::Step& step : plan.steps) {
        EXPECT_EQ(step.before.size(), 1u);
        EXPECT_EQ(step.after, std::vector<Gate>{PodsReady{}});
    }
    EXPECT_EQ(plan.steps.front().before, std::vector<Gate>{PodsReady{.except = PodIndex{2}}});
}

TEST(ClusterPlan, APauseIsBetweenTwoStepsAndNotBeforeTheFirst) {
    const engine::Plan plan = compile(guarded(), {PodCount{2}});
    EXPECT_EQ(find_in<engine::Pause>(plan.steps[0].before), nullptr);
    const engine::Pause* pause = find_in<engine::Pause>(plan.steps[1].before);
    ASSERT_NE(pause, nullptr);
    EXPECT_EQ(pause->place, 1);
    EXPECT_EQ(pause->length, 30s);
    EXPECT_EQ(pause->began, std::nullopt);
}

TEST(ClusterPlan, StepsOfAnotherSizeGoOnFromWhereTheUpdateStands) {
    Spec spec = guarded();
    spec.max_unavailable = PodCount{3};
    const engine::Plan plan = compile(spec, {.members = PodCount{5}, .exposed = PodCount{1}});
    ASSERT_EQ(plan.steps.size(), 3u);
    EXPECT_EQ(plan.steps[0].target, PodCount{1}) << "that is taken";
    EXPECT_EQ(plan.steps[1].target, PodCount{4});
    ASSERT_NE(find_in<engine::Pause>(plan.steps[1].before), nullptr);
    EXPECT_EQ(find_in<engine::Pause>(plan.steps[1].before)->place, 1);
    EXPECT_EQ(find_in<HookApproval>(plan.steps[1].before)->prev, PodIndex{4});
    EXPECT_EQ(find_in<HookApproval>(plan.steps[1].before)->next, PodIndex{3});
    EXPECT_EQ(find_in<MetricCheck>(plan.steps[1].before)->next, PodIndex{3});
}

TEST(ClusterPlan, APauseGoesOnFromWhenItBegan) {
    Circumstances now{PodCount{3}};
    now.gates.pause = gates::PauseStatus{1, testing::noon, ""};
    now.gates.goes_on = true;
    const engine::Plan plan = compile(guarded(), now);
    EXPECT_EQ(find_in<engine::Pause>(plan.steps[1].before)->began, testing::noon);
    EXPECT_TRUE(find_in<engine::Pause>(plan.steps[1].before)->is_over);
    EXPECT_EQ(find_in<engine::Pause>(plan.steps[2].before)->began, std::nullopt)
        << "another step has a pause of its own";
    EXPECT_FALSE(find_in<engine::Pause>(plan.steps[2].before)->is_over);
}

TEST(ClusterPlan, TheHookIsAskedLastBecauseItsWordIsGoodForAMinute) {
    const engine::Plan plan = compile(guarded(), {PodCount{2}});
    const HookApproval first{.hook = "careful", .prev = std::nullopt, .next = PodIndex{1}};
    const HookApproval second{.hook = "careful", .prev = PodIndex{1}, .next = PodIndex{0}};
    const HookApproval last{.hook = "careful", .prev = PodIndex{0}, .next = std::nullopt};
    EXPECT_EQ(plan.steps[0].before.back(), Gate{first});
    EXPECT_EQ(plan.steps[1].before.back(), Gate{second});
    EXPECT_EQ(find_in<HookApproval>(plan.steps[0].after), nullptr);
    EXPECT_EQ(plan.steps[1].after.back(), Gate{last});
    EXPECT_TRUE(find_in<MetricCheck>(plan.steps[0].before));
}

TEST(ClusterPlan, AHookThatWantsPodsThatRunIsAskedFirst) {
    Circumstances now{PodCount{1}};
    now.gates.when = hooks::When::Running;
    const engine::Plan plan = compile(guarded(), now);
    EXPECT_EQ(plan.steps[0].before.front(), Gate{PodsRunning{PodIndex{0}}});
    EXPECT_TRUE(std::holds_alternative<HookApproval>(plan.steps[0].before[1]));
    EXPECT_EQ(plan.steps[0].after.front(), Gate{PodsRunning{}});
}

TEST(ClusterPlan, OfSeveralAtATimeTheHookHearsOfTheFirst) {
    Spec spec = guarded();
    spec.max_unavailable = PodCount{2};
    const engine::Plan plan = compile(spec, {PodCount{3}});
    ASSERT_EQ(plan.steps.size(), 2u);
    EXPECT_EQ(find_in<HookApproval>(plan.steps[0].before)->next, PodIndex{2});
    EXPECT_EQ(find_in<HookApproval>(plan.steps[1].before)->prev, PodIndex{1});
    EXPECT_EQ(find_in<PodsReady>(plan.steps[0].before)->except, PodIndex{1});
}

TEST(ClusterPlan, WhoIsKeptBackIsAskedAboutByNobody) {
    Spec spec = guarded();
    spec.partition = PodCount{1};
    const engine::Plan plan = compile(spec, {PodCount{2}});
    ASSERT_EQ(plan.steps.size(), 2u);
    EXPECT_EQ(find_in<HookApproval>(plan.steps[0].after), nullptr) << "that is not the end";
    EXPECT_TRUE(find_in<engine::Refused>(plan.steps[1].before));
}

}  // namespace
}  // namespace sluice::api::stateful_cluster
