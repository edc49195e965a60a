#include "api/extended_stateful_set/compile.hpp"

#include <algorithm>

namespace sluice::api::extended_stateful_set {

engine::Plan compile(const Spec& spec, const Circumstances& now) {
    engine::Plan plan;
    if (now.can_go_back) {
        plan.on_failure = engine::OnFailure::Rollback;
        plan.deadline = now.deadline;
    }
    plan.at_deadline = engine::OnFailure::Rollback;
    const gates::StepGates guards{spec.strategy.gates, now.gates};
    const PodCount canaries{std::min(spec.strategy.canaries, now.pods.value)};
    std::optional<PodIndex> prev;
    PodCount from{0};
    // From where the upgrade stands: whoever changes the number of canaries in the middle of it
    // leaves out neither a pause nor a question.
    for (const PodCount target : {std::min(now.exposed, now.pods), canaries, now.pods}) {
        if (target <= from) continue;
        const PodIndex last{partition_for(target, now.pods).value};
        plan.steps.push_back({target, guards.before(from, {prev, now.old_pod}),
                              guards.after(last, target == now.pods)});
        const bool is_of_canaries =
            from.value == 0 && (target < now.pods || canaries.value == 0 || canaries == now.pods);
        if (is_of_canaries && spec.strategy.canary_time > Duration{0})
            plan.steps.back().after.emplace_back(engine::SettleTime{spec.strategy.canary_time});
        prev = last;
        from = target;
    }
    return plan;
}

}  // namespace sluice::api::extended_stateful_set
