#include "engine/rollout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/gates.hpp"

namespace sluice::engine {

Memory Rollout::opened(std::int64_t id) const {
    Memory memory = lever_.fresh_memory();
    memory.id = id;
    memory.open = true;
    return memory;
}

Decision Rollout::decide() const {
    if (auto blocked = lever_.blocked()) return std::move(*blocked);
    if (const Quarantine* known = quarantine()) return adopt_failed(*known);
    const auto& memory = lever_.memory();
    if (!memory || !lever_.is_ours()) return adopt();
    const bool is_known = memory->revision == standing().updated;
    if (memory->open && is_known) return go_on(*memory);
    if (!standing().is_pending) return lever_.rest(*memory);
    const bool stays_back = memory->failed && is_known && !lever_.asks_for_retry();
    return stays_back ? lever_.wait(Phase::Held, Reason::RolledBack, lever_.stays_back_text())
                      : start(*memory);
}

// A workload that we have not steered before, or whose memory is lost: close its gate.
Decision Rollout::adopt() const {
    const bool pending = standing().is_pending;
    Memory memory = opened(pending ? 1 : 0);
    memory.open = pending;
    Decision decision =
        pending
            ? lever_.move(memory, closed_partition,
                          {Phase::Waiting, Reason::RolloutStarted, waiting_text(standing()), {}})
            : lever_.move(memory, lever_.resting(), {Phase::Idle, Reason::Adopted, "", {}});
    const std::string& name = standing().seen.workload.meta.key.name;
    decision.notices.push_back(
        {Reason::Adopted, fmt::format("Sluice steers {} from now on.", name)});
    if (pending) decision.notices.push_back({Reason::RolloutStarted, waiting_text(standing())});
    if (pending && standing().current == standing().updated)
        decision.notices.push_back(
            {Reason::PodsPredateSet,
             fmt::format("The pods of {} are older than the set: one that dies comes back on "
                         "revision {}, whatever the gate says.",
                         name, standing().updated)});
    return decision;
}

// Our memory of the workload is lost, or there never was one, and the API knows that this revision
// failed.
const Quarantine* Rollout::quarantine() const {
    const bool is_in_it = knows_no_rollout(lever_.memory()) && course_.quarantine &&
                          course_.quarantine->revision == standing().updated &&
                          standing().current != standing().updated;
    return is_in_it ? &*course_.quarantine : nullptr;
}

Decision Rollout::adopt_failed(const Quarantine& known) const {
    Memory memory = opened(1);
    memory.open = memory.returning = known.returns;
    memory.failed = !memory.returning;
    const std::string message =
        fmt::format("Revision {} failed before, and is not tried again.", standing().updated);
    Decision decision = lever_.move(
        std::move(memory), closed_partition,
        {Phase::Held, known.returns ? Reason::RollingBack : Reason::RolledBack, message, {}});
    decision.needs_live = true;
    decision.notices.push_back({Reason::Adopted, message});
    return decision;
}

// A revision that our memory does not know: a rollout from the top, behind a closed gate.
Decision Rollout::start(const Memory& memory) const {
    Memory fresh = opened(memory.id + 1);
    fresh.returning =
        course_.returns_freely && memory.open && standing().current == standing().updated;
    const Reason reason = fresh.returning ? Reason::RollingBack : Reason::RolloutStarted;
    const std::string message = fresh.returning
                                    ? fmt::format(
                                          "The template is back at revision {}: the pods that were "
                                          "updated return to it.",
                                          standing().updated)
                                    : waiting_text(standing());
    Decision decision =
        lever_.move(std::move(fresh), closed_partition, {Phase::Waiting, reason, message, {}});
    decision.notices.push_back({reason, message});
    if (memory.open) decision.ended = {"superseded", now_ - memory.started};
    // Units that only seem to be old, because their watch lags behind, are no reason to start.
    // Where some are exposed the gate is shut at once and questions are asked later.
    decision.needs_live = standing().exposed.value == 0;
    return decision;
}

// A rollout is open in our memory: is the world still as we left it?
Decision Rollout::go_on(const Memory& memory) const {
    if (standing().units.value == 0)
        return lever_.wait(Phase::Held, Reason::ScaledToZero,
                           "There are no pods while a rollout is open.");
    if (course_.abort && !memory.returning)
        return fail(memory, {Reason::Aborted, *course_.abort}, OnFailure::Rollback);
    const auto paused = paused_by(standing().seen.workload, course_);
    if (!course_.abort && paused) return lever_.wait(Phase::Held, paused->reason, paused->message);
    if (memory.returning) return go_back(memory);
    if (auto disturbed = lever_.disturbed(memory)) return std::move(*disturbed);
    return lever_.unsticking(proceed(lever_.caught_up(memory)));
}

// Runs the plan one look further.
Decision Rollout::proceed(const Memory& memory) const {
    const PodCount exposed = standing().exposed;
    const Plan plan = course_.compile();
    Advance next = advance(plan, exposed, standing(), now_);
    if (plan.exposed_max && exposed > *plan.exposed_max)
        return lever_.narrow(memory, *plan.exposed_max);
    if (auto* step = std::get_if<TakeStep>(&next)) return take(memory, *step);
    if (auto* failed = std::get_if<Fail>(&next))
        return fail(memory, *failed, failed->aborts ? OnFailure::Rollback : plan.on_failure);
    auto* held = std::get_if<Hold>(&next);
    if (!held) return finish(memory);
    if (!plan.deadline || held->rests_at) return hold(std::move(*held));
    if (now_ >= *plan.deadline) return missed_deadline(memory, std::move(*held), plan.at_deadline);
    held->until = std::min(held->until.value_or(*plan.deadline), *plan.deadline);
    return hold(std::move(*held));
}

// Every gate is passed: expose one more unit, or as many as the step has.
Decision Rollout::take(Memory memory, const TakeStep& step) const {
    if (auto unsure = lever_.unsure()) return std::move(*unsure);
    // In another list of steps the place that was reached means nothing.
    const bool is_same_list = memory.list == course_.list;
    memory.place = is_same_list ? std::max(memory.place, step.place) : step.place;
    memory.list = course_.list;
    Lever::StepText text = lever_.step_text(step);
    const Partition to = partition_for(step.target, standing().units);
    Decision decision = lever_.move(std::move(memory), to, std::move(text.report));
    decision.takes_step = true;
    decision.notices.push_back({course_.allowed, std::move(text.notice)});
    return decision;
}

Decision Rollout::finish(const Memory& memory) const {
    if (const auto place = lever_.promotes_at()) return take(memory, {standing().units, *place});
    return complete(memory);
}

Decision Rollout::hold(Hold held) const {
    const Phase phase = standing().exposed.value > 0 ? Phase::Rolling : Phase::Waiting;
    Decision decision = held.silent
                            ? lever_.wait_silently(phase, held.reason, std::move(held.message))
                            : lever_.wait(phase, held.reason, std::move(held.message));
    decision.silent = held.silent;
    if (held.probe) decision.probe = std::move(held.probe);
    decision.progress = std::move(held.progress);
    decision.rests_at = held.rests_at;
    if (held.until)
        decision.wake_at = std::min(decision.wake_at.value_or(*held.until), *held.until);
    return decision;
}

// The plan's step failed: stay, or take back what was exposed.
Decision Rollout::fail(const Memory& memory, Fail failed, OnFailure then) const {
    if (then == OnFailure::Hold) {
        Decision decision = lever_.wait(Phase::Held, failed.reason, std::move(failed.message));
        decision.progress = std::move(failed.progress);
        return decision;
    }
    Memory back = memory;
    back.returning = true;
    Decision decision = lever_.move(std::move(back), closed_partition,
                                    {Phase::Held,
                                     Reason::RollingBack,
                                     fmt::format("{} {}", failed.message, lever_.returning_text()),
                                     {}});
    decision.notices.push_back({failed.reason, std::move(failed.message)});
    decision.progress = std::move(failed.progress);
    decision.needs_live = true;  // somebody may have paused it, or said something else, meanwhile
    return decision;
}

Decision Rollout::missed_deadline(const Memory& memory, Hold held, OnFailure then) const {
    return fail(
        memory,
        {Reason::ProgressDeadlineExceeded, "The next step was not reached in time. " + held.message,
         std::move(held.progress)},
        then);
}

Decision Rollout::go_back(const Memory& memory) const {
    if (auto under_way = lever_.take_back(memory)) return std::move(*under_way);
    return standing().current == standing().updated ? complete(memory) : returned(memory);
}

Decision Rollout::returned(Memory memory) const {
    const Ended ended{"rolled_back", now_ - memory.started};
    memory.open = memory.returning = false;
    memory.failed = true;
    const std::string message = lever_.returned_text();
    Decision decision = lever_.move(std::move(memory), closed_partition,
                                    {Phase::Held, Reason::RolledBack, message, {}});
    decision.needs_live = true;
    decision.notices.push_back({Reason::RolledBack, message});
    decision.ended = ended;
    return decision;
}

Decision Rollout::complete(Memory memory) const {
    const Ended ended{"completed", now_ - memory.started};
    const std::string message = lever_.completed_text();
    memory.open = memory.returning = false;
    Decision decision = lever_.move(std::move(memory), lever_.resting(),
                                    {Phase::Idle, Reason::RolloutCompleted, message, {}});
    // Whoever reads "completed" goes home: a unit whose last news were lost must not be overlooked.
    decision.needs_live = true;
    decision.notices.push_back({Reason::RolloutCompleted, message});
    decision.ended = ended;
    return decision;
}

}  // namespace sluice::engine
