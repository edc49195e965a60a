// Situations in the life of a steered StatefulSet, and decisions in one line of text.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <span>
#include <string>

#include "api/pilot/decide.hpp"
#include "api/pilot/spec.hpp"
#include "engine/steering.hpp"
#include "tests/unit/engine/actions.hpp"
#include "tests/unit/engine/seen.hpp"
#include "tests/unit/model/written.hpp"

namespace sluice::api::pilot::testing {

using namespace engine::testing;
using engine::Decision;
using engine::Memory;
using engine::Reason;
using engine::Snapshot;

inline Memory rested(const Snapshot& look) {
    return {.uid = look.workload.meta.uid,
            .id = 1,
            .revision = "web-A",
            .template_hash = 0xA,
            .partition = resting_partition(look.workload.replicas),
            .open = false,
            .started = noon - 1h,
            .generation = look.workload.meta.generation,
            .corrected = {},
            .retry = 0};
}

// A rollout to B is open, and the gate stands where the look finds it.
inline Memory opened(const Snapshot& look) {
    Memory memory = rested(look);
    memory.id = 2;
    memory.revision = "web-B";
    memory.template_hash = 0xB;
    memory.partition = effective_partition(look.workload);
    memory.open = true;
    memory.started = noon - 10min;
    return memory;
}

inline Snapshot remembering(Snapshot look, const Memory& memory,
                            const std::string& phase = "Idle") {
    look.workload.has_annotations = true;
    look.workload.annotations[key::claim] = "pilot/web";
    look.workload.annotations[key::rollout] = engine::encode(memory);
    look.workload.annotations[key::phase] = phase;
    look.workload.annotations[key::guarantee] = "Detect";
    return look;
}

// At rest: steered by us, nothing pending.
inline Snapshot resting(int replicas) {
    const Snapshot look = seen(replicas);
    return remembering(look, rested(look));
}

// In mid-rollout: the pods from `partition` up were let go and are back.
inline Snapshot open_at(int replicas, int partition) {
    const Snapshot look = rolling(replicas, partition);
    return remembering(look, opened(look), "Rolling");
}

// A rollout is open and no pod was let go yet.
inline Snapshot waiting(int replicas) {
    const Snapshot look = pending(replicas);
    return remembering(look, opened(look), "Waiting");
}

// The question to the hook that the decision holds, or null.
inline const hooks::Transition* transition_of(const Decision& decision) {
    const auto* call =
        decision.probe ? engine::opened<hooks::HookCall>(*decision.probe->question) : nullptr;
    return call ? &call->transition : nullptr;
}

// The hook has answered what the decision would ask it.
inline Snapshot answered(Snapshot look, bool allowed, const std::string& message = "",
                         Instant at = noon) {
    const Decision decision = decide(look, noon);
    if (decision.probe)
        look.evidence = {
            {decision.probe->key, engine::answer_of(engine::HookAnswer{allowed, message}), at}};
    return look;
}
inline Snapshot allowed(const Snapshot& look) {
    return answered(look, true);
}

// The world after the decision was written.
inline Snapshot after(Snapshot look, const Decision& decision) {
    auto set = model::testing::written(look.workload, patch_in(decision)->body);
    if (set) look.workload = *std::move(set);
    look.workload.observed_generation = look.workload.meta.generation;
    return look;
}

inline std::string name_of(const std::optional<hooks::HookPod>& pod) {
    return pod ? pod->name : "nil";
}

// "Rolling PodsNotReady; writes, partition 2, lets go; tells HookAllowed; asks web-2 > web-1; wakes
// in 10s": what there is of it.
inline std::string line(const Decision& decision) {
    std::string text = fmt::format("{} {}", engine::to_text(decision.report.phase),
                                   engine::entry(decision.report.reason).name);
    if (patch_in(decision)) text += "; writes";
    if (patch_in(decision) && patch_in(decision)->partition)
        text += fmt::format(", partition {}", patch_in(decision)->partition->value);
    if (decision.takes_step) text += ", lets go";
    if (decision.ended) text += fmt::format(", ends {}", decision.ended->outcome);
    for (const engine::Notice& notice : decision.notices)
        text += fmt::format("; tells {}", engine::entry(notice.reason).name);
    if (const auto* asked = transition_of(decision))
        text += fmt::format("; asks {} > {}", name_of(asked->prev), name_of(asked->next));
    if (decision.wake_at)
        text += fmt::format("; wakes in {}", sluice::to_text(*decision.wake_at - noon));
    return text;
}

struct Situation {
    const char* name;
    Snapshot look;
    const char* decision;
};

inline void expect_decisions(std::span<const Situation> situations) {
    for (const Situation& one : situations)
        EXPECT_EQ(line(decide(one.look, noon)), one.decision) << one.name;
}

}  // namespace sluice::api::pilot::testing
