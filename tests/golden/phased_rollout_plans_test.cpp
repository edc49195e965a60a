// What a PhasedRollout means, pod by pod, as text.
#include "api/phased_rollout/compile.hpp"
#include "tests/golden/golden.hpp"
#include "tests/golden/plans.hpp"
#include "tests/unit/api/phased_rollout/samples.hpp"

namespace sluice::golden {
namespace {

namespace phased = api::phased_rollout;

std::string plan_for(const std::vector<phased::testing::Change>& changes, bool allow_unready) {
    const PodCount replicas{3};
    const auto spec = phased::testing::read(changes);
    if (!spec) return to_text(spec.error());
    const engine::Plan plan = phased::compile(*spec, {replicas, "", Instant{}, allow_unready});
    std::string text = told(plan, replicas);
    text += plan.on_failure == engine::OnFailure::Rollback ? "  a failure is rolled back\n"
                                                           : "  a failure is held\n";
    if (plan.deadline)
        text += fmt::format("  a step may take {}\n", to_text(*plan.deadline - Instant{}));
    return text + "\n";
}

TEST(Golden, ThePlansOfPhasedRolloutsReadAsTheyShould) {
    std::string text = "The example of the document\n" + plan_for({}, false);
    text +=
        "With everything that is optional\n" + plan_for({{"/onFailure", "\"Rollback\""},
                                                         {"/progressDeadlineSeconds", "3600"},
                                                         {"/check/failureThreshold", "2"},
                                                         {"/check/query/successOn", "\"Data\""}},
                                                        true);
    expect_golden("tests/golden/phased_rollout_plans.golden", text);
}

}  // namespace
}  // namespace sluice::golden
