#include "api/pilot/compile.hpp"

namespace sluice::api::pilot {

using Gates = std::vector<engine::Gate>;

engine::Plan compile(const Subscription& subscription, PodCount replicas, Duration hook_retry) {
    engine::Plan plan;
    std::optional<PodIndex> prev;
    const auto approval = [&](std::optional<PodIndex> next) {
        engine::HookApproval gate{.hook = subscription.hook, .prev = prev, .next = next};
        gate.retry = hook_retry;
        return gate;
    };
    const bool early = subscription.when == When::Running;
    for (PodCount target{1}; target <= replicas; ++target.value) {
        const PodIndex next{partition_for(target, replicas).value};
        const engine::PodsReady ready{next, subscription.allow_unready};
        const engine::HookApproval hook = approval(next);
        plan.steps.push_back(
            {target,
             early ? Gates{engine::PodsRunning{next}, hook, ready} : Gates{ready, hook},
             {}});
        prev = next;
    }
    if (plan.steps.empty()) return plan;
    const engine::HookApproval last = approval(std::nullopt);
    plan.steps.back().after =
        early ? Gates{engine::PodsRunning{}, last, engine::PodsReady{}, engine::RevisionSettled{}}
              : Gates{engine::PodsReady{}, engine::RevisionSettled{}, last};
    return plan;
}

}  // namespace sluice::api::pilot
