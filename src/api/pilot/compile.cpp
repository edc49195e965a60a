#include "api/pilot/compile.hpp"

namespace sluice::api::pilot {

engine::Plan compile(const Subscription& subscription, PodCount replicas, Duration hook_retry) {
    engine::Plan plan;
    std::optional<PodIndex> prev;
    const auto approval = [&](std::optional<PodIndex> next) {
        engine::HookApproval gate{.hook = subscription.hook, .prev = prev, .next = next};
        gate.retry = hook_retry;
        return gate;
    };
    for (PodCount target{1}; target <= replicas; ++target.value) {
        const PodIndex next{partition_for(target, replicas).value};
        plan.steps.push_back(
            {target, {engine::PodsReady{next, subscription.allow_unready}, approval(next)}, {}});
        prev = next;
    }
    if (!plan.steps.empty())
        plan.steps.back().after = {engine::PodsReady{}, engine::RevisionSettled{},
                                   approval(std::nullopt)};
    return plan;
}

}  // namespace sluice::api::pilot
