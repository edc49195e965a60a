#include "api/phased_rollout/compile.hpp"

namespace sluice::api::phased_rollout {
namespace {

engine::MetricQuery query_of(const Query& query) {
    return {.expr = query.expr,
            .url = query.url,
            .secret = query.secret,
            .ca_secret = query.ca_secret,
            .insecure_skip_verify = query.insecure_skip_verify};
}

engine::MetricCheck check_of(const Check& check, const Shared<engine::MetricQuery>& query,
                             const Circumstances& now, PodIndex next) {
    return {.query = query,
            .passes_on_data = check.query.success_on == SuccessOn::Data,
            .initial_delay = check.initial_delay,
            .period = check.period,
            .success_threshold = check.success_threshold,
            .max_tries = check.max_tries,
            .failure_threshold = check.failure_threshold,
            .definition = now.definition,
            .next = next,
            .exposed_only = now.allow_unready};
}

}  // namespace

engine::Plan compile(const Spec& spec, const Circumstances& now) {
    engine::Plan plan;
    const engine::PodsReady ready{.except = {}, .exposed_only = now.allow_unready};
    const Shared<engine::MetricQuery> query{query_of(spec.check.query)};
    for (PodCount target{1}; target <= now.replicas; ++target.value) {
        const PodIndex next{partition_for(target, now.replicas).value};
        plan.steps.push_back({target, {ready, check_of(spec.check, query, now, next)}, {}});
    }
    if (!plan.steps.empty())
        plan.steps.back().after = {engine::PodsReady{}, engine::RevisionSettled{}};
    plan.on_failure = plan.at_deadline = spec.on_failure;
    if (spec.progress_deadline) plan.deadline = now.step_since + *spec.progress_deadline;
    return plan;
}

}  // namespace sluice::api::phased_rollout
