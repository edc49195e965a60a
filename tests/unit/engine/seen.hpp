// A look at a small world, written in few words: seen(3) is a set `web` of three pods, all ready
// and on revision web-A, with no rollout pending.
#pragma once

#include <string>

#include "engine/snapshot.hpp"

namespace sluice::engine::testing {

// Noon of some day; all times in these tests are told from here.
inline constexpr Instant noon{1'790'000'000'000};

inline model::Pod pod(int ordinal, const std::string& revision, bool ready = true) {
    model::Pod one;
    one.meta.key = {"shop", "web-" + std::to_string(ordinal)};
    one.meta.uid = "pod-" + std::to_string(ordinal) + "-" + revision;
    one.owner_uid = "set";
    one.revision = "web-" + revision;
    one.running = true;
    one.ready = ready;
    one.ready_since = noon - 1h;
    return one;
}

inline Snapshot seen(int replicas, const std::string& revision = "A") {
    Snapshot look;
    look.workload.meta = {{"shop", "web"}, "set", 10, 5, false};
    look.workload.labels = {{"dd-statefulset-pilot", "careful"}};
    look.workload.replicas = PodCount{replicas};
    look.workload.partition = Partition{replicas};
    look.workload.template_hash = 0xA;
    look.workload.observed_generation = 5;
    look.workload.current_revision = "web-" + revision;
    look.workload.update_revision = "web-" + revision;
    for (int ordinal = 0; ordinal < replicas; ++ordinal)
        look.pods.push_back(pod(ordinal, revision));
    return look;
}

// The user changed the template to B, and Kubernetes knows it; no pod has moved.
inline Snapshot pending(int replicas, Partition partition = closed_partition) {
    Snapshot look = seen(replicas);
    look.workload.template_hash = 0xB;
    look.workload.update_revision = "web-B";
    look.workload.partition = partition;
    return look;
}

// As pending(), and the pods from `partition` up are on B already.
inline Snapshot rolling(int replicas, int partition) {
    Snapshot look = pending(replicas, Partition{partition});
    for (int ordinal = partition; ordinal < replicas; ++ordinal)
        look.pods[static_cast<std::size_t>(ordinal)] = pod(ordinal, "B");
    return look;
}

}  // namespace sluice::engine::testing
