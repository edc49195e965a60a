// The way back: what becomes of a rollout that failed.
#include <fmt/format.h>

#include "engine/helm.hpp"
#include "model/annotations.hpp"

namespace sluice::engine {

namespace key = model::key;

// The plan's step failed: stay, or take the pods back.
Decision Helm::fail(const Memory& memory, Fail failed, OnFailure then) const {
    if (then == OnFailure::Hold) {
        Decision decision = wait(Phase::Held, failed.reason, std::move(failed.message));
        decision.progress = std::move(failed.progress);
        return decision;
    }
    Memory back = memory;
    back.returning = true;
    Decision decision =
        move_gate(back, closed_partition,
                  {Phase::Held,
                   Reason::RollingBack,
                   failed.message + " The pods that were updated return to the revision before.",
                   {}});
    decision.notices.push_back({failed.reason, std::move(failed.message)});
    decision.progress = std::move(failed.progress);
    decision.needs_live = true;  // somebody may have paused it, or said something else, meanwhile
    return decision;
}

// One pod at a time: those that are on the old revision must be well before the next one leaves.
std::optional<Decision> Helm::wait_for_returned(const PodRow& row) const {
    const bool excused = annotation(set(), key::allow_unready) == "true";
    for (PodIndex index{0}; index.value < row.count().value; ++index.value) {
        const model::Pod* pod = row.at(index);
        const bool leaves = pod && pod->revision != set().current_revision;
        const bool well = pod && !pod->meta.deleting &&
                          (leaves || excused || is_available(*pod, set().min_ready, now_));
        if (well) continue;
        Decision decision = wait(Phase::Held, Reason::RollingBack,
                                 fmt::format("Waiting for pod {} to be ready on revision {}.",
                                             row.name_of(index), set().current_revision));
        const bool ripens = pod && pod->ready && !pod->meta.deleting;
        if (ripens) decision.wake_at = pod->ready_since + set().min_ready;
        return decision;
    }
    return std::nullopt;
}

// The pods that were updated return, newest first, which is the lowest. The gate is closed, so that
// one that is deleted comes back on the revision before.
Decision Helm::go_back(Memory memory) const {
    const PodRow row{seen_};
    if (effective_partition(set()) < closed_partition)
        return move_gate(std::move(memory), closed_partition,
                         {Phase::Held, Reason::RollingBack, "The gate is closed again.", {}});
    if (auto waits = wait_for_returned(row)) return std::move(*waits);
    for (PodIndex index{0}; index.value < row.count().value; ++index.value) {
        const model::Pod* pod = row.at(index);
        if (pod->revision == set().current_revision) continue;
        Decision decision = wait(Phase::Held, Reason::RollingBack,
                                 fmt::format("Pod {} returns to revision {}.", row.name_of(index),
                                             set().current_revision));
        decision.removal = PodRemoval{pod->meta.key.name, pod->meta.uid};
        return decision;
    }
    const bool is_home = set().current_revision == set().update_revision;
    return is_home ? complete(std::move(memory)) : returned(std::move(memory));
}

Decision Helm::returned(Memory memory) const {
    const Ended ended{"rolled_back", now_ - memory.started};
    memory.open = memory.returning = false;
    memory.failed = true;
    const std::string message = fmt::format("Revision {} failed; all pods are back on revision {}.",
                                            set().update_revision, set().current_revision);
    Decision decision = move_gate(std::move(memory), closed_partition,
                                  {Phase::Held, Reason::RolledBack, message, {}});
    decision.needs_live = true;
    decision.notices.push_back({Reason::RolledBack, message});
    decision.ended = ended;
    return decision;
}

// A revision that failed is not tried again by itself.
Decision Helm::stay_back() const {
    const PodRow row{seen_};
    int run_it = 0;
    for (PodIndex index{0}; index.value < row.count().value; ++index.value)
        if (row.at(index) && row.at(index)->revision == set().update_revision) ++run_it;
    if (run_it == 0)
        return wait(Phase::Held, Reason::RolledBack,
                    fmt::format("Revision {} failed; all pods are back on revision {}.",
                                set().update_revision, set().current_revision));
    return wait(Phase::Held, Reason::RolledBack,
                fmt::format("Revision {} failed; {} of {} pods run it, and no further one goes.",
                            set().update_revision, run_it, row.count().value));
}

// Our memory of the workload is lost, or there never was one, and the API knows that this revision
// failed.
const Quarantine* Helm::quarantine_of(const std::optional<Memory>& memory) const {
    const bool is_in_it = knows_no_rollout(memory) && course_.quarantine &&
                          course_.quarantine->revision == set().update_revision &&
                          set().current_revision != set().update_revision;
    return is_in_it ? &*course_.quarantine : nullptr;
}

Decision Helm::adopt_failed(const Quarantine& known) const {
    Memory memory = opened(1);
    memory.open = memory.returning = known.returns;
    memory.failed = !memory.returning;
    const std::string message =
        fmt::format("Revision {} failed before, and is not tried again.", set().update_revision);
    Decision decision = move_gate(
        std::move(memory), closed_partition,
        {Phase::Held, known.returns ? Reason::RollingBack : Reason::RolledBack, message, {}});
    decision.needs_live = true;
    decision.notices.push_back({Reason::Adopted, message});
    return decision;
}

}  // namespace sluice::engine
