#include "api/pilot/decide.hpp"

#include <fmt/format.h>

#include "api/pilot/compile.hpp"
#include "api/pilot/spec.hpp"
#include "engine/steering.hpp"

namespace sluice::api::pilot {
namespace {

constexpr engine::Command commands[] = {
    {engine::Reason::UnknownHook,
     "kubectl -n {0} label --overwrite statefulset {1} dd-statefulset-pilot=HOOK"},
};

}  // namespace

engine::Decision decide(const engine::Snapshot& seen, Instant now) {
    const model::StatefulSet& set = seen.workload;
    auto subscription = read_subscription(set);
    engine::Course course;
    course.claim = own_claim(set);
    course.held_by = other_claim(set);
    course.commands = commands;
    if (!subscription)
        return engine::release(seen, course,
                               fmt::format("The label {} is gone", model::pilot_label), now);
    if (seen.settings)
        subscription->when =
            when_of(static_cast<const HookCatalogue&>(*seen.settings), subscription->hook);
    course.compile = [&] {
        return compile(*subscription, set.replicas, seen.environment.hook_retry);
    };
    return engine::steer(seen, course, now);
}

}  // namespace sluice::api::pilot
