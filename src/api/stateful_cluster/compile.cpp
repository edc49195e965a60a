#include "api/stateful_cluster/compile.hpp"

#include <fmt/format.h>

namespace sluice::api::stateful_cluster {
namespace {

engine::Step kept_back(const Spec& spec, PodCount members) {
    return {members,
            {engine::Refused{
                engine::Reason::KeptBack,
                fmt::format("spec.updateStrategy.rollingUpdate.partition keeps {} of {} members "
                            "on the revision before.",
                            std::min(spec.partition, members).value, members.value)}},
            {}};
}

}  // namespace

// Steps are counted from where the update stands: whoever changes their size, or the number of
// members, in the middle of it leaves out neither a pause nor a question about the next member.
engine::Plan compile(const Spec& spec, const Circumstances& now) {
    engine::Plan plan;
    const gates::StepGates guards{spec.gates, now.gates};
    const PodCount reached{std::max(0, now.members.value - spec.partition.value)};
    std::optional<PodIndex> prev;
    for (PodCount from{0}; from < reached;) {
        const PodCount most =
            from < now.exposed ? now.exposed : PodCount{from.value + spec.max_unavailable.value};
        const PodCount target = std::min(most, reached);
        const PodIndex next{partition_for(from, now.members).value - 1};
        const PodIndex last{partition_for(target, now.members).value};
        plan.steps.push_back({target, guards.before(from, {prev, next, last}),
                              guards.after(last, target == now.members)});
        prev = last;
        from = target;
    }
    if (reached < now.members) plan.steps.push_back(kept_back(spec, now.members));
    return plan;
}

}  // namespace sluice::api::stateful_cluster
