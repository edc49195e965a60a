#include "engine/steering.hpp"

#include <fmt/format.h>

#include "base/hash.hpp"
#include "engine/advance.hpp"
#include "engine/gates.hpp"
#include "engine/helm.hpp"
#include "engine/report.hpp"
#include "engine/world.hpp"
#include "model/annotations.hpp"

namespace sluice::engine {
namespace {

namespace key = model::key;
using model::StatefulSet;
using model::WorkloadPatch;

// Beyond this, a look at a set costs more than it should, and nobody runs such a database.
constexpr PodCount replicas_max{10'000};
// A wait that is over so soon that writing it down would only be noise.
Decision wait_silently(Phase phase, Reason reason, std::string message) {
    Decision decision;
    decision.report = {phase, reason, std::move(message), {}};
    return decision;
}

std::string waiting_text(const StatefulSet& set) {
    return fmt::format("Revision {} waits behind a closed gate.", set.update_revision);
}

Phase phase_of(PodCount exposed) {
    return exposed.value > 0 ? Phase::Rolling : Phase::Waiting;
}

}  // namespace

// A wait: reported in the annotations (unless it says what stands there already), nothing moves.
Decision Helm::wait(Phase phase, Reason reason, std::string message,
                    const model::Texts& notes) const {
    Decision decision;
    decision.report = {phase, reason, std::move(message), unblock(reason)};
    WorkloadPatch patch{seen_.workload};
    if (course_.reports_on_workload) write_report(patch, decision.report, seen_, now_);
    for (const auto& [name, value] : notes)
        patch.annotate(name, value);
    if (patch.empty() && course_.reports_on_workload) return decision;
    if (!patch.empty()) decision.actions.push_back(action_of(std::move(patch)));
    if (entry(reason).tone == Tone::Warning)
        decision.notices.push_back({reason, decision.report.message});
    return decision;
}

// Moves the gate and remembers where it stands, in one write.
Decision Helm::move_gate(Memory memory, Partition to, StatusReport report,
                         bool repeats_step) const {
    return move_gate(WorkloadPatch{set()}, std::move(memory), to, std::move(report), repeats_step);
}

Action Helm::action_of(WorkloadPatch patch) const {
    const std::string& fence = seen_.environment.fence;
    if (!fence.empty()) patch.annotate(key::fence, fence);
    return to_action(patch);
}

Decision Helm::move_gate(WorkloadPatch patch, Memory memory, Partition to, StatusReport report,
                         bool repeats_step) const {
    Decision decision;
    patch.move_partition(to);
    memory.partition = to;
    memory.brake = {};
    if (!repeats_step)
        memory.generation = seen_.workload.meta.generation + (patch.moves_partition() ? 1 : 0);
    patch.annotate(key::claim, course_.claim);
    patch.annotate(key::rollout, encode(memory));
    patch.unannotate(key::partition_before);  // it is in the memory now
    for (const auto& [name, value] : course_.marks)
        patch.annotate(name, value);
    report.unblock = unblock(report.reason);
    if (course_.reports_on_workload)
        write_report(patch, report, seen_, now_);
    else
        patch.annotate(key::phase, to_text(report.phase));
    decision.report = std::move(report);
    if (!patch.empty()) decision.actions.push_back(action_of(std::move(patch)));
    return decision;
}

Memory Helm::opened(std::int64_t id) const {
    return {.uid = seen_.workload.meta.uid,
            .id = id,
            .revision = seen_.workload.update_revision,
            .template_hash = seen_.workload.template_hash,
            .partition = closed_partition,
            .open = true,
            .started = now_,
            .generation = seen_.workload.meta.generation,
            .corrected = {},
            .brake = {},
            .retry = retry_asked(),
            .place = course_.first_place,
            .list = course_.list,
            .found = found_partition(set())};
}

// A set that we have not steered before, or whose memory is lost: close its gate.
Decision Helm::adopt() const {
    const bool pending = is_pending(seen_);
    Memory memory = opened(pending ? 1 : 0);
    memory.open = pending;
    const Partition gate = pending ? closed_partition : resting_partition(set().replicas);
    Decision decision =
        pending ? move_gate(memory, gate,
                            {Phase::Waiting, Reason::RolloutStarted, waiting_text(set()), {}})
                : move_gate(memory, gate, {Phase::Idle, Reason::Adopted, "", {}});
    decision.notices.push_back(
        {Reason::Adopted, fmt::format("Sluice steers {} from now on.", set().meta.key.name)});
    if (pending) decision.notices.push_back({Reason::RolloutStarted, waiting_text(set())});
    if (pending && set().current_revision == set().update_revision)
        decision.notices.push_back(
            {Reason::PodsPredateSet,
             fmt::format("The pods of {} are older than the set: one that dies comes back on "
                         "revision {}, whatever the gate says.",
                         set().meta.key.name, set().update_revision)});
    return decision;
}

// Nothing is pending: the gate rests at replicas.
Decision Helm::rest(const Memory& memory) const {
    const Partition resting = resting_partition(set().replicas);
    const bool at_rest =
        set().partition == resting && memory.partition == resting && !memory.open && !memory.failed;
    if (at_rest && seen_.hook_problem)
        return wait(Phase::Blocked, reason_of(*seen_.hook_problem), seen_.hook_problem->message);
    const bool reported =
        annotation(set(), key::phase) == to_text(Phase::Idle) &&
        (!course_.reports_on_workload ||
         annotation(set(), key::guarantee) == guarantee_text(seen_.environment.guarantee));
    if (at_rest && reported) return wait_silently(Phase::Idle, Reason::Idle, "");
    Memory rested = memory;
    rested.open = rested.failed = false;
    return move_gate(rested, resting, {Phase::Idle, Reason::Idle, "", {}});
}

// The gate of a rollout whose first pod is not yet let go, or whose course somebody else changed.
Decision Helm::close_gate(Memory memory, Reason reason, const std::string& message) const {
    Decision decision =
        move_gate(std::move(memory), closed_partition, {Phase::Waiting, reason, message, {}});
    decision.notices.push_back({reason, message});
    return decision;
}

// Every gate is passed: let one more pod go, or as many as the step has.
Decision Helm::let_go(Memory memory, TakeStep step) const {
    const PodCount before = exposed_count(effective_partition(set()), set().replicas);
    const Partition to = partition_for(step.target, set().replicas);
    const PodRow row{seen_};
    const std::string lowest = row.name_of(PodIndex{to.value});
    const bool is_one = step.target.value == before.value + 1;
    const std::string pods =
        is_one ? "Pod " + lowest
               : fmt::format("Pods {} to {}",
                             row.name_of({set().replicas.value - before.value - 1}), lowest);
    // In another list of steps the place that was reached means nothing.
    const bool is_same_list = memory.list == course_.list;
    memory.place = is_same_list ? std::max(memory.place, step.place) : step.place;
    memory.list = course_.list;
    Decision decision = move_gate(
        std::move(memory), to, {Phase::Rolling, Reason::PodsNotReady, waiting_for_pod(lowest), {}});
    decision.takes_step = true;
    decision.notices.push_back(
        {course_.allowed,
         fmt::format("{} may be updated to revision {} ({} of {}).", pods, set().update_revision,
                     step.target.value, set().replicas.value)});
    return decision;
}

// A scale-up has put more pods behind the gate than the step allows.
Decision Helm::narrow(Memory memory, PodCount exposed_max) const {
    const Partition to =
        exposed_max.value > 0 ? partition_for(exposed_max, set().replicas) : closed_partition;
    const std::string message =
        fmt::format("The set was scaled in mid-rollout: {} of its {} pods may run revision {} now.",
                    exposed_max.value, set().replicas.value, set().update_revision);
    Decision decision = move_gate(std::move(memory), to,
                                  {phase_of(exposed_max), Reason::PodsNotReady, message, {}});
    decision.notices.push_back({Reason::GateFollowsScale, message});
    return decision;
}

Decision Helm::complete(Memory memory) const {
    const Ended ended{"completed", now_ - memory.started};
    memory.open = memory.returning = false;
    const std::string message =
        set().replicas.value == 1 ? fmt::format("The pod runs revision {}.", set().update_revision)
                                  : fmt::format("All {} pods run revision {}.",
                                                set().replicas.value, set().update_revision);
    WorkloadPatch patch{set()};
    // A word for one rollout does not disarm the next one, and an old refusal is no news.
    patch.unannotate(key::allow_scale_to_zero).unannotate(key::refused);
    Decision decision =
        move_gate(std::move(patch), std::move(memory), resting_partition(set().replicas),
                  {Phase::Idle, Reason::RolloutCompleted, message, {}}, false);
    // Whoever reads "completed" goes home: a pod whose last news were lost must not be overlooked.
    decision.needs_live = true;
    decision.notices.push_back({Reason::RolloutCompleted, message});
    decision.ended = ended;
    return decision;
}

Decision Helm::hold(Hold held, PodCount exposed) const {
    Decision decision = held.silent
                            ? wait_silently(phase_of(exposed), held.reason, std::move(held.message))
                            : wait(phase_of(exposed), held.reason, std::move(held.message));
    decision.silent = held.silent;
    decision.probe = std::move(held.probe);
    decision.progress = std::move(held.progress);
    decision.rests_at = held.rests_at;
    decision.wake_at = held.until;
    return decision;
}

Decision Helm::missed_deadline(const Memory& memory, Hold held, OnFailure then) const {
    return fail(
        memory,
        {Reason::ProgressDeadlineExceeded, "The next step was not reached in time. " + held.message,
         std::move(held.progress)},
        then);
}

// Runs the plan one look further.
Decision Helm::proceed(const Memory& memory) const {
    const PodCount exposed = exposed_count(effective_partition(set()), set().replicas);
    const Plan plan = course_.compile();
    Advance next = advance(plan, exposed, seen_, now_);
    if (plan.exposed_max && exposed > *plan.exposed_max) return narrow(memory, *plan.exposed_max);
    if (auto* step = std::get_if<TakeStep>(&next)) return let_go(memory, *step);
    if (auto* failed = std::get_if<Fail>(&next))
        return fail(memory, *failed, failed->aborts ? OnFailure::Rollback : plan.on_failure);
    auto* held = std::get_if<Hold>(&next);
    if (!held) return complete(memory);
    if (!plan.deadline || held->rests_at) return hold(std::move(*held), exposed);
    if (now_ >= *plan.deadline) return missed_deadline(memory, std::move(*held), plan.at_deadline);
    held->until = std::min(held->until.value_or(*plan.deadline), *plan.deadline);
    return hold(std::move(*held), exposed);
}

// Takes the gate as it is now for our own: a person released their brake, or no pod is exposed.
Decision Helm::resume(Memory memory, Partition gate) const {
    if (gate == closed_partition)
        return move_gate(std::move(memory), gate,
                         {Phase::Waiting, Reason::RolloutStarted, waiting_text(set()), {}});
    const std::string message = fmt::format(
        "The rollout to revision {} goes on: {} of {} pods are exposed to it.",
        set().update_revision, exposed_count(gate, set().replicas).value, set().replicas.value);
    return move_gate(std::move(memory), gate,
                     {Phase::Rolling, Reason::RolloutStarted, message, {}});
}

// A rollout is open in our memory: is the world still as we left it?
Decision Helm::go_on(Memory memory) const {
    const Partition gate = effective_partition(set());
    if (set().replicas.value == 0)
        return wait(Phase::Held, Reason::ScaledToZero,
                    "There are no pods while a rollout is open.");
    if (course_.abort && !memory.returning)
        return fail(memory, {Reason::Aborted, *course_.abort}, OnFailure::Rollback);
    if (!course_.abort && is_paused(annotation(set(), key::paused)))
        return wait(Phase::Held, Reason::Paused, "Paused by annotation.");
    if (!course_.abort && !course_.paused_by.empty())
        return wait(Phase::Held, Reason::Paused, course_.paused_by);
    if (memory.returning) return go_back(std::move(memory));
    const bool braked = gate > memory.partition;
    const bool repeats = gate == resting_partition(set().replicas) && memory.brake == Partition{};
    if (braked && repeats && !asks_for_retry(memory)) return put_back(std::move(memory));
    // 1000000 is what the policies set with a new template, also with one that came back meanwhile.
    if (braked && gate != closed_partition && !asks_for_retry(memory))
        return hold_at_brake(std::move(memory));
    memory.retry = retry_asked();
    memory.template_hash = set().template_hash;
    const bool exposes = exposes_pods(set());
    if (braked || (!exposes && gate != closed_partition))
        return resume(std::move(memory), exposes ? gate : closed_partition);
    return unsticking(proceed(memory));
}

// A revision that our memory does not know: a rollout from the top, behind a closed gate.
Decision Helm::start(const Memory& memory) const {
    Memory fresh = opened(memory.id + 1);
    fresh.returning =
        course_.returns_freely && memory.open && set().current_revision == set().update_revision;
    const std::string message = fresh.returning
                                    ? fmt::format(
                                          "The template is back at revision {}: the pods that were "
                                          "updated return to it.",
                                          set().update_revision)
                                    : waiting_text(set());
    Decision decision =
        close_gate(fresh, fresh.returning ? Reason::RollingBack : Reason::RolloutStarted, message);
    if (memory.open) decision.ended = {"superseded", now_ - memory.started};
    // Pods that only seem to be old, because their watch lags behind, are no reason to start. Where
    // pods are exposed the gate is shut at once and questions are asked later.
    decision.needs_live = !exposes_pods(seen_.workload);
    return decision;
}

Decision Helm::wait_for_status() const {
    return hold(
        brief_hold(Reason::StatusStale,
                   "The StatefulSet controller has not seen the latest change yet.", seen_, now_),
        PodCount{0});
}

Decision Helm::claimed_by_other(const std::string& other) const {
    Decision decision =
        wait_silently(Phase::Blocked, Reason::ClaimedByOther, other + " steers this StatefulSet.");
    decision.notices.push_back({Reason::ClaimedByOther, decision.report.message});
    return decision;
}

// The value itself is a person's, of any length; its hash tells a new one from the last.
std::uint64_t Helm::retry_asked() const {
    const std::string retry = annotation(set(), key::retry) + course_.retry;
    return retry.empty() ? 0 : fnv1a(retry);
}

bool Helm::asks_for_retry(const Memory& memory) const {
    const std::uint64_t retry = retry_asked();
    return retry != 0 && retry != memory.retry;
}

Decision Helm::decide() const {
    if (set().meta.deleting) return wait_silently(Phase::Idle, Reason::Idle, "");
    if (course_.held_by) return claimed_by_other(*course_.held_by);
    if (set().strategy != model::UpdateStrategy::RollingUpdate)
        return wait(Phase::Blocked, Reason::OnDelete,
                    "spec.updateStrategy.type is not RollingUpdate.");
    if (set().replicas > replicas_max)
        return wait(Phase::Blocked, Reason::TooManyReplicas,
                    fmt::format("spec.replicas is more than {}.", replicas_max.value));
    const auto memory = recall(set());
    if (auto guarded = guard(memory)) return std::move(*guarded);
    if (!has_current_status(set())) return wait_for_status();
    if (const Quarantine* known = quarantine_of(memory)) return adopt_failed(*known);
    if (!memory || annotation(set(), key::claim) != course_.claim) return adopt();
    if (memory->open && memory->revision == set().update_revision) return go_on(*memory);
    if (!is_pending(seen_)) return rest(*memory);
    const bool known = memory->failed && memory->revision == set().update_revision;
    return known && !asks_for_retry(*memory) ? stay_back() : start(*memory);
}

std::optional<Memory> recall(const StatefulSet& set) {
    auto memory = decode_memory(annotation(set, key::rollout));
    if (!memory || memory->uid != set.meta.uid) return std::nullopt;
    return memory;
}

bool knows_no_rollout(const std::optional<Memory>& memory) {
    return !memory || memory->id == 0;
}

Decision steer(const Snapshot& seen, const Course& course, Instant now) {
    return Helm{seen, course, now}.decide();
}

void keep_quiet_for_a_moment(Decision& decision, const Snapshot& seen, Instant now) {
    if (decision.report.reason != Reason::PodsNotReady || !decision.actions.empty()) return;
    const Hold brief = brief_hold(Reason::PodsNotReady, {}, seen, now);
    decision.silent = brief.silent;
    if (brief.until)
        decision.wake_at = std::min(decision.wake_at.value_or(*brief.until), *brief.until);
}

// Whoever reaches for the brake and misspells "true" means the brake.
bool is_paused(const std::string& annotation) {
    return !annotation.empty() && annotation != "false";
}

}  // namespace sluice::engine
