// Looks at a workload in mid-rollout, and what a decision does to it.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "engine/steering.hpp"
#include "model/annotations.hpp"
#include "tests/unit/engine/actions.hpp"
#include "tests/unit/engine/seen.hpp"
#include "tests/unit/model/written.hpp"

namespace sluice::engine::testing {

inline Course course(const Plan& plan = {}) {
    Course course;
    course.claim = "test/web";
    course.compile = [plan] { return plan; };
    return course;
}

// A rollout to B that is open since ten minutes, and the gate where the look finds it.
inline Memory opened(const Snapshot& look) {
    Memory memory;
    memory.uid = "set";
    memory.id = 2;
    memory.revision = "web-B";
    memory.template_hash = 0xB;
    memory.partition = effective_partition(look.workload);
    memory.open = true;
    memory.started = noon - 10min;
    memory.generation = look.workload.meta.generation;
    return memory;
}

inline Snapshot remembering(Snapshot look, const Memory& memory) {
    look.workload.has_annotations = true;
    look.workload.annotations[model::key::claim] = "test/web";
    look.workload.annotations[model::key::rollout] = encode(memory);
    return look;
}

// The pods from `partition` up were let go and are back on B.
inline Snapshot open_at(int replicas, int partition) {
    const Snapshot look = rolling(replicas, partition);
    return remembering(look, opened(look));
}

// The last two of three pods are on B, and on their way back behind a closed gate.
inline Snapshot going_back() {
    Snapshot look = rolling(3, 1);
    look.workload.partition = closed_partition;
    Memory memory = opened(look);
    memory.returning = true;
    return remembering(look, memory);
}

inline Plan step_to(int target, std::vector<Gate> before = {}) {
    Plan plan;
    plan.steps = {Step{PodCount{target}, std::move(before), {}, 0}};
    return plan;
}

inline std::optional<Partition> moved_to(const Decision& decision) {
    if (!patch_in(decision) || !patch_in(decision)->partition) return std::nullopt;
    return patch_in(decision)->partition;
}

// The set once the decision is written.
inline model::StatefulSet after(const Snapshot& look, const Decision& decision) {
    return model::testing::written(look.workload, patch_in(decision)->body).value();
}

// The same as a look, when Kubernetes has seen it too.
inline Snapshot then(Snapshot look, const Decision& decision) {
    look.workload = after(look, decision);
    look.workload.observed_generation = look.workload.meta.generation;
    return look;
}

inline bool tells(const Decision& decision, Reason reason) {
    return std::ranges::any_of(decision.notices,
                               [&](const Notice& one) { return one.reason == reason; });
}

// The sentences of the decision about this reason.
inline std::string told(const Decision& decision, Reason reason) {
    std::string text;
    for (const Notice& notice : decision.notices)
        if (notice.reason == reason) text += notice.message;
    return text;
}

// The rollout is over, as far as Kubernetes goes.
inline Snapshot all_updated(int replicas) {
    Snapshot look = rolling(replicas, 0);
    look.workload.current_revision = "web-B";
    return remembering(look, opened(look));
}

}  // namespace sluice::engine::testing
