#include "engine/report.hpp"

#include <fmt/format.h>

#include "base/utf8.hpp"
#include "model/annotations.hpp"

namespace sluice::engine {
namespace {

namespace key = model::key;

// Bounds what strangers (hooks, names) can put on an object.
constexpr std::size_t message_max = 400;

std::string capped(const std::string& text) {
    const std::string_view shown = beginning(text, message_max);
    return shown.size() < text.size() ? std::string{shown} + "..." : text;
}

void annotate_or_clear(model::WorkloadPatch& patch, const std::string& name,
                       const std::string& value) {
    if (value.empty())
        patch.unannotate(name);
    else
        patch.annotate(name, value);
}

constexpr Command commands[] = {
    {Reason::PodsNotReady,
     "kubectl -n {0} get pods; a pod that broke on an old revision "
     "is replaced only after kubectl -n {0} delete pod POD; to go on although pods behind the gate "
     "are "
     "not ready: kubectl -n {0} annotate statefulset {1} sluice.dev/allow-unready=true"},
    {Reason::HookRefused,
     "it is asked again by itself; to stop asking: kubectl -n {0} "
     "annotate statefulset {1} sluice.dev/paused=true"},
    {Reason::OnDelete,
     "kubectl -n {0} patch statefulset {1} --type merge -p "
     "'{{\"spec\":{{\"updateStrategy\":{{\"type\":\"RollingUpdate\"}}}}}}'"},
    {Reason::PartitionRaised,
     "kubectl -n {0} annotate --overwrite statefulset {1} "
     "sluice.dev/retry=$(date +%s)"},
    {Reason::Paused, "kubectl -n {0} annotate statefulset {1} sluice.dev/paused-"},
    {Reason::ScaledToZero, "kubectl -n {0} scale statefulset {1} --replicas=N"},
};

}  // namespace

const char* guarantee_text(Guarantee guarantee) {
    return guarantee == Guarantee::Prevent ? "Prevent" : "Detect";
}

std::string unblock_text(Reason reason, const model::StatefulSet& set, std::span<const Command> own,
                         std::string_view name) {
    for (const std::span<const Command> table : {own, std::span<const Command>{commands}})
        for (const Command& command : table)
            if (command.reason == reason)
                return fmt::format(fmt::runtime(command.text), set.meta.key.ns, set.meta.key.name,
                                   name);
    return std::string{entry(reason).unblock};
}

Action to_action(const model::WorkloadPatch& patch) {
    Action action{.object = {ref_to(model::statefulsets, patch.key()), patch.uid()},
                  .body = patch.to_json_patch(),
                  .lets_pods_go = patch.lowers_partition()};
    if (patch.moves_partition()) action.partition = patch.partition_to();
    return action;
}

void write_report(model::WorkloadPatch& patch, const StatusReport& report, const Snapshot& seen,
                  Instant now) {
    const model::StatefulSet& set = seen.workload;
    const std::string phase = to_text(report.phase);
    const std::string reason{entry(report.reason).name};
    const bool moved = patch.moves_partition() || annotation(set, key::phase) != phase ||
                       annotation(set, key::reason) != reason;
    patch.annotate(key::phase, phase);
    patch.annotate(key::reason, reason);
    annotate_or_clear(patch, key::message, capped(report.message));
    annotate_or_clear(patch, key::unblock, report.unblock);
    if (moved) patch.annotate(key::since, to_rfc3339(now));
    patch.annotate(key::guarantee, guarantee_text(seen.environment.guarantee));
}

void erase_report(model::WorkloadPatch& patch) {
    for (const std::string& name :
         {key::claim, key::rollout, key::phase, key::reason, key::message, key::unblock, key::since,
          key::guarantee, key::fence, key::refused})
        patch.unannotate(name);
}

}  // namespace sluice::engine
