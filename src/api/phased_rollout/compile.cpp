#include "api/phased_rollout/compile.hpp"

namespace sluice::api::phased_rollout {
engine::Plan compile(const Spec& spec, const Circumstances& now) {
    engine::Plan plan;
    const engine::PodsReady ready{.except = {}, .exposed_only = now.allow_unready};
    const Shared<engine::MetricQuery> query{metrics::query_of(spec.check.query)};
    for (PodCount target{1}; target <= now.replicas; ++target.value) {
        const PodIndex next{partition_for(target, now.replicas).value};
        const engine::MetricCheck check =
            metrics::gate_of(spec.check, query, now.definition, next, now.allow_unready);
        plan.steps.push_back({target, {ready, check}, {}});
    }
    if (!plan.steps.empty())
        plan.steps.back().after = {engine::PodsReady{}, engine::RevisionSettled{}};
    plan.on_failure = plan.at_deadline = spec.on_failure;
    if (spec.progress_deadline) plan.deadline = now.step_since + *spec.progress_deadline;
    return plan;
}

}  // namespace sluice::api::phased_rollout
