// What every API compiles its wishes to: steps that expose more and more pods to the new revision,
// with gates before and after. The engine knows plans, never kinds.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/numbers.hpp"
#include "base/time.hpp"

namespace sluice::engine {

// All pods are there and available, and those exposed so far run the new revision. The pod that
// is about to be replaced may be broken: replacing it is what mends it.
struct PodsReady {
    std::optional<PodIndex> except;
    bool exposed_only = false;  // a person said: never mind the pods behind the gate
    friend bool operator==(const PodsReady&, const PodsReady&) = default;
};

// Kubernetes agrees that the rollout is over: currentRevision is updateRevision.
struct RevisionSettled {
    friend bool operator==(const RevisionSettled&, const RevisionSettled&) = default;
};

// The hook approves the transition from the pod updated last to the next one.
struct HookApproval {
    std::string hook;
    std::optional<PodIndex> prev;
    std::optional<PodIndex> next;
    Duration retry = 30s;
    Duration evidence_age_max = 60s;
    friend bool operator==(const HookApproval&, const HookApproval&) = default;
};

using Gate = std::variant<PodsReady, RevisionSettled, HookApproval>;

struct Step {
    PodCount target;           // pods exposed to the new revision once the step is taken
    std::vector<Gate> before;  // must pass before the step is taken
    std::vector<Gate> after;   // must pass after it, before the next one or the end
    friend bool operator==(const Step&, const Step&) = default;
};

struct Plan {
    std::vector<Step> steps;
    friend bool operator==(const Plan&, const Plan&) = default;
};

}  // namespace sluice::engine
