// What the pilot promises, as questions to the small world. Each answers with a complaint, or with
// nothing if the promise is kept.
#pragma once

#include "tests/exhaustive/steersman.hpp"

namespace sluice::exhaustive {

inline int exposed(const World& world, std::uint8_t partition) {
    return exposed_count(partition_of(partition), PodCount{world.replicas}).value;
}

inline bool some_pod_waits(const World& world) {
    for (int index = 0; index < world.replicas; ++index) {
        const Pod& pod = world.pods[at(index)];
        if (pod.exists() && pod.revision != world.wanted) return true;
    }
    return false;
}

// Kubernetes is about to move a pod that nobody let go.
inline bool leaks(const World& world, std::uint8_t partition) {
    for (int index = partition; index < world.replicas; ++index) {
        const Pod& pod = world.pods[at(index)];
        const std::uint8_t runs = pod.exists() ? pod.revision : world.current;
        const std::uint8_t let_go = world.let_go[at(index)];
        if (runs != world.wanted && let_go != world.wanted && let_go != any) return true;
    }
    return false;
}

// S2, S6: the hook allowed exactly this transition, of the pods that exist now, a moment ago.
inline bool is_consented(const World& world, const Write& write, const Steersman& pilot) {
    if (!world.evidence || world.evidence == void_evidence) return false;
    const Probe& probe = pilot.probe(world.evidence);
    const int prev = write.partition + 1 < world.replicas ? write.partition + 1 : -1;
    return world.allowed && world.fresh && probe.next == write.partition && probe.prev == prev &&
           probe.revision == world.wanted;
}

// S1, S2, S4, S6, S23, S24: exactly one pod more, with consent, on a status that is current.
inline Complaint broken_by_step(const World& world, const Write& write, const Steersman& pilot) {
    if (exposed(world, write.partition) != exposed(world, world.partition) + 1)
        return "more than one pod is let go at once";
    if (!is_consented(world, write, pilot)) return "a pod is let go without consent";
    if (!world.observed) return "a pod is let go on a stale status";
    if (world.paused) return "a pod is let go though the rollout is paused";
    for (int index = 0; index < world.replicas; ++index) {
        const Pod& pod = world.pods[at(index)];
        if (!pod.exists() || (!pod.ready && index != write.partition))
            return "a pod is let go while another is not ready";
        if (index > write.partition && pod.revision != world.wanted)
            return "a pod is let go before its predecessor is updated";
    }
    return {};
}

// S1, S21: only a step exposes pods; only what is settled is lowered to rest or called complete.
inline Complaint broken_by_write(const World& world, const Look& look, const Steersman& pilot) {
    const Write& write = pilot.write(look.write);
    const bool exposes =
        write.moves && exposed(world, write.partition) > exposed(world, world.partition);
    const bool lowers = write.moves && write.partition < world.partition;
    const bool settled = !some_pod_waits(world) && world.current == world.wanted;
    // With nothing pending the set is handed back with the partition that it came with.
    const bool is_handed_back = !world.label && !write.memory.exists && settled && world.observed;
    if (exposes != look.takes_step && !is_handed_back)
        return "a write exposes pods that is no step";
    if (lowers && !exposes && !settled)
        return "the partition is lowered to rest while something is pending";
    if (look.completes && !(settled && all_ready(world) && world.observed))
        return "a rollout is called complete that is not";
    return look.takes_step ? broken_by_step(world, write, pilot) : Complaint{};
}

// S5': what others opened is closed again at the first look, unless that was just done.
inline Complaint broken_by_patience(const World& world, Steersman& pilot) {
    const Remembered& memory = world.memory;
    if (world.sent || !pilot.is_steered(world) || memory.corrected == 1) return {};
    if (!leaks(world, world.partition)) return {};
    const Look& look = pilot.look(world);
    const bool closes = look.write && pilot.write(look.write).moves &&
                        !leaks(world, pilot.write(look.write).partition);
    return closes ? Complaint{} : "a gate that others opened stays open";
}

}  // namespace sluice::exhaustive
