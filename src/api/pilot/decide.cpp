#include "api/pilot/decide.hpp"

#include <fmt/format.h>

#include "api/pilot/compile.hpp"
#include "api/pilot/report.hpp"
#include "api/pilot/spec.hpp"
#include "engine/advance.hpp"
#include "engine/gates.hpp"
#include "engine/world.hpp"

namespace sluice::api::pilot {
namespace {

using engine::Decision;
using engine::Memory;
using engine::Phase;
using engine::Reason;
using engine::Snapshot;
using model::StatefulSet;
using model::WorkloadPatch;

// Whoever opens the gate again and again is answered at this pace, not faster.
constexpr Duration correction_pace = 30s;

// A wait: reported in the annotations (unless it says what stands there already), nothing moves.
Decision wait(const Snapshot& seen, Phase phase, Reason reason, std::string message, Instant now) {
    Decision decision;
    decision.report = {phase, reason, std::move(message), unblock_text(reason, seen.workload)};
    WorkloadPatch patch{seen.workload};
    write_report(patch, decision.report, seen, now);
    if (patch.empty()) return decision;
    decision.patch = std::move(patch);
    if (engine::entry(reason).tone == engine::Tone::Warning)
        decision.notices.push_back({reason, decision.report.message});
    return decision;
}

// A wait that is over so soon that writing it down would only be noise.
Decision wait_silently(Phase phase, Reason reason, std::string message) {
    Decision decision;
    decision.report = {phase, reason, std::move(message), {}};
    return decision;
}

// Moves the gate and remembers where it stands, in one write.
Decision move_gate(const Snapshot& seen, Memory memory, Partition to, engine::StatusReport report,
                   Instant now) {
    Decision decision;
    memory.partition = to;
    WorkloadPatch patch{seen.workload};
    patch.move_partition(to);
    patch.annotate(key::claim, own_claim(seen.workload));
    patch.annotate(key::rollout, engine::encode(memory));
    report.unblock = unblock_text(report.reason, seen.workload);
    write_report(patch, report, seen, now);
    decision.report = std::move(report);
    decision.patch = std::move(patch);
    return decision;
}

Memory opened(const Snapshot& seen, std::int64_t id, Instant now) {
    return {.uid = seen.workload.meta.uid,
            .id = id,
            .revision = seen.workload.update_revision,
            .template_hash = seen.workload.template_hash,
            .partition = closed_partition,
            .open = true,
            .started = now,
            .corrected = {},
            .retry = annotation(seen.workload, key::retry)};
}

std::string waiting_text(const StatefulSet& set) {
    return fmt::format("Revision {} waits behind a closed gate.", set.update_revision);
}

// A set that we have not steered before, or whose memory is lost: close its gate.
Decision adopt(const Snapshot& seen, Instant now) {
    const StatefulSet& set = seen.workload;
    const bool pending = is_pending(seen);
    Memory memory = opened(seen, pending ? 1 : 0, now);
    memory.open = pending;
    const Partition gate = pending ? closed_partition : resting_partition(set.replicas);
    Decision decision =
        pending ? move_gate(seen, memory, gate,
                            {Phase::Waiting, Reason::RolloutStarted, waiting_text(set), {}}, now)
                : move_gate(seen, memory, gate, {Phase::Idle, Reason::Adopted, "", {}}, now);
    decision.notices.push_back(
        {Reason::Adopted, fmt::format("Sluice steers {} from now on.", set.meta.key.name)});
    if (pending) decision.notices.push_back({Reason::RolloutStarted, waiting_text(set)});
    return decision;
}

// The label is gone: hands off at once, and the partition stays where it is.
Decision release(const Snapshot& seen) {
    Decision decision;
    decision.report = {Phase::Idle, Reason::Released, "", {}};
    if (annotation(seen.workload, key::claim) != own_claim(seen.workload)) return decision;
    WorkloadPatch patch{seen.workload};
    erase_report(patch);
    decision.patch = std::move(patch);
    decision.notices.push_back(
        {Reason::Released,
         fmt::format("The label {} is gone: Sluice no longer steers {}; its partition stays at {}.",
                     model::pilot_label, seen.workload.meta.key.name,
                     effective_partition(seen.workload).value)});
    return decision;
}

// Nothing is pending: the gate rests at replicas.
Decision rest(const Snapshot& seen, const Memory& memory, Instant now) {
    const StatefulSet& set = seen.workload;
    const Partition resting = resting_partition(set.replicas);
    const bool at_rest = set.partition == resting && memory.partition == resting && !memory.open;
    if (at_rest && seen.hook_problem)
        return wait(seen, Phase::Blocked, engine::reason_of(*seen.hook_problem),
                    seen.hook_problem->message, now);
    const bool reported = annotation(set, key::phase) == engine::to_text(Phase::Idle);
    if (at_rest && reported) return wait_silently(Phase::Idle, Reason::Idle, "");
    Memory rested = memory;
    rested.open = false;
    return move_gate(seen, rested, resting, {Phase::Idle, Reason::Idle, "", {}}, now);
}

// The gate of a rollout whose first pod is not yet let go, or whose course somebody else changed.
Decision close_gate(const Snapshot& seen, Memory memory, Reason reason, const std::string& message,
                    Instant now) {
    Decision decision = move_gate(seen, std::move(memory), closed_partition,
                                  {Phase::Waiting, reason, message, {}}, now);
    decision.notices.push_back({reason, message});
    return decision;
}

// Somebody else lowered the partition: put it back, but do not fight.
Decision close_bypassed(const Snapshot& seen, Memory memory, Instant now) {
    const Partition found = effective_partition(seen.workload);
    const std::string message =
        fmt::format("Somebody else lowered the partition from {} to {}; Sluice put it back.",
                    memory.partition.value, found.value);
    const Instant allowed = memory.corrected + correction_pace;
    if (now < allowed) {
        Decision decision = wait(seen, Phase::Held, Reason::GateBypassed, message, now);
        decision.wake_at = allowed;
        return decision;
    }
    memory.corrected = now;
    const Partition back = memory.partition;
    Decision decision = move_gate(seen, std::move(memory), back,
                                  {Phase::Held, Reason::GateBypassed, message, {}}, now);
    decision.notices.push_back({Reason::GateBypassed, message});
    return decision;
}

Phase phase_of(PodCount exposed) {
    return exposed.value > 0 ? Phase::Rolling : Phase::Waiting;
}

// The hook allowed the step: let one more pod go.
Decision let_go(const Snapshot& seen, const Memory& memory, PodCount target, Instant now) {
    const StatefulSet& set = seen.workload;
    const Partition to = partition_for(target, set.replicas);
    const std::string pod = engine::PodRow{seen}.name_of(PodIndex{to.value});
    Decision decision =
        move_gate(seen, memory, to,
                  {Phase::Rolling, Reason::PodsNotReady, engine::waiting_for_pod(pod), {}}, now);
    decision.takes_step = true;
    decision.notices.push_back(
        {target.value == 1 ? Reason::RolloutStarted : Reason::HookAllowed,
         fmt::format("Pod {} may be updated to revision {} ({} of {}).", pod, set.update_revision,
                     target.value, set.replicas.value)});
    return decision;
}

Decision complete(const Snapshot& seen, Memory memory, Instant now) {
    const StatefulSet& set = seen.workload;
    const Duration took = now - memory.started;
    memory.open = false;
    const std::string message =
        fmt::format("All {} pods run revision {}.", set.replicas.value, set.update_revision);
    Decision decision = move_gate(seen, std::move(memory), resting_partition(set.replicas),
                                  {Phase::Idle, Reason::RolloutCompleted, message, {}}, now);
    decision.notices.push_back({Reason::RolloutCompleted, message});
    decision.completed_after = took;
    return decision;
}

Decision hold(const Snapshot& seen, engine::Hold held, PodCount exposed, Instant now) {
    Decision decision =
        held.silent ? wait_silently(phase_of(exposed), held.reason, std::move(held.message))
                    : wait(seen, phase_of(exposed), held.reason, std::move(held.message), now);
    decision.probe = std::move(held.probe);
    decision.wake_at = held.until;
    return decision;
}

// Runs the plan one look further.
Decision proceed(const Snapshot& seen, const Subscription& subscription, const Memory& memory,
                 Instant now) {
    const StatefulSet& set = seen.workload;
    const PodCount exposed = exposed_count(effective_partition(set), set.replicas);
    const engine::Plan plan = compile(subscription, set.replicas, seen.environment.hook_retry);
    engine::Advance next = engine::advance(plan, exposed, seen, now);
    if (auto* step = std::get_if<engine::TakeStep>(&next))
        return let_go(seen, memory, step->target, now);
    if (auto* held = std::get_if<engine::Hold>(&next))
        return hold(seen, std::move(*held), exposed, now);
    if (auto* fail = std::get_if<engine::Fail>(&next))
        return wait(seen, Phase::Held, fail->reason, fail->message, now);
    return complete(seen, memory, now);
}

// A rollout is open in our memory: is the world still as we left it?
Decision steer(const Snapshot& seen, const Subscription& subscription, Memory memory, Instant now) {
    const StatefulSet& set = seen.workload;
    const Partition gate = effective_partition(set);
    if (set.replicas.value == 0)
        return wait(seen, Phase::Held, Reason::ScaledToZero,
                    "There are no pods while a rollout is open.", now);
    if (gate < memory.partition) return close_bypassed(seen, std::move(memory), now);
    if (annotation(set, key::paused) == "true")
        return wait(seen, Phase::Held, Reason::Paused, "Paused by annotation.", now);
    const bool resumed = annotation(set, key::retry) != memory.retry;
    if (gate > memory.partition && gate != closed_partition && !resumed)
        return wait(seen, Phase::Held, Reason::PartitionRaised,
                    fmt::format("Somebody raised the partition from {} to {}.",
                                memory.partition.value, gate.value),
                    now);
    memory.retry = annotation(set, key::retry);
    memory.template_hash = set.template_hash;
    if (exposed_count(gate, set.replicas).value == 0 && gate != closed_partition)
        return close_gate(seen, std::move(memory), Reason::RolloutStarted, waiting_text(set), now);
    return proceed(seen, subscription, memory, now);
}

Decision claimed_by_other(const std::string& other) {
    Decision decision = wait_silently(Phase::Blocked, Reason::ClaimedByOther,
                                      fmt::format("{} steers this StatefulSet.", other));
    decision.notices.push_back({Reason::ClaimedByOther, decision.report.message});
    return decision;
}

// A revision that our memory does not know: a rollout from the top, behind a closed gate.
Decision start(const Snapshot& seen, const Subscription& subscription, const Memory& memory,
               Instant now) {
    const Memory next = opened(seen, memory.id + 1, now);
    if (effective_partition(seen.workload) != closed_partition)
        return close_gate(seen, next, Reason::RolloutStarted, waiting_text(seen.workload), now);
    return steer(seen, subscription, next, now);
}

}  // namespace

Decision decide(const Snapshot& seen, Instant now) {
    const StatefulSet& set = seen.workload;
    const auto subscription = read_subscription(set);
    if (!subscription) return release(seen);
    if (set.meta.deleting) return wait_silently(Phase::Idle, Reason::Idle, "");
    if (const auto other = other_claim(set)) return claimed_by_other(*other);
    if (set.strategy != model::UpdateStrategy::RollingUpdate)
        return wait(seen, Phase::Blocked, Reason::OnDelete,
                    "spec.updateStrategy.type is not RollingUpdate.", now);

    const auto memory = recall(set);
    if (memory && memory->open && memory->template_hash != set.template_hash &&
        effective_partition(set) < closed_partition)
        return close_gate(seen, *memory, Reason::RolloutStarted,
                          "The template changed in mid-rollout; the gate is closed again.", now);
    if (!has_current_status(set))
        return wait_silently(Phase::Waiting, Reason::StatusStale,
                             "The StatefulSet controller has not seen the latest change yet.");
    if (!memory) return adopt(seen, now);
    if (memory->open && memory->revision == set.update_revision)
        return steer(seen, *subscription, *memory, now);
    if (is_pending(seen)) return start(seen, *subscription, *memory, now);
    return rest(seen, *memory, now);
}

}  // namespace sluice::api::pilot
