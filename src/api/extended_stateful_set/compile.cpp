#include "api/extended_stateful_set/compile.hpp"

#include <algorithm>

namespace sluice::api::extended_stateful_set {

engine::Plan compile(const Spec& spec, const Circumstances& now) {
    engine::Plan plan;
    plan.on_failure = engine::OnFailure::Rollback;
    plan.deadline = now.deadline;
    plan.at_deadline = engine::OnFailure::Rollback;
    const gates::StepGates guards{spec.strategy.gates, now.gates};
    const PodCount canaries{std::min(spec.strategy.canaries, now.pods.value)};
    std::optional<PodIndex> prev;
    PodCount from{0};
    for (const PodCount target : {canaries, now.pods}) {
        if (target <= from) continue;
        const PodIndex next{partition_for(from, now.pods).value - 1};
        const PodIndex last{partition_for(target, now.pods).value};
        plan.steps.push_back({target, guards.before(from, prev, next, std::nullopt),
                              guards.after(last, target == now.pods)});
        if (from.value == 0 && spec.strategy.canary_time > Duration{0})
            plan.steps.back().after.emplace_back(engine::SettleTime{spec.strategy.canary_time});
        prev = last;
        from = target;
    }
    return plan;
}

}  // namespace sluice::api::extended_stateful_set
