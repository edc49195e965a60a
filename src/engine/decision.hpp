// What one look at the world leads to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "engine/probe.hpp"
#include "engine/reason.hpp"
#include "model/workload_patch.hpp"

namespace sluice::engine {

enum class Phase : std::uint8_t {
    Idle,     // nothing is pending
    Waiting,  // a new revision waits for its first gate
    Rolling,  // some pods are exposed, the rollout goes on
    Held,     // a person or a refusal holds it
    Blocked,  // this workload cannot be steered as it is
};
const char* to_text(Phase phase);

// What we believe and why.
struct StatusReport {
    Phase phase = Phase::Idle;
    Reason reason = Reason::Idle;
    std::string message;
    std::string unblock;  // what unblocks it, with the command where there is one
};

// Something worth telling a person once.
struct Notice {
    Reason reason;
    std::string message;
};

// How a rollout ended, for metrics.
struct Ended {
    const char* outcome;  // completed, superseded, released
    Duration took;
};

struct Decision {
    StatusReport report;
    std::optional<model::WorkloadPatch> patch;  // at most one write, with its preconditions
    std::vector<Notice> notices;                // become events once the patch is through
    std::optional<HookProbe> probe;             // a fact we need from outside
    std::optional<Instant> wake_at;             // absolute; a wait is a time, never a flag
    bool takes_step = false;                    // the patch lets a pod go
    bool needs_live = false;                    // the cache may be behind: look at the API first
    std::optional<Ended> ended;                 // the patch ends a rollout
};

}  // namespace sluice::engine
