// One look at the world, as values: everything a decision may use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "engine/probe.hpp"
#include "engine/reason.hpp"
#include "model/pod.hpp"
#include "model/statefulset.hpp"

namespace sluice::engine {

// Prevent: admission policies keep others from opening the gate. Detect: we see it and close it.
enum class Guarantee : std::uint8_t { Detect, Prevent };

// Settings and facts that hold for all workloads.
struct Environment {
    Duration hook_retry = 30s;
    Guarantee guarantee = Guarantee::Detect;
};

struct Snapshot {
    model::StatefulSet workload;
    std::vector<model::Pod> pods;          // controlled by the workload, in no order
    std::optional<HookEvidence> evidence;  // what the last probe brought
    std::optional<Reason> waiting_for;  // what the last look found, and since when it has been so
    Instant waiting_since;
    std::optional<Error> hook_problem;       // why the hook that the workload names cannot be asked
    std::string hook_binding;                // which hook that is, in full
    std::optional<Instant> contested_until;  // somebody changes our writes: not before this again
    Environment environment;
};

}  // namespace sluice::engine
