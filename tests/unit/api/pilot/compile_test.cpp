#include "api/pilot/decide.hpp"

#include <gtest/gtest.h>

#include "api/registry.hpp"

namespace sluice::api::pilot {
namespace {

using engine::HookApproval;
using engine::PodsReady;

TEST(PilotPlan, LetsOnePodGoPerStepFromTheHighestIndexDown) {
    const engine::Plan plan = compile({"careful", false}, PodCount{3}, 45s);
    ASSERT_EQ(plan.steps.size(), 3u);
    std::optional<PodIndex> prev;
    for (int step = 0; step < 3; ++step) {
        const engine::Step& one = plan.steps[static_cast<std::size_t>(step)];
        const PodIndex next{2 - step};
        EXPECT_EQ(one.target, PodCount{step + 1});
        const std::vector<engine::Gate> before{
            PodsReady{next, false},
            HookApproval{.hook = "careful", .prev = prev, .next = next, .retry = 45s}};
        EXPECT_EQ(one.before, before);
        prev = next;
    }
}

TEST(PilotPlan, AsksTheHookOnceMoreWhenAllPodsAreBackAndKubernetesHasSettled) {
    const engine::Plan plan = compile({"careful", false}, PodCount{2}, 30s);
    EXPECT_TRUE(plan.steps.front().after.empty());
    const std::vector<engine::Gate> last{
        PodsReady{}, engine::RevisionSettled{},
        HookApproval{.hook = "careful", .prev = PodIndex{0}, .next = std::nullopt}};
    EXPECT_EQ(plan.steps.back().after, last);
}

TEST(PilotPlan, AHookThatWantsPodsThatRunIsAskedBeforeTheyAreReady) {
    const engine::Plan plan = compile({"careful", true, When::Running}, PodCount{2}, 30s);
    const std::vector<engine::Gate> second{
        engine::PodsRunning{PodIndex{0}},
        HookApproval{.hook = "careful", .prev = PodIndex{1}, .next = PodIndex{0}},
        PodsReady{PodIndex{0}, true}};
    EXPECT_EQ(plan.steps.back().before, second);
    const std::vector<engine::Gate> last{
        engine::PodsRunning{},
        HookApproval{.hook = "careful", .prev = PodIndex{0}, .next = std::nullopt}, PodsReady{},
        engine::RevisionSettled{}};
    EXPECT_EQ(plan.steps.back().after, last);
}

TEST(PilotPlan, ForNoPodsHasNoSteps) {
    EXPECT_TRUE(compile({"careful", false}, PodCount{0}, 30s).steps.empty());
}

TEST(Registry, FindsThePilotAndNothingThatIsNotThere) {
    ASSERT_TRUE(find_api("pilot"));
    EXPECT_EQ(find_api("pilot")->name, "pilot");
    EXPECT_EQ(find_api("Pilot"), nullptr);
    EXPECT_EQ(find_api(""), nullptr);
    EXPECT_EQ(apis().back().name, "pilot");
}

TEST(PilotHook, ASetWhoseHookDoesNotExistHasAProblem) {
    model::StatefulSet set;
    EXPECT_EQ(hook_problem(set, {}), std::nullopt) << "no label, no hook, no problem";
    set.labels = {{"dd-statefulset-pilot", "noop"}};
    EXPECT_EQ(hook_problem(set, {}), std::nullopt);
    set.labels = {{"dd-statefulset-pilot", "carefull"}};
    const auto problem = hook_problem(set, {});
    ASSERT_TRUE(problem.has_value());
    EXPECT_EQ(problem->kind, ErrorKind::NotFound);
    HookCatalogue hooks;
    hooks.external.emplace("carefull", failure(ErrorKind::Malformed, "the url is missing"));
    EXPECT_EQ(hook_problem(set, hooks)->kind, ErrorKind::Malformed);
}

}  // namespace
}  // namespace sluice::api::pilot
