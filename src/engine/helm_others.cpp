// What others do to the gate: they lower it, raise it, or change what Sluice writes to it.
#include <fmt/format.h>

#include <algorithm>

#include "engine/helm.hpp"
#include "model/annotations.hpp"

namespace sluice::engine {
namespace {

using model::StatefulSet;

// Whoever opens the gate again and again is answered twice a minute, not more often; the time is
// remembered in whole seconds, and requests take some.
constexpr Duration correction_pace = 33s;
// Whoever undoes a step so soon after we put the gate back does it again.
constexpr Duration undoing_pace = 10min;

// The template is not the one that our memory belongs to, and pods are exposed to whatever it is:
// the spec alone says so, there is no need to wait for the status.
bool is_overtaken(const StatefulSet& set, const Memory& memory) {
    return memory.template_hash != set.template_hash && set.meta.generation > memory.generation &&
           exposes_pods(set);
}

// A set that nobody steered so far changes while we look: shut its gate first, think afterwards.
bool is_unguarded(const StatefulSet& set) {
    return set.observed_generation > 0 && !has_current_status(set) &&
           !set.update_revision.empty() && effective_partition(set) < closed_partition;
}

}  // namespace

std::string Helm::somebody() const {
    if (set().partition_owner.empty()) return "Somebody else";
    return fmt::format("Field manager {}", set().partition_owner);
}

// Puts the gate where it belongs, but does not fight.
Decision Helm::correct(Memory memory, Partition to, StatusReport report, bool repeats_step) const {
    const Instant allowed = memory.corrected + correction_pace;
    if (memory.corrected <= now_ && now_ < allowed) {
        Decision decision =
            wait(Phase::Held, report.reason,
                 report.message + " again; Sluice puts it back within half a minute.");
        decision.wake_at = allowed;
        return decision;
    }
    memory.corrected = now_;
    report.message += "; Sluice put it back.";
    const Reason reason = report.reason;
    Decision decision = move_gate(std::move(memory), to, std::move(report), repeats_step);
    decision.notices.push_back({reason, decision.report.message});
    return decision;
}

Decision Helm::close_bypassed(Memory memory) const {
    const Partition found = effective_partition(seen_.workload);
    const std::string message = fmt::format("{} lowered the partition from {} to {}", somebody(),
                                            memory.partition.value, found.value);
    const Partition back = memory.partition;
    return correct(std::move(memory), back, {Phase::Held, Reason::GateBypassed, message, {}});
}

// The documents' manifests hold `partition: <replicas>`, and are applied again in mid-rollout. No
// pod moves when the gate is lowered over those that run the revision already. One that went back
// to the old one meanwhile asks its gates again, once: whoever takes it back again and again means
// it, or would have the same pod restarted for ever.
Decision Helm::put_back(Memory memory) const {
    const PodCount replicas = set().replicas;
    const Plan plan = course_.compile();
    Advance next = advance(plan, PodCount{0}, seen_, now_);
    if (auto* failed = std::get_if<Fail>(&next))
        return fail(memory, *failed, failed->aborts ? OnFailure::Rollback : plan.on_failure);
    Partition least = memory.partition;
    if (plan.exposed_max)
        least = std::max(least, partition_for(std::min(*plan.exposed_max, replicas), replicas));
    const PodRow row{seen_};
    Partition to = resting_partition(replicas);
    while (to > least) {
        const model::Pod* pod = row.at(PodIndex{to.value - 1});
        if (!pod || pod->revision != set().update_revision) break;
        --to.value;
    }
    if (to > least && memory.corrected + undoing_pace > now_)
        return hold_at_brake(std::move(memory));
    const std::string message = fmt::format(
        "{} set the partition from {} to {}, the number of replicas, as a manifest does "
        "that holds it",
        somebody(), memory.partition.value, effective_partition(set()).value);
    const bool exposes = to < resting_partition(replicas);
    const bool repeats_step = to == memory.partition;
    Decision decision =
        correct(std::move(memory), exposes ? to : closed_partition,
                {exposes ? Phase::Rolling : Phase::Waiting, Reason::PartitionRestored, message, {}},
                repeats_step);
    decision.needs_live = !decision.actions.empty() && decision.actions.front().partition;
    return decision;
}

// Somebody raised the gate to stop us. It is remembered where, for it stays a brake if the set is
// scaled to as many replicas.
Decision Helm::hold_at_brake(Memory memory) const {
    const Partition gate = effective_partition(set());
    const std::string message = fmt::format("{} raised the partition from {} to {}.", somebody(),
                                            memory.partition.value, gate.value);
    if (memory.brake == gate) return wait(Phase::Held, Reason::PartitionRaised, message);
    memory.brake = gate;
    return wait(Phase::Held, Reason::PartitionRaised, message,
                {{model::key::rollout, encode(memory)}});
}

// Our last write came back with another partition. Where it was to be lowered, memory is put right:
// the gate is where it was. Where it was to be raised, memory stays, for it says what must be.
Decision Helm::contested(const std::optional<Memory>& memory) const {
    const Partition gate = effective_partition(seen_.workload);
    const std::string message =
        "What Sluice wrote to the partition was changed by somebody else in the same write.";
    const bool undone = memory && gate > memory->partition;
    Decision decision =
        undone ? move_gate(*memory, gate, {Phase::Held, Reason::PartitionContested, message, {}})
               : wait(Phase::Held, Reason::PartitionContested, message);
    if (undone) decision.notices.push_back({Reason::PartitionContested, message});
    decision.wake_at = seen_.contested_until;
    return decision;
}

// What the spec alone demands, whether the status is up to date or not.
std::optional<Decision> Helm::guard(const std::optional<Memory>& memory) const {
    if (seen_.contested_until && now_ < *seen_.contested_until) return contested(memory);
    if (!memory && is_unguarded(set())) {
        Memory shut = opened(0);
        shut.open = false;
        return close_gate(shut, Reason::Adopted,
                          "Sluice steers this set from now on; its gate is closed.");
    }
    if (!memory) return std::nullopt;
    if (is_overtaken(set(), *memory)) {
        Memory overtaken = *memory;
        overtaken.template_hash = set().template_hash;
        return close_gate(overtaken, Reason::RolloutStarted,
                          "The template changed in mid-rollout; the gate is closed again.");
    }
    if (effective_partition(set()) < memory->partition) return close_bypassed(*memory);
    return std::nullopt;
}

}  // namespace sluice::engine
