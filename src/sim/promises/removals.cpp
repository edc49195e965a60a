// When an operator may delete a pod: to take a failed revision back, or because the pod is stuck.
#include <fmt/format.h>

#include <algorithm>

#include "sim/api/state.hpp"
#include "sim/promises/promise.hpp"

namespace sluice::sim {
namespace {

constexpr const char* unstick_at = "/metadata/annotations/sluice.dev~1unstick";
// Times are kept in whole seconds.
constexpr Duration rounding = 1s;

// What the two causes share.
class RemovalPromise : public Promise {
  public:
    using Promise::Promise;

  protected:
    // Whatever the operator says of itself: a rollout goes back only for a cause that others can
    // see.
    bool is_going_back(const PodRemoval& removal) const {
        const auto note = rollout_note(removal.set->object());
        return note && note->is_returning &&
               std::ranges::any_of(in_.observers, [&](const auto& one) {
                   return one->has_cause_to_go_back(removal.set->object(), *removal.read);
               });
    }

    bool is_stuck_in_rollout(const PodRemoval& removal) const {
        const auto note = rollout_note(removal.read->set->object());
        return note && note->is_open && is_stuck(removal.pod(), *removal.read);
    }

    // A pod that was never ready, on a revision that is neither wanted nor the one it comes back
    // on.
    bool is_stuck(const json::object& pod, const LiveRead& read) const {
        const json::object& set = read.set->object();
        const std::string revision = text_at(pod, revision_at);
        const std::string current = text_at(set, "/status/currentRevision");
        const std::string wanted = text_at(set, "/status/updateRevision");
        const bool is_let_go = index_of(name_in(pod), set) >= partition_of(set);
        const std::string next = is_let_go ? wanted : current;
        const std::string taken_up = text_at(pod, "/status/startTime");
        const auto started = parse_rfc3339(
            taken_up.empty() ? text_at(pod, "/metadata/creationTimestamp") : taken_up);
        const Duration patience = revision == current ? Duration{10min} : Duration{30s};
        const bool had_time = !started || now() + in_.skew + rounding >= *started + patience;
        // It comes back on a wanted revision only if it was let go, or others run that already.
        const bool excused = text_at(set, excuse_at) == "true";
        const bool is_run = std::ranges::any_of(read.pods, [&](const ObjectPtr& one) {
            return !is_leaving(one->object()) && text_at(one->object(), revision_at) == next &&
                   (excused || has_condition(one->object(), "Ready"));
        });
        return had_time && (is_let_go || next != wanted || is_run) && revision != wanted &&
               revision != next && !in_.history.was_ready(uid_in(pod));
    }
};

// S25: the newest first, one at a time, while all that are back are well.
class TakesBackInOrder final : public RemovalPromise {
  public:
    using RemovalPromise::RemovalPromise;

    void on_removal(const PodRemoval& removal) override {
        tested();
        if (!removal.set || !removal.read) return;
        const std::string& name = removal.change.place.name;
        if (is_going_back(removal)) return on_way_back(removal);
        if (!is_stuck_in_rollout(removal))
            broken(fmt::format("{} was deleted, and is neither on its way back nor stuck", name));
    }

  private:
    void on_way_back(const PodRemoval& removal) const {
        const json::object& set = removal.set->object();
        const std::string& name = removal.change.place.name;
        const std::string home = text_at(set, "/status/currentRevision");
        const bool excused = text_at(removal.read->set->object(), excuse_at) == "true";
        if (text_at(removal.pod(), revision_at) == home)
            broken(fmt::format("{} was deleted, and was back already", name));
        const std::int64_t replicas = number_at(set, "/spec/replicas");
        if (partition_of(set) < replicas)
            broken(fmt::format("{} was deleted while the gate is open", name));
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
                one && !is_leaving(*one) && (failed || has_condition(*one, "Ready") || excused);
            if (!well) broken(fmt::format("{} was deleted while {} is away", name, other));
            if (failed && is_newest)
                broken(fmt::format("{} was deleted before {}, which is newer", name, other));
        }
    }
};

// S32: where operators take turns, the set says whose turn it is.
class RemovesInItsTurn final : public Promise {
  public:
    using Promise::Promise;

    void on_removal(const PodRemoval& removal) override {
        const auto leases = in_.cluster.api().list("leases.coordination.k8s.io");
        if (!removal.set || !removal.read || leases.empty()) return;  // none: there is one operator
        tested();
        const json::object& lease = leases.front()->object();
        const auto fence = fence_note(removal.set->object());
        if (!fence || fence->lease != uid_in(lease) ||
            fence->transitions != number_at(lease, "/spec/leaseTransitions"))
            broken(
                fmt::format("{} was deleted, and its set has not the fence of the lease that is "
                            "in force",
                            removal.change.place.name));
    }
};

// S33: where no rollout is on its way back only a pod goes that is stuck: the newest first, while
// all others are well or stuck themselves.
class ReplacesStuckPods final : public RemovalPromise {
  public:
    using RemovalPromise::RemovalPromise;

    void on_removal(const PodRemoval& removal) override {
        if (!removal.set || !removal.read || is_going_back(removal)) return;
        tested();
        if (!is_stuck_in_rollout(removal)) return;
        const LiveRead& read = *removal.read;
        const json::object& set = read.set->object();
        const std::string name = name_in(removal.pod());
        if (has(set, unstick_at) || text_at(set, paused_at) == "true")
            broken(fmt::format("{} was replaced, and the set says that it must not be", name));
        const bool excused = text_at(set, excuse_at) == "true";
        bool is_newest = true;
        for (std::int64_t index = 0; index < number_at(set, "/spec/replicas"); ++index) {
            const std::string other = pod_at(set, index);
            if (other == name) is_newest = false;
            if (other == name) continue;
            const json::object* one = named(read.pods, other);
            const bool stuck = one && !is_leaving(*one) && is_stuck(*one, read);
            const bool well = one && !is_leaving(*one) && (excused || has_condition(*one, "Ready"));
            // Above it, pods that are not there wait for it.
            const bool waits = !is_newest && (!one || is_leaving(*one));
            if (!stuck && !well && !waits)
                broken(fmt::format("{} was replaced while {} is away", name, other));
            if (stuck && is_newest)
                broken(fmt::format("{} was replaced before {}, which is newer", name, other));
        }
    }
};

}  // namespace

void add_removal_promises(Observers& all, const Inspection& inspection) {
    add<TakesBackInOrder>(all, "S25", inspection);
    add<RemovesInItsTurn>(all, "S32", inspection);
    add<ReplacesStuckPods>(all, "S33", inspection);
}

}  // namespace sluice::sim
