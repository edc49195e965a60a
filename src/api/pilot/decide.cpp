#include "api/pilot/decide.hpp"

#include <fmt/format.h>

#include "api/inquiry/text.hpp"
#include "api/pilot/compile.hpp"
#include "api/pilot/report.hpp"
#include "api/pilot/spec.hpp"
#include "base/hash.hpp"
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

// Beyond this, a look at a set costs more than it should, and nobody runs such a database.
constexpr PodCount replicas_max{10'000};
// Whoever opens the gate again and again is answered twice a minute, not more often; the time is
// remembered in whole seconds, and requests take some.
constexpr Duration correction_pace = 33s;

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
    WorkloadPatch patch{seen.workload};
    patch.move_partition(to);
    memory.partition = to;
    memory.generation = seen.workload.meta.generation + (patch.moves_partition() ? 1 : 0);
    patch.annotate(key::claim, own_claim(seen.workload));
    patch.annotate(key::rollout, engine::encode(memory));
    report.unblock = unblock_text(report.reason, seen.workload);
    write_report(patch, report, seen, now);
    decision.report = std::move(report);
    if (!patch.empty()) decision.patch = std::move(patch);
    return decision;
}

// The value itself is a person's, of any length; its hash tells a new one from the last.
std::uint64_t retry_of(const StatefulSet& set) {
    const std::string& retry = annotation(set, key::retry);
    return retry.empty() ? 0 : fnv1a(retry);
}

// A value that is new; taking the annotation away asks for nothing.
bool asks_for_retry(const StatefulSet& set, const Memory& memory) {
    const std::uint64_t retry = retry_of(set);
    return retry != 0 && retry != memory.retry;
}

// Whoever reaches for the brake and misspells "true" means the brake.
bool is_paused(const StatefulSet& set) {
    const std::string& paused = annotation(set, key::paused);
    return !paused.empty() && paused != "false";
}

bool exposes_pods(const StatefulSet& set) {
    return exposed_count(effective_partition(set), set.replicas).value > 0;
}

Memory opened(const Snapshot& seen, std::int64_t id, Instant now) {
    return {.uid = seen.workload.meta.uid,
            .id = id,
            .revision = seen.workload.update_revision,
            .template_hash = seen.workload.template_hash,
            .partition = closed_partition,
            .open = true,
            .started = now,
            .generation = seen.workload.meta.generation,
            .corrected = {},
            .retry = retry_of(seen.workload)};
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
    if (pending && set.current_revision == set.update_revision)
        decision.notices.push_back(
            {Reason::PodsPredateSet,
             fmt::format("The pods of {} are older than the set: one that dies comes back on "
                         "revision {}, whatever the gate says.",
                         set.meta.key.name, set.update_revision)});
    return decision;
}

// The label is gone: hands off at once, and the partition stays where it is.
Decision release(const Snapshot& seen, Instant now) {
    Decision decision;
    decision.report = {Phase::Idle, Reason::Released, "", {}};
    WorkloadPatch patch{seen.workload};
    erase_report(patch);
    if (patch.empty() || other_claim(seen.workload)) return decision;
    decision.patch = std::move(patch);
    if (const auto memory = recall(seen.workload); memory && memory->open)
        decision.ended = {"released", now - memory->started};
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
    const bool reported =
        annotation(set, key::phase) == engine::to_text(Phase::Idle) &&
        annotation(set, key::guarantee) == guarantee_text(seen.environment.guarantee);
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
    const std::string message = fmt::format("Somebody else lowered the partition from {} to {}",
                                            memory.partition.value, found.value);
    const Instant allowed = memory.corrected + correction_pace;
    if (memory.corrected <= now && now < allowed) {
        Decision decision =
            wait(seen, Phase::Held, Reason::GateBypassed,
                 message + " again; Sluice puts it back within half a minute.", now);
        decision.wake_at = allowed;
        return decision;
    }
    memory.corrected = now;
    const Partition back = memory.partition;
    Decision decision =
        move_gate(seen, std::move(memory), back,
                  {Phase::Held, Reason::GateBypassed, message + "; Sluice put it back.", {}}, now);
    decision.notices.push_back({Reason::GateBypassed, decision.report.message});
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
        {Reason::HookAllowed, fmt::format("Pod {} may be updated to revision {} ({} of {}).", pod,
                                          set.update_revision, target.value, set.replicas.value)});
    return decision;
}

Decision complete(const Snapshot& seen, Memory memory, Instant now) {
    const StatefulSet& set = seen.workload;
    const engine::Ended ended{"completed", now - memory.started};
    memory.open = false;
    const std::string message =
        set.replicas.value == 1
            ? fmt::format("The pod runs revision {}.", set.update_revision)
            : fmt::format("All {} pods run revision {}.", set.replicas.value, set.update_revision);
    Decision decision = move_gate(seen, std::move(memory), resting_partition(set.replicas),
                                  {Phase::Idle, Reason::RolloutCompleted, message, {}}, now);
    // Whoever reads "completed" goes home: a pod whose last news were lost must not be overlooked.
    decision.needs_live = true;
    // A word for one rollout does not disarm the next one, and an old refusal is no news.
    if (decision.patch)
        decision.patch->unannotate(key::allow_scale_to_zero).unannotate(key::refused);
    decision.notices.push_back({Reason::RolloutCompleted, message});
    decision.ended = ended;
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

// Takes the gate as it is now for our own: a person released their brake, or no pod is exposed.
Decision resume(const Snapshot& seen, Memory memory, Partition gate, Instant now) {
    const StatefulSet& set = seen.workload;
    if (gate == closed_partition)
        return move_gate(seen, std::move(memory), gate,
                         {Phase::Waiting, Reason::RolloutStarted, waiting_text(set), {}}, now);
    const std::string message = fmt::format(
        "The rollout to revision {} goes on: {} of {} pods are exposed to it.", set.update_revision,
        exposed_count(gate, set.replicas).value, set.replicas.value);
    return move_gate(seen, std::move(memory), gate,
                     {Phase::Rolling, Reason::RolloutStarted, message, {}}, now);
}

// A rollout is open in our memory: is the world still as we left it?
Decision steer(const Snapshot& seen, const Subscription& subscription, Memory memory, Instant now) {
    const StatefulSet& set = seen.workload;
    const Partition gate = effective_partition(set);
    if (set.replicas.value == 0)
        return wait(seen, Phase::Held, Reason::ScaledToZero,
                    "There are no pods while a rollout is open.", now);
    if (is_paused(set))
        return wait(seen, Phase::Held, Reason::Paused, "Paused by annotation.", now);
    const bool braked = gate > memory.partition;
    // 1000000 is what the policies set with a new template, also with one that came back meanwhile.
    if (braked && gate != closed_partition && !asks_for_retry(set, memory))
        return wait(seen, Phase::Held, Reason::PartitionRaised,
                    fmt::format("Somebody raised the partition from {} to {}.",
                                memory.partition.value, gate.value),
                    now);
    memory.retry = retry_of(set);
    memory.template_hash = set.template_hash;
    const bool exposes = exposes_pods(set);
    if (braked || (!exposes && gate != closed_partition))
        return resume(seen, std::move(memory), exposes ? gate : closed_partition, now);
    return proceed(seen, subscription, memory, now);
}

Decision claimed_by_other(const std::string& other) {
    Decision decision = wait_silently(Phase::Blocked, Reason::ClaimedByOther,
                                      printable(other, 64) + " steers this StatefulSet.");
    decision.notices.push_back({Reason::ClaimedByOther, decision.report.message});
    return decision;
}

// A revision that our memory does not know: a rollout from the top, behind a closed gate.
Decision start(const Snapshot& seen, const Memory& memory, Instant now) {
    Decision decision = close_gate(seen, opened(seen, memory.id + 1, now), Reason::RolloutStarted,
                                   waiting_text(seen.workload), now);
    if (memory.open) decision.ended = {"superseded", now - memory.started};
    // Pods that only seem to be old, because their watch lags behind, are no reason to start. Where
    // pods are exposed the gate is shut at once and questions are asked later.
    decision.needs_live = !exposes_pods(seen.workload);
    return decision;
}

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

// Our last write came back with another partition. Where it was to be lowered, memory is put right:
// the gate is where it was. Where it was to be raised, memory stays, for it says what must be.
Decision contested(const Snapshot& seen, const std::optional<Memory>& memory, Instant now) {
    const Partition gate = effective_partition(seen.workload);
    const std::string message =
        "What Sluice wrote to the partition was changed by somebody else in the same write.";
    const bool undone = memory && gate > memory->partition;
    Decision decision = undone
                            ? move_gate(seen, *memory, gate,
                                        {Phase::Held, Reason::PartitionContested, message, {}}, now)
                            : wait(seen, Phase::Held, Reason::PartitionContested, message, now);
    if (undone) decision.notices.push_back({Reason::PartitionContested, message});
    decision.wake_at = seen.contested_until;
    return decision;
}

// What the spec alone demands, whether the status is up to date or not.
std::optional<Decision> guard(const Snapshot& seen, const std::optional<Memory>& memory,
                              Instant now) {
    const StatefulSet& set = seen.workload;
    if (seen.contested_until && now < *seen.contested_until) return contested(seen, memory, now);
    if (!memory && is_unguarded(set)) {
        Memory shut = opened(seen, 0, now);
        shut.open = false;
        return close_gate(seen, shut, Reason::Adopted,
                          "Sluice steers this set from now on; its gate is closed.", now);
    }
    if (!memory) return std::nullopt;
    if (is_overtaken(set, *memory)) {
        Memory overtaken = *memory;
        overtaken.template_hash = set.template_hash;
        return close_gate(seen, overtaken, Reason::RolloutStarted,
                          "The template changed in mid-rollout; the gate is closed again.", now);
    }
    if (effective_partition(set) < memory->partition) return close_bypassed(seen, *memory, now);
    return std::nullopt;
}

Decision wait_for_status(const Snapshot& seen, Instant now) {
    return hold(seen,
                engine::brief_hold(Reason::StatusStale,
                                   "The StatefulSet controller has not seen the latest change yet.",
                                   seen, now),
                PodCount{0}, now);
}

}  // namespace

Decision decide(const Snapshot& seen, Instant now) {
    const StatefulSet& set = seen.workload;
    const auto subscription = read_subscription(set);
    if (!subscription) return release(seen, now);
    if (set.meta.deleting) return wait_silently(Phase::Idle, Reason::Idle, "");
    if (const auto other = other_claim(set)) return claimed_by_other(*other);
    if (set.strategy != model::UpdateStrategy::RollingUpdate)
        return wait(seen, Phase::Blocked, Reason::OnDelete,
                    "spec.updateStrategy.type is not RollingUpdate.", now);

    if (set.replicas > replicas_max)
        return wait(seen, Phase::Blocked, Reason::TooManyReplicas,
                    fmt::format("spec.replicas is more than {}.", replicas_max.value), now);

    const auto memory = recall(set);
    if (auto guarded = guard(seen, memory, now)) return std::move(*guarded);
    if (!has_current_status(set)) return wait_for_status(seen, now);
    if (!memory || annotation(set, key::claim).empty()) return adopt(seen, now);
    if (memory->open && memory->revision == set.update_revision)
        return steer(seen, *subscription, *memory, now);
    if (is_pending(seen)) return start(seen, *memory, now);
    return rest(seen, *memory, now);
}

}  // namespace sluice::api::pilot
