// What others do to the gate: they lower it, raise it, or change what Sluice writes to it.
#include <fmt/format.h>

#include <algorithm>

#include "engine/gates.hpp"
#include "engine/partition_lever.hpp"
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
           exposed_count(effective_partition(set), set.replicas).value > 0;
}

// A set that nobody steered so far changes while we look: shut its gate first, think afterwards.
bool is_unguarded(const StatefulSet& set) {
    return set.observed_generation > 0 && !has_current_status(set) &&
           !set.update_revision.empty() && effective_partition(set) < closed_partition;
}

}  // namespace

std::string PartitionLever::somebody() const {
    if (set().partition_owner.empty()) return "Somebody else";
    return fmt::format("Field manager {}", set().partition_owner);
}

// Puts the gate where it belongs, but does not fight.
Decision PartitionLever::correct(Memory memory, Partition to, StatusReport report,
                                 bool repeats_step) const {
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

Decision PartitionLever::close_bypassed(const Memory& memory) const {
    const Partition back = memory.partition;
    const std::string message =
        fmt::format("{} lowered the partition from {} to {}", somebody(), back.value, gate().value);
    return correct(memory, back, {Phase::Held, Reason::GateBypassed, message, {}});
}

// The documents' manifests hold `partition: <replicas>`, and are applied again in mid-rollout. No
// pod moves when the gate is lowered over those that run the revision already. One that went back
// to the old one meanwhile asks its gates again, once: whoever takes it back again and again means
// it, or would have the same pod restarted for ever.
Decision PartitionLever::put_back(const Memory& memory,
                                  const std::optional<PodCount>& exposed_max) const {
    const PodCount replicas = set().replicas;
    Partition least = memory.partition;
    if (exposed_max)
        least = std::max(least, partition_for(std::min(*exposed_max, replicas), replicas));
    Partition to = resting();
    while (to > least) {
        const model::Pod* pod = standing_.pods.at(PodIndex{to.value - 1});
        if (!pod || pod->revision != standing_.updated) break;
        --to.value;
    }
    if (to > least && memory.corrected + undoing_pace > now_) return hold_at_brake(memory);
    const std::string message = fmt::format(
        "{} set the partition from {} to {}, the number of replicas, as a manifest does "
        "that holds it",
        somebody(), memory.partition.value, gate().value);
    const bool exposes = to < resting();
    Decision decision =
        correct(memory, exposes ? to : closed_partition,
                {exposes ? Phase::Rolling : Phase::Waiting, Reason::PartitionRestored, message, {}},
                to == memory.partition);
    decision.needs_live = !decision.actions.empty() && decision.actions.front().partition;
    return decision;
}

// Somebody raised the gate to stop us. It is remembered where, for it stays a brake if the set is
// scaled to as many replicas.
Decision PartitionLever::hold_at_brake(Memory memory) const {
    const std::string message = fmt::format("{} raised the partition from {} to {}.", somebody(),
                                            memory.partition.value, gate().value);
    memory.brake = gate();
    return wait(Phase::Held, Reason::PartitionRaised, message,
                {{model::key::rollout, encode(memory)}});
}

// Our last write came back with another partition. Where it was to be lowered, memory is put right:
// the gate is where it was. Where it was to be raised, memory stays, for it says what must be.
Decision PartitionLever::contested() const {
    const std::string message =
        "What Sluice wrote to the partition was changed by somebody else in the same write.";
    const bool undone = memory_ && gate() > memory_->partition;
    Decision decision =
        undone ? move(*memory_, gate(), {Phase::Held, Reason::PartitionContested, message, {}})
               : wait(Phase::Held, Reason::PartitionContested, message);
    if (undone) decision.notices.push_back({Reason::PartitionContested, message});
    decision.wake_at = seen_.contested_until;
    return decision;
}

// The gate of a set whose course somebody else has changed.
Decision PartitionLever::shut(Memory memory, Reason reason, const std::string& message) const {
    Decision decision =
        move(std::move(memory), closed_partition, {Phase::Waiting, reason, message, {}});
    decision.notices.push_back({reason, message});
    return decision;
}

// What the spec alone demands, whether the status is up to date or not.
std::optional<Decision> PartitionLever::guard() const {
    if (seen_.contested_until && now_ < *seen_.contested_until) return contested();
    if (!memory_ && is_unguarded(set()))
        return shut(fresh_memory(), Reason::Adopted,
                    "Sluice steers this set from now on; its gate is closed.");
    if (!memory_) return std::nullopt;
    if (is_overtaken(set(), *memory_)) {
        Memory overtaken = *memory_;
        overtaken.template_hash = set().template_hash;
        return shut(std::move(overtaken), Reason::RolloutStarted,
                    "The template changed in mid-rollout; the gate is closed again.");
    }
    if (gate() < memory_->partition) return close_bypassed(*memory_);
    return std::nullopt;
}

// Takes the gate as it is now for our own: a person released their brake, or no pod is exposed.
Decision PartitionLever::resume(Memory memory, Partition to) const {
    const bool exposes = to != closed_partition;
    const std::string message =
        exposes
            ? fmt::format("The rollout to revision {} goes on: {} of {} pods are exposed to it.",
                          standing_.updated, standing_.exposed.value, set().replicas.value)
            : waiting_text(standing_);
    return move(std::move(memory), to,
                {exposes ? Phase::Rolling : Phase::Waiting, Reason::RolloutStarted, message, {}});
}

std::optional<Decision> PartitionLever::disturbed(const Memory& memory) const {
    const bool braked = gate() > memory.partition;
    const bool repeats = gate() == resting() && memory.brake == Partition{};
    if (braked && repeats && !asks_for_retry()) {
        const Plan plan = course_.compile();
        const Advance next = advance(plan, standing_.exposed, standing_, now_);
        if (std::holds_alternative<Fail>(next)) return std::nullopt;
        return put_back(memory, plan.exposed_max);
    }
    // 1000000 is what the policies set with a new template, also with one that came back meanwhile.
    if (braked && gate() != closed_partition && !asks_for_retry()) return hold_at_brake(memory);
    const bool exposes = standing_.exposed.value > 0;
    const bool is_released = gate() == memory.partition && memory.brake != Partition{};
    if (braked || is_released || (!exposes && gate() != closed_partition))
        return resume(caught_up(memory), exposes ? gate() : closed_partition);
    return std::nullopt;
}

}  // namespace sluice::engine
