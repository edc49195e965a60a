// What a RolloutPlugin means, weight by weight, as text.
#include "api/rollout_plugin/compile.hpp"
#include "tests/golden/golden.hpp"
#include "tests/golden/plans.hpp"

namespace sluice::golden {
namespace {

namespace plugin = api::rollout_plugin;
using plugin::Pause;
using plugin::SetWeight;

std::string plan_for(PodCount replicas, const plugin::Spec& spec, int step) {
    plugin::Circumstances now{.replicas = replicas};
    now.step = step;
    const engine::Plan plan = plugin::compile(spec, now);
    std::string text = told(plan, replicas);
    text += fmt::format("  no more than {} are exposed now\n", plan.exposed_max->value);
    text +=
        fmt::format("  a step may take {}, then it is {}\n", to_text(*plan.deadline - Instant{}),
                    plan.at_deadline == engine::OnFailure::Rollback ? "taken back" : "held");
    return text + "\n";
}

TEST(Golden, ThePlansOfRolloutPluginsReadAsTheyShould) {
    plugin::Spec walk;
    for (const int weight : {20, 40, 60, 80}) {
        walk.steps.emplace_back(SetWeight{weight});
        walk.steps.emplace_back(Pause{Duration{5min}});
    }
    walk.steps.emplace_back(SetWeight{100});
    std::string text = "The walk of the document\n" + plan_for({5}, walk, 0);
    text += "The same at the second pause\n" + plan_for({5}, walk, 3);
    plugin::Spec manual;
    manual.steps = {SetWeight{1}, Pause{}};
    manual.abort_at_deadline = true;
    text += "One pod, then a person\n" + plan_for({3}, manual, 0);
    expect_golden("tests/golden/rollout_plugin_plans.golden", text);
}

}  // namespace
}  // namespace sluice::golden
