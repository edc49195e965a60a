#include "api/pilot/decide.hpp"

#include <fmt/format.h>

#include "api/hooks/gate.hpp"
#include "engine/steering.hpp"

namespace sluice::api::pilot {
namespace {

using Gates = std::vector<engine::Gate>;

constexpr engine::Command commands[] = {
    {engine::Reason::UnknownHook,
     "kubectl -n {0} label --overwrite statefulset {1} dd-statefulset-pilot=HOOK"},
};

}  // namespace

engine::Plan compile(const Subscription& subscription, PodCount replicas, Duration hook_retry) {
    engine::Plan plan;
    std::optional<PodIndex> prev;
    const auto approval = [&](std::optional<PodIndex> next) {
        engine::HookApproval gate{.hook = subscription.hook, .prev = prev, .next = next};
        gate.retry = hook_retry;
        return gate;
    };
    const bool early = subscription.when == hooks::When::Running;
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

engine::Decision decide(const engine::Snapshot& seen, Instant now) {
    const model::StatefulSet& set = seen.workload;
    auto subscription = read_subscription(set);
    engine::Course course;
    course.claim = own_claim(set);
    course.held_by = other_claim(set);
    course.commands = commands;
    if (!subscription)
        return engine::release(seen, course, fmt::format("The label {} is gone", label), now);
    if (seen.settings) subscription->when = hooks::when_of(seen, subscription->hook);
    course.compile = [&] {
        return compile(*subscription, set.replicas, seen.environment.hook_retry);
    };
    engine::Decision decision = engine::steer(seen, course, now);
    hooks::complete(decision, seen, "statefulset");
    return decision;
}

}  // namespace sluice::api::pilot
