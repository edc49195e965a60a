#include "api/pilot/decide.hpp"

#include <fmt/format.h>

#include "engine/steering.hpp"

namespace sluice::api::pilot {
namespace {

using Gates = std::vector<engine::Gate>;

constexpr engine::Command commands[] = {
    {engine::Reason::UnknownHook,
     "kubectl -n {0} label --overwrite statefulset {1} dd-statefulset-pilot=HOOK"},
};

std::optional<HookPod> pod_of(const std::optional<engine::PodRef>& pod) {
    if (!pod) return std::nullopt;
    return HookPod{pod->name, pod->uid, {}, {}};
}

// The question of the gate, with all that it takes to ask it.
std::shared_ptr<const engine::Question> call_of(const engine::HookQuestion& asked,
                                                const engine::Snapshot& seen) {
    Transition transition{.hook = asked.hook,
                          .ns = seen.subject.ns,
                          .statefulset = seen.subject.name,
                          .annotations = seen.workload.annotations,
                          .prev = pod_of(asked.prev),
                          .next = pod_of(asked.next),
                          .idempotency_key = asked.idempotency_key};
    return engine::question_of(HookCall{
        std::move(transition), std::static_pointer_cast<const HookCatalogue>(seen.settings)});
}

}  // namespace

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

engine::Decision decide(const engine::Snapshot& seen, Instant now) {
    const model::StatefulSet& set = seen.workload;
    auto subscription = read_subscription(set);
    engine::Course course;
    course.claim = own_claim(set);
    course.held_by = other_claim(set);
    course.commands = commands;
    if (!subscription)
        return engine::release(seen, course, fmt::format("The label {} is gone", label), now);
    if (seen.settings)
        subscription->when =
            when_of(static_cast<const HookCatalogue&>(*seen.settings), subscription->hook);
    course.compile = [&] {
        return compile(*subscription, set.replicas, seen.environment.hook_retry);
    };
    engine::Decision decision = engine::steer(seen, course, now);
    if (!decision.probe) return decision;
    engine::Probe& probe = *decision.probe;
    if (const auto* asked = engine::opened<engine::HookQuestion>(*probe.question))
        probe.question = call_of(*asked, seen);
    return decision;
}

}  // namespace sluice::api::pilot
