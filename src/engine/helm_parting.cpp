// Hands off: what is left behind must not surprise anybody later.
#include <fmt/format.h>

#include <charconv>

#include "engine/helm.hpp"
#include "model/annotations.hpp"

namespace sluice::engine {
namespace {

namespace key = model::key;
using model::StatefulSet;
using model::WorkloadPatch;

constexpr std::string_view absent = "absent";

std::string text_of(const std::optional<Partition>& found) {
    return found ? fmt::format("{}", found->value) : std::string{absent};
}

void restore(WorkloadPatch& patch, const std::optional<Partition>& found) {
    if (found)
        patch.move_partition(*found);
    else
        patch.remove_partition();
}

std::string opening_command(const StatefulSet& set, const std::optional<Partition>& found) {
    return fmt::format(
        "kubectl -n {} patch statefulset {} --type merge -p "
        "'{{\"spec\":{{\"updateStrategy\":{{\"rollingUpdate\":{{\"partition\":{}}}}}}}}}'",
        set.meta.key.ns, set.meta.key.name, found.value_or(Partition{0}).value);
}

}  // namespace

std::optional<Partition> found_partition(const StatefulSet& set) {
    const std::string& before = annotation(set, key::partition_before);
    if (before == absent) return std::nullopt;
    Partition left{-1};
    std::from_chars(before.data(), before.data() + before.size(), left.value);
    if (left.value >= 0 && left < closed_partition) return left;
    if (set.partition && *set.partition >= closed_partition) return Partition{0};
    return set.partition;
}

// What people read. In mid-rollout it says how the pods go on, for nobody else will.
std::string Helm::farewell(const std::optional<Memory>& memory, Fate fate) const {
    if (fate == Fate::Opened) return "Kubernetes updates its pods by itself.";
    const auto found = memory ? memory->found : std::nullopt;
    if (fate == Fate::Restored)
        return fmt::format("its partition is {} again, as it was before.", text_of(found));
    std::string stays = fmt::format("its partition stays at {}.", effective_partition(set()).value);
    if (set().strategy != model::UpdateStrategy::RollingUpdate) return stays;
    return fmt::format("{} To let Kubernetes update the pods by itself: {}", stays,
                       opening_command(set(), found));
}

Helm::Fate Helm::fate_of_gate(const std::optional<Memory>& memory, Parting parting) const {
    if (set().strategy != model::UpdateStrategy::RollingUpdate) return Fate::Kept;
    if (parting == Parting::Open) return Fate::Opened;
    const bool is_settled = memory && !memory->open && !memory->failed && !is_pending(seen_);
    return is_settled && !set().meta.deleting ? Fate::Restored : Fate::Kept;
}

Decision Helm::part(const std::string& why, Parting parting) const {
    const auto memory = recall(set());
    const Fate fate = fate_of_gate(memory, parting);
    WorkloadPatch patch{set()};
    erase_report(patch);
    for (const auto& [name, value] : course_.marks)
        patch.unannotate(name);
    if (fate == Fate::Opened && effective_partition(set()) > Partition{0})
        patch.move_partition(Partition{0});
    Decision decision;
    decision.report = {Phase::Idle, Reason::Released, "", {}};
    if (patch.empty() || course_.held_by) return decision;
    // Whether something is pending is known only then.
    const bool is_known = has_current_status(set()) || set().meta.deleting;
    if (memory && fate != Fate::Opened && !is_known) return wait_for_status();

    if (memory && fate == Fate::Restored) restore(patch, memory->found);
    if (fate == Fate::Kept && memory) patch.annotate(key::partition_before, text_of(memory->found));
    decision.needs_live = patch.lowers_partition();
    decision.patch = std::move(patch);
    decision.releases = true;
    if (memory && memory->open) decision.ended = {"released", now_ - memory->started};
    decision.notices.push_back(
        {Reason::Released, fmt::format("{}: Sluice no longer steers {}; {}", why,
                                       set().meta.key.name, farewell(memory, fate))});
    return decision;
}

Decision release(const Snapshot& seen, const Course& course, const std::string& why, Instant now,
                 Parting parting) {
    return Helm{seen, course, now}.part(why, parting);
}

}  // namespace sluice::engine
