// When an operator may delete a pod: to take a failed revision back, or because the pod is stuck.
#include <algorithm>

#include "sim/api/state.hpp"
#include "sim/promises/promise.hpp"

namespace sluice::sim {
namespace {

constexpr const char* unstick_at = "/metadata/annotations/sluice.dev~1unstick";
// Times are kept in whole seconds.
constexpr Duration rounding = 1s;

// Whatever the operator says of itself: a rollout goes back only for a cause that others can see.
bool is_going_back(const Promise& promise, const PodRemoval& removal) {
    const auto note = rollout_note(removal.set->object());
    return note && note->is_returning &&
           std::ranges::any_of(promise.in.observers, [&](const auto& one) {
               return one->has_cause_to_go_back(removal.set->object(), *removal.read);
           });
}

// A pod that was never ready, on a revision that is neither wanted nor the one it comes back on.
bool is_stuck(const Promise& promise, const json::object& pod, const LiveRead& read) {
    const json::object& set = read.set->object();
    const std::string revision = text_at(pod, revision_at);
    const std::string current = text_at(set, "/status/currentRevision");
    const std::string wanted = text_at(set, "/status/updateRevision");
    const bool is_let_go = index_of(name_in(pod), set) >= partition_of(set);
    const std::string next = is_let_go ? wanted : current;
    const std::string taken_up = text_at(pod, "/status/startTime");
    const auto started =
        parse_rfc3339(taken_up.empty() ? text_at(pod, "/metadata/creationTimestamp") : taken_up);
    const Duration patience = revision == current ? Duration{10min} : Duration{30s};
    const bool had_time =
        !started || promise.now() + promise.in.skew + rounding >= *started + patience;
    // It comes back on a wanted revision only if it was let go, or others run that already.
    const bool excused = text_at(set, excuse_at) == "true";
    const bool is_run = std::ranges::any_of(read.pods, [&](const ObjectPtr& one) {
        return !is_terminating(one->object()) && text_at(one->object(), revision_at) == next &&
               (excused || has_condition(one->object(), "Ready"));
    });
    return had_time && (is_let_go || next != wanted || is_run) && revision != wanted &&
           revision != next && !promise.in.history.was_ready(uid_in(pod));
}

bool is_stuck_in_rollout(const Promise& promise, const PodRemoval& removal) {
    const auto note = rollout_note(removal.read->set->object());
    return note && note->is_open && is_stuck(promise, removal.pod(), *removal.read);
}

// By the set as it was read: others may scale it, and Kubernetes may call the rollout complete, in
// that very moment.
void check_way_back(const Promise& promise, const PodRemoval& removal) {
    const json::object& set = removal.read->set->object();
    const std::string& name = removal.change.place.name;
    const std::string home = text_at(set, "/status/currentRevision");
    const bool excused = text_at(removal.read->set->object(), excuse_at) == "true";
    if (text_at(removal.pod(), revision_at) == home)
        promise.broken("{} was deleted, and was back already", name);
    const std::int64_t replicas = number_at(set, "/spec/replicas");
    if (partition_of(set) < replicas) promise.broken("{} was deleted while the gate is open", name);
    bool is_newest = true;
    for (std::int64_t index = 0; index < replicas; ++index) {
        const std::string other = pod_at(set, index);
        if (other == name) {
            is_newest = false;
            continue;
        }
        const json::object* one = named(removal.read->pods, other);
        const bool failed = one && text_at(*one, revision_at) != home;
        const bool well =
            one && !is_terminating(*one) && (failed || has_condition(*one, "Ready") || excused);
        if (!well) promise.broken("{} was deleted while {} is away", name, other);
        if (failed && is_newest)
            promise.broken("{} was deleted before {}, which is newer", name, other);
    }
}

// S25: the newest first, one at a time, while all that are back are well.
void takes_back_in_order(const Promise& promise, const PodRemoval& removal) {
    promise.tested();
    if (!removal.set || !removal.read) return;
    if (is_going_back(promise, removal)) return check_way_back(promise, removal);
    if (!is_stuck_in_rollout(promise, removal))
        promise.broken("{} was deleted, and is neither on its way back nor stuck",
                       removal.change.place.name);
}

// S32: where leaders are elected, the set says who leads.
void removes_as_leader(const Promise& promise, const PodRemoval& removal) {
    const auto leases = promise.in.cluster.api().list("leases.coordination.k8s.io");
    if (!removal.set || !removal.read || leases.empty()) return;  // none: there is one operator
    promise.tested();
    const json::object& lease = leases.front()->object();
    const auto fence = fence_note(removal.set->object());
    if (!fence || fence->lease != uid_in(lease) ||
        fence->transitions != number_at(lease, "/spec/leaseTransitions"))
        promise.broken(
            "{} was deleted, and its set has not the fence of the lease that is in force",
            removal.change.place.name);
}

// S33: where no rollout is on its way back only a pod goes that is stuck: the newest first, while
// all others are well or stuck themselves.
void replaces_stuck_pods(const Promise& promise, const PodRemoval& removal) {
    if (!removal.set || !removal.read || is_going_back(promise, removal)) return;
    promise.tested();
    if (!is_stuck_in_rollout(promise, removal)) return;
    const LiveRead& read = *removal.read;
    const json::object& set = read.set->object();
    const std::string name = name_in(removal.pod());
    if (has(set, unstick_at) || text_at(set, paused_at) == "true")
        promise.broken("{} was replaced, and the set says that it must not be", name);
    const bool excused = text_at(set, excuse_at) == "true";
    bool is_newest = true;
    for (std::int64_t index = 0; index < number_at(set, "/spec/replicas"); ++index) {
        const std::string other = pod_at(set, index);
        if (other == name) is_newest = false;
        if (other == name) continue;
        const json::object* one = named(read.pods, other);
        const bool stuck = one && !is_terminating(*one) && is_stuck(promise, *one, read);
        const bool well = one && !is_terminating(*one) && (excused || has_condition(*one, "Ready"));
        // Above it, pods that are not there wait for it.
        const bool waits = !is_newest && (!one || is_terminating(*one));
        if (!stuck && !well && !waits)
            promise.broken("{} was replaced while {} is away", name, other);
        if (stuck && is_newest)
            promise.broken("{} was replaced before {}, which is newer", name, other);
    }
}

constexpr Rule<> rules_of_removals[] = {
    {.name = "S25", .on_removal = takes_back_in_order},
    {.name = "S32", .on_removal = removes_as_leader},
    {.name = "S33", .on_removal = replaces_stuck_pods},
};

}  // namespace

void add_removal_promises(Observers& all, const Inspection& inspection) {
    add(all, rules_of_removals, inspection);
}

}  // namespace sluice::sim
