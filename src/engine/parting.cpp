// Hands off: what is left behind must not surprise anybody later.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "engine/partition_lever.hpp"
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

std::string opening_command(const StatefulSet& set) {
    return fmt::format(
        "kubectl -n {} patch statefulset {} --type merge -p "
        "'{{\"spec\":{{\"updateStrategy\":{{\"rollingUpdate\":{{\"partition\":0}}}}}}}}'",
        set.meta.key.ns, set.meta.key.name);
}

std::optional<Partition> number_in(std::string_view text) {
    Partition number{-1};
    std::from_chars(text.data(), text.data() + text.size(), number.value);
    if (number.value < 0) return std::nullopt;
    return number;
}

// "2@5": it was 2, and was left at 5. As soon as it is elsewhere the note means nothing.
std::string note_of(const std::optional<Partition>& found, Partition left) {
    return fmt::format("{}@{}", text_of(found), left.value);
}

}  // namespace

std::optional<Partition> found_partition(const StatefulSet& set) {
    // The memory of a set that this one replaces knows it too.
    if (const auto memory = decode_memory(annotation(set, key::rollout))) return memory->found;
    const Partition gate = effective_partition(set);
    const std::string_view note = annotation(set, key::partition_before);
    const std::size_t at = std::min(note.find('@'), note.size());
    const std::string_view before = note.substr(0, at);
    if (at < note.size() && number_in(note.substr(at + 1)) == gate) {
        if (before == absent) return std::nullopt;
        if (const auto was = number_in(before); was && *was < closed_partition) return was;
    }
    const bool is_ours = gate >= closed_partition || (!annotation(set, key::claim).empty() &&
                                                      gate == resting_partition(set.replicas));
    return is_ours ? Partition{0} : set.partition;
}

// What people read. In mid-rollout it says how the pods go on, for nobody else will.
std::string PartitionLever::farewell(GateAfter after) const {
    if (after == GateAfter::Opened) return "Kubernetes updates its pods by itself.";
    if (memory_ && after == GateAfter::Restored)
        return fmt::format("its partition is {} again, as it was before.", text_of(memory_->found));
    std::string stays = fmt::format("its partition stays at {}.", gate().value);
    if (set().strategy != model::UpdateStrategy::RollingUpdate) return stays;
    return fmt::format("{} To let Kubernetes update the pods by itself: {}", stays,
                       opening_command(set()));
}

// A gate that somebody else has moved, or taken from us, is theirs.
PartitionLever::GateAfter PartitionLever::gate_after(Parting parting) const {
    if (set().strategy != model::UpdateStrategy::RollingUpdate) return GateAfter::Kept;
    if (parting == Parting::Open) return GateAfter::Opened;
    const bool is_settled = memory_ && !memory_->open && !memory_->failed && !standing_.is_pending;
    const bool is_ours =
        memory_ && gate() == memory_->partition && !annotation(set(), key::claim).empty();
    return is_settled && is_ours && !set().meta.deleting ? GateAfter::Restored : GateAfter::Kept;
}

Decision PartitionLever::part(const std::string& why, Parting parting) const {
    const GateAfter after = gate_after(parting);
    WorkloadPatch patch{set()};
    erase_report(patch);
    for (const auto& [name, value] : course_.marks)
        patch.unannotate(name);
    if (after == GateAfter::Opened && gate() > Partition{0}) patch.move_partition(Partition{0});
    Decision decision;
    decision.report = {Phase::Idle, Reason::Released, "", {}};
    if (patch.empty() || course_.held_by) return decision;
    // Whether something is pending is known only then.
    const bool is_known = has_current_status(set()) || set().meta.deleting;
    if (memory_ && after != GateAfter::Opened && !is_known) return wait_for_status();

    if (memory_ && after == GateAfter::Restored) restore(patch, memory_->found);
    const bool is_left = memory_ && after == GateAfter::Kept && gate() == memory_->partition &&
                         !annotation(set(), key::claim).empty();
    if (is_left) patch.annotate(key::partition_before, note_of(memory_->found, gate()));
    decision.needs_live = patch.lowers_partition();
    decision.actions.push_back(to_action(patch));
    decision.releases = true;
    if (memory_ && memory_->open) decision.ended = {"released", now_ - memory_->started};
    decision.notices.push_back(
        {Reason::Released, fmt::format("{}: Sluice no longer steers {}; {}", why,
                                       set().meta.key.name, farewell(after))});
    return decision;
}

}  // namespace sluice::engine
