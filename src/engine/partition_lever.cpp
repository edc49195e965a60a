#include "engine/partition_lever.hpp"

#include <fmt/format.h>

#include "engine/gates.hpp"
#include "model/annotations.hpp"

namespace sluice::engine {

namespace key = model::key;
using model::WorkloadPatch;

PartitionLever::PartitionLever(const Snapshot& seen, const Course& course, Instant now)
    : seen_(seen), course_(course), now_(now), standing_(seen), memory_(recall(seen.workload)) {}

bool PartitionLever::is_ours() const {
    return annotation(set(), key::claim) == course_.claim;
}

Decision PartitionLever::wait_silently(Phase phase, Reason reason, std::string message) const {
    Decision decision;
    decision.report = {phase, reason, std::move(message), {}};
    return decision;
}

Decision PartitionLever::wait(Phase phase, Reason reason, std::string message) const {
    return wait(phase, reason, std::move(message), {});
}

// Reported in the annotations, unless it says what stands there already.
Decision PartitionLever::wait(Phase phase, Reason reason, std::string message,
                              const model::Texts& notes) const {
    Decision decision;
    decision.report = {phase, reason, std::move(message), unblock(reason)};
    WorkloadPatch patch{set()};
    if (course_.reports_on_workload) write_report(patch, decision.report, seen_, now_);
    for (const auto& [name, value] : notes)
        patch.annotate(name, value);
    if (patch.empty() && course_.reports_on_workload) return decision;
    if (!patch.empty()) decision.actions.push_back(action_of(std::move(patch)));
    if (entry(reason).tone == Tone::Warning)
        decision.notices.push_back({reason, decision.report.message});
    return decision;
}

Action PartitionLever::action_of(WorkloadPatch patch) const {
    const std::string& fence = seen_.environment.fence;
    if (!fence.empty()) patch.annotate(key::fence, fence);
    return to_action(patch);
}

Decision PartitionLever::move(Memory memory, Partition to, StatusReport report) const {
    return move_gate(std::move(memory), to, std::move(report), false);
}

// Moves the gate and remembers where it stands, in one write.
Decision PartitionLever::move_gate(Memory memory, Partition to, StatusReport report,
                                   bool repeats_step) const {
    Decision decision;
    WorkloadPatch patch{set()};
    // A word for one rollout does not disarm the next one, and an old refusal is no news.
    if (report.reason == Reason::RolloutCompleted)
        patch.unannotate(key::allow_scale_to_zero).unannotate(key::refused);
    patch.move_partition(to);
    memory.partition = to;
    memory.brake = {};
    if (!repeats_step)
        memory.generation = set().meta.generation + (patch.moves_partition() ? 1 : 0);
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

Memory PartitionLever::fresh_memory() const {
    Memory memory = first_memory(set().meta.uid, standing_, course_, now_);
    memory.template_hash = set().template_hash;
    memory.retry = retry_asked(set(), course_);
    memory.found = found_partition(set());
    return memory;
}

Memory PartitionLever::caught_up(Memory memory) const {
    memory.retry = retry_asked(set(), course_);
    memory.template_hash = set().template_hash;
    return memory;
}

// The gate rests at replicas.
Decision PartitionLever::rest(Memory memory) const {
    const bool at_rest = set().partition == resting() && memory.partition == resting() &&
                         !memory.open && !memory.failed;
    if (at_rest && seen_.hook_problem)
        return wait(Phase::Blocked, reason_of(*seen_.hook_problem), seen_.hook_problem->message);
    const bool reported =
        annotation(set(), key::phase) == to_text(Phase::Idle) &&
        (!course_.reports_on_workload ||
         annotation(set(), key::guarantee) == guarantee_text(seen_.environment.guarantee));
    if (at_rest && reported) return wait_silently(Phase::Idle, Reason::Idle, "");
    memory.open = memory.failed = false;
    return move(std::move(memory), resting(), {Phase::Idle, Reason::Idle, "", {}});
}

Lever::StepText PartitionLever::step_text(const TakeStep& step) const {
    const PodIndex lowest{partition_for(step.target, set().replicas).value};
    const bool is_one = step.target.value == standing_.exposed.value + 1;
    const std::string pods =
        is_one ? "Pod " + name_of(lowest)
               : fmt::format("Pods {} to {}", name_of({standing_.last_exposed().value - 1}),
                             name_of(lowest));
    return {{Phase::Rolling, Reason::PodsNotReady, waiting_for_pod(name_of(lowest)), {}},
            fmt::format("{} may be updated to revision {} ({} of {}).", pods, standing_.updated,
                        step.target.value, set().replicas.value)};
}

// A scale-up has put more pods behind the gate than the step allows.
Decision PartitionLever::narrow(Memory memory, PodCount exposed_max) const {
    const bool exposes = exposed_max.value > 0;
    const std::string message =
        fmt::format("The set was scaled in mid-rollout: {} of its {} pods may run revision {} now.",
                    exposed_max.value, set().replicas.value, standing_.updated);
    Decision decision = move(
        std::move(memory), exposes ? partition_for(exposed_max, set().replicas) : closed_partition,
        {exposes ? Phase::Rolling : Phase::Waiting, Reason::PodsNotReady, message, {}});
    decision.notices.push_back({Reason::GateFollowsScale, message});
    return decision;
}

std::string PartitionLever::completed_text() const {
    if (set().replicas.value == 1)
        return fmt::format("The pod runs revision {}.", standing_.updated);
    return fmt::format("All {} pods run revision {}.", set().replicas.value, standing_.updated);
}

Decision PartitionLever::wait_for_status() const {
    const Hold held =
        brief_hold(Reason::StatusStale,
                   "The StatefulSet controller has not seen the latest change yet.", seen_, now_);
    Decision decision = held.silent ? wait_silently(Phase::Waiting, held.reason, held.message)
                                    : wait(Phase::Waiting, held.reason, held.message);
    decision.silent = held.silent;
    decision.wake_at = held.until;
    return decision;
}

Decision PartitionLever::claimed_by_other(const std::string& other) const {
    Decision decision =
        wait_silently(Phase::Blocked, Reason::ClaimedByOther, other + " steers this StatefulSet.");
    decision.notices.push_back({Reason::ClaimedByOther, decision.report.message});
    return decision;
}

bool PartitionLever::asks_for_retry() const {
    const std::uint64_t retry = retry_asked(set(), course_);
    return retry != 0 && retry != memory_.value_or(Memory{}).retry;
}

std::optional<Decision> PartitionLever::blocked() const {
    if (set().meta.deleting) return wait_silently(Phase::Idle, Reason::Idle, "");
    if (course_.held_by) return claimed_by_other(*course_.held_by);
    if (set().strategy != model::UpdateStrategy::RollingUpdate)
        return wait(Phase::Blocked, Reason::OnDelete,
                    "spec.updateStrategy.type is not RollingUpdate.");
    if (set().replicas > replicas_max)
        return wait(Phase::Blocked, Reason::TooManyReplicas,
                    fmt::format("spec.replicas is more than {}.", replicas_max.value));
    if (auto guarded = guard()) return guarded;
    if (!has_current_status(set())) return wait_for_status();
    return std::nullopt;
}

}  // namespace sluice::engine
