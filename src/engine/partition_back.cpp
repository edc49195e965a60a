// The way back: pods that return to the revision before, and pods that are stuck.
#include <fmt/format.h>

#include <algorithm>

#include "engine/partition_lever.hpp"
#include "model/annotations.hpp"

namespace sluice::engine {

namespace key = model::key;

namespace {

// So long a pod may take to become ready before it counts as stuck; longer on a revision that was
// good enough to become the current one.
constexpr Duration patience = 30s;
constexpr Duration patience_with_current = 10min;

}  // namespace

bool PartitionLever::is_well(const model::Pod* pod) const {
    const bool excused = annotation(set(), key::allow_unready) == "true";
    return pod && !pod->meta.deleting && (excused || is_available(*pod, set().min_ready, now_));
}

// Where the report is an annotation it is written first, and the pod goes at the next look. The
// deletion of a pod can carry no fence, so its set does, before: whoever leads after us and writes
// to the set takes the deletion from under us, for it is decided upon anew after this write.
Decision PartitionLever::take_away(const model::Pod& pod, Phase phase, Reason reason,
                                   std::string message, std::uint64_t version) const {
    Decision decision = wait(phase, reason, std::move(message));
    const std::string& fence = seen_.environment.fence;
    const bool lacks_fence = !fence.empty() && annotation(set(), key::fence) != fence;
    if (decision.actions.empty() && lacks_fence) {
        decision.notices.clear();
        decision.actions.push_back(action_of(model::WorkloadPatch{set()}));
        return decision;
    }
    decision.actions.push_back(
        deletion_of({ref_to(model::pods, pod.meta.key), pod.meta.uid}, version));
    return decision;
}

// One pod at a time: those that are on the old revision must be well before the next one leaves.
std::optional<Decision> PartitionLever::wait_for_returned() const {
    const PodRow& row = standing_.pods;
    for (PodIndex index{0}; index.value < row.count().value; ++index.value) {
        const model::Pod* pod = row.at(index);
        const bool leaves = pod && pod->revision != set().current_revision;
        if (is_well(pod) || (leaves && !pod->meta.deleting)) continue;
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
std::optional<Decision> PartitionLever::take_back(const Memory& memory) const {
    if (gate() < closed_partition)
        return move(memory, closed_partition,
                    {Phase::Held, Reason::RollingBack, "The gate is closed again.", {}});
    if (auto waits = wait_for_returned()) return waits;
    const PodRow& row = standing_.pods;
    for (PodIndex index{0}; index.value < row.count().value; ++index.value) {
        const model::Pod* pod = row.at(index);
        if (pod->revision == standing_.current) continue;
        return take_away(
            *pod, Phase::Held, Reason::RollingBack,
            fmt::format("Pod {} returns to revision {}.", row.name_of(index), standing_.current));
    }
    return std::nullopt;
}

std::string PartitionLever::returning_text() const {
    return "The pods that were updated return to the revision before.";
}

std::string PartitionLever::returned_text() const {
    return fmt::format("Revision {} failed; all pods are back on revision {}.", standing_.updated,
                       standing_.current);
}

std::string PartitionLever::stays_back_text() const {
    const PodRow& row = standing_.pods;
    int run_it = 0;
    for (PodIndex index{0}; index.value < row.count().value; ++index.value)
        if (row.at(index) && row.at(index)->revision == standing_.updated) ++run_it;
    if (run_it == 0) return returned_text();
    return fmt::format("Revision {} failed; {} of {} pods run it, and no further one goes.",
                       standing_.updated, run_it, row.count().value);
}

// It never became ready on a revision that is not wanted any more, and would come back on another
// one. Kubernetes waits for such a pod for ever where pods are started in their order. From when on
// that counts: one that has just started may still become ready, above all on a revision that
// works.
std::optional<Instant> PartitionLever::stuck_from(PodIndex index) const {
    const model::Pod* pod = standing_.pods.at(index);
    const bool exposed = standing_.is_exposed(index);
    const std::string& next = exposed ? set().update_revision : set().current_revision;
    const bool is_stuck = pod && !pod->meta.deleting && pod->never_ready &&
                          pod->ready_since > Instant{} && pod->revision != set().update_revision &&
                          pod->revision != next;
    // What has no gate behind it comes only where somebody runs it already.
    const bool is_safe = exposed || next != set().update_revision || runs_well(next);
    if (!is_stuck || !is_safe) return std::nullopt;
    return pod->ready_since +
           (pod->revision == set().current_revision ? patience_with_current : patience);
}

bool PartitionLever::runs_well(const std::string& revision) const {
    const PodRow& row = standing_.pods;
    for (PodIndex index{0}; index.value < row.count().value; ++index.value)
        if (is_well(row.at(index)) && row.at(index)->revision == revision) return true;
    return false;
}

// The newest, which is the lowest, if all others are well or stuck too. Pods above it that are not
// there wait for it, where pods are started in their order.
std::optional<PodIndex> PartitionLever::stuck_pod() const {
    const PodRow& row = standing_.pods;
    std::optional<PodIndex> stuck;
    for (PodIndex index{0}; index.value < row.count().value; ++index.value) {
        const auto from = stuck_from(index);
        if (from && *from <= now_) {
            if (!stuck) stuck = index;
            continue;
        }
        const model::Pod* pod = row.at(index);
        const bool waits = stuck && (!pod || pod->meta.deleting);
        if (!waits && !is_well(pod)) return std::nullopt;
    }
    return stuck;
}

// One at a time, and only where nothing but pods is waited for: a gate that is asked first may take
// the pod to the new revision at once.
Decision PartitionLever::unsticking(Decision decision) const {
    const Reason why = decision.report.reason;
    const bool waits = why == Reason::PodsNotReady || why == Reason::ProgressDeadlineExceeded;
    const bool moves = !decision.actions.empty() && decision.actions.front().partition;
    const std::string& wish = annotation(set(), key::unstick);
    if (!waits || moves || !(wish.empty() || wish == "Always")) return decision;
    if (const auto stuck = stuck_pod()) return unstick(*stuck);
    // No news will come of a pod that is stuck: time alone tells.
    for (PodIndex index{0}; index.value < standing_.pods.count().value; ++index.value)
        if (const auto from = stuck_from(index); from && *from > now_)
            decision.wake_at = std::min(decision.wake_at.value_or(*from), *from);
    return decision;
}

Decision PartitionLever::unstick(PodIndex index) const {
    const model::Pod& pod = *standing_.pods.at(index);
    const bool exposed = standing_.is_exposed(index);
    Decision decision = take_away(
        pod, exposed ? Phase::Rolling : Phase::Waiting, Reason::StuckPodReplaced,
        fmt::format("Pod {} was never ready on revision {}, which is not wanted any more; it is "
                    "replaced by one of revision {}.",
                    pod.meta.key.name, pod.revision,
                    exposed ? set().update_revision : set().current_revision),
        pod.meta.resource_version);  // one that becomes ready at the last moment stays
    if (!patches_workload(decision))
        decision.notices.push_back({Reason::StuckPodReplaced, decision.report.message});
    return decision;
}

}  // namespace sluice::engine
