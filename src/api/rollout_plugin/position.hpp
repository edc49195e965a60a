// Where a rollout stands in the list of steps, put together from the memory on the set and the
// status of the RolloutPlugin, whichever is further: the one is written when pods are let go, the
// other at every other step.
#pragma once

#include <optional>

#include "api/rollout_plugin/spec.hpp"
#include "api/rollout_plugin/status.hpp"
#include "engine/memory.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api::rollout_plugin {

// What is known of the workload, whoever moves it.
struct WorkloadState {
    std::optional<engine::Memory> memory{};
    Replicas replicas{};
    std::string current_revision{};
    std::string updated_revision{};
    std::optional<int> weight{};           // that was asked for; nothing: that of the step
    std::optional<Partition> partition{};  // of a StatefulSet
    std::string next_pod{};                // the same: the one that goes next
};
// Of the StatefulSet in the snapshot.
WorkloadState workload_state_of(const engine::Snapshot& seen, Instant now);

struct Position {
    std::uint64_t list = 0;  // digest of the steps
    int step = 0;            // under way; their number behind the last one
    bool is_told = false;    // the status speaks of this very step of this rollout
    PodCount updated;        // pods that run the new revision and are ready
    Instant since;           // when the step made its last progress
};

// `is_held`: somebody has paused it, beside the steps. The time of a pause does not count as
// waiting.
Position position_of(const Spec& spec, const Status& reported, const WorkloadState& workload_state,
                     bool is_held, Instant now);

// Whether the status speaks of the rollout that the memory knows, under this list of steps.
bool is_about(const Status& reported, const engine::Memory& memory, std::uint64_t list);
std::string definition_text(std::uint64_t list);

// What the commands in the status come to, given where the rollout is.
struct Orders {
    bool aborts = false;
    bool promotes_fully = false;
    bool restarts = false;  // from the abort that the status tells of
};
Orders orders_of(const Status& reported, const Spec* spec,
                 const std::optional<engine::Memory>& memory, std::int64_t generation);

}  // namespace sluice::api::rollout_plugin
