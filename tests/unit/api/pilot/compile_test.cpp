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
    const engine::Plan plan = compile({"careful", true, hooks::When::Running}, PodCount{2}, 30s);
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

engine::Snapshot subscribed_to(const char* hook, const hooks::HookCatalogue& declared = {}) {
    engine::Snapshot seen;
    if (hook) seen.workload.labels = {{"dd-statefulset-pilot", hook}};
    seen.settings = std::make_shared<const hooks::HookCatalogue>(declared);
    prepare(seen);
    return seen;
}

TEST(PilotHook, ASetWhoseHookDoesNotExistHasAProblem) {
    EXPECT_EQ(subscribed_to(nullptr).hook_problem, std::nullopt) << "no hook, no problem";
    EXPECT_EQ(subscribed_to("noop").hook_problem, std::nullopt);
    const auto problem = subscribed_to("carefull").hook_problem;
    ASSERT_TRUE(problem.has_value());
    EXPECT_EQ(problem->kind, ErrorKind::NotFound);
    hooks::HookCatalogue declared;
    declared.external.emplace("carefull", failure(ErrorKind::Malformed, "the url is missing"));
    EXPECT_EQ(subscribed_to("carefull", declared).hook_problem->kind, ErrorKind::Malformed);
}

}  // namespace
}  // namespace sluice::api::pilot
