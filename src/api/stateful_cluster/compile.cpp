#include "api/stateful_cluster/compile.hpp"

#include <fmt/format.h>

namespace sluice::api::stateful_cluster {

engine::Plan compile(const Spec& spec, PodCount members, bool allow_unready) {
    engine::Plan plan;
    const PodCount reached{std::max(0, members.value - spec.partition.value)};
    for (PodCount target{0}; target < reached;) {
        target.value = std::min(target.value + spec.max_unavailable.value, reached.value);
        const engine::PodsReady before{.except = PodIndex{partition_for(target, members).value},
                                       .exposed_only = allow_unready,
                                       .counts_missing = !allow_unready};
        plan.steps.push_back(
            {target,
             {before},
             {engine::PodsReady{.exposed_only = allow_unready, .counts_missing = !allow_unready}}});
    }
    if (reached < members)
        plan.steps.push_back(
            {members,
             {engine::Refused{
                 engine::Reason::KeptBack,
                 fmt::format("spec.updateStrategy.rollingUpdate.partition keeps {} of {} members "
                             "on the revision before.",
                             std::min(spec.partition, members).value, members.value)}},
             {}});
    return plan;
}

}  // namespace sluice::api::stateful_cluster
