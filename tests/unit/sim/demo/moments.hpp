// Moments of a rollout, written down by hand, for tests of what is drawn of them.
#pragma once

#include "sim/demo/scene.hpp"

namespace sluice::sim::demo {

inline PodSeen pod_seen(std::int64_t index, const std::string& version, Duration age) {
    return {.name = "db-" + std::to_string(index),
            .index = index,
            .exists = true,
            .uid = "uid-" + std::to_string(index) + "-" + version,
            .image = "app:" + version,
            .revision = version == "1.0" ? "db-6f8d4df666" : "db-7fbc84968c",
            .state = "Running",
            .ready = true,
            .age = age};
}

// Nothing is pending.
inline Scene at_rest() {
    const Instant begun{1'790'000'000'000};
    Scene scene;
    scene.title = "a rollout that waits for its shards";
    scene.speed = 3;
    scene.begun = begun;
    scene.now = begun + 2s;
    scene.set = {.ns = "shop",
                 .name = "db",
                 .image = "app:1.0",
                 .replicas = 3,
                 .partition = 3,
                 .current_revision = "db-6f8d4df666",
                 .update_revision = "db-6f8d4df666",
                 .phase = "Idle",
                 .reason = "Adopted",
                 .message = "",
                 .unblock = "",
                 .guarantee = "Prevent",
                 .refused = ""};
    scene.pods = {pod_seen(2, "1.0", 3h), pod_seen(1, "1.0", 3h), pod_seen(0, "1.0", 3h)};
    scene.events = {{begun - 20s, false, "db-a", "Adopted", "Sluice steers db from now on."}};
    return scene;
}

// One pod is through, the hook refuses the next, and somebody tried to help it along.
inline Scene refused() {
    Scene scene = at_rest();
    scene.now = scene.begun + 23s;
    scene.set.image = "app:1.1";
    scene.set.partition = 2;
    scene.set.update_revision = "db-7fbc84968c";
    scene.set.phase = "Rolling";
    scene.set.reason = "HookRefused";
    scene.set.message = "Hook shard-check refused between db-2 and db-1: 14 shards are relocating";
    scene.set.unblock =
        "it is asked again by itself; to stop asking: kubectl -n shop annotate statefulset db "
        "sluice.dev/paused=true";
    scene.set.refused = "partition 0, by deploy-bot, at generation 3";
    scene.set.since = scene.begun + 18s;
    scene.pods[0] = pod_seen(2, "1.1", 13s);
    scene.events.push_back({scene.begun + 7s, false, "db-b", "HookAllowed",
                            "Pod db-2 may be updated to revision db-7fbc84968c (1 of 3)."});
    scene.events.push_back({scene.begun + 18s, true, "db-c", "HookRefused", scene.set.message, 2});
    scene.action = UserAction{
        scene.begun + 20s, "A deploy script tries to lower the partition to 0, past the gate.",
        "kubectl -n shop patch statefulset db --type merge -p '{\"spec\":{}}'",
        "Warning: Sluice steers this StatefulSet. Its partition stays at 2; only "
        "Sluice lowers it. Not granted: partition 0, by deploy-bot, at generation 3."};
    return scene;
}

// The pod that was let go does not come up.
inline Scene crashing() {
    Scene scene = refused();
    scene.action.reset();
    scene.set.refused.clear();
    scene.set.reason = "PodsNotReady";
    scene.set.message = "Waiting for pod db-2 to be updated and ready.";
    scene.set.unblock =
        "kubectl -n shop get pods; a pod that broke on an old revision is "
        "replaced only after kubectl -n shop delete pod POD";
    scene.pods[0].state = "CrashLoopBackOff";
    scene.pods[0].ready = false;
    scene.pods[0].restarts = 2;
    return scene;
}

inline Scene completed() {
    Scene scene = refused();
    scene.now = scene.begun + 67s;
    scene.set.partition = 3;
    scene.set.current_revision = scene.set.update_revision;
    scene.set.phase = "Idle";
    scene.set.reason = "RolloutCompleted";
    scene.set.message = "All 3 pods run revision db-7fbc84968c.";
    scene.set.unblock.clear();
    scene.pods = {pod_seen(2, "1.1", 57s), pod_seen(1, "1.1", 21s), pod_seen(0, "1.1", 10s)};
    scene.summary = Summary{.took = 61s,
                            .gateman = "The hook",
                            .questions = 6,
                            .refusals = 2,
                            .transitions = 4,
                            .steps = 3,
                            .writes = 14,
                            .serving_least = 2,
                            .violations = {},
                            .try_next = {{"sluice demo --fail", "a version that does not start"}}};
    return scene;
}

}  // namespace sluice::sim::demo
