// The plan of an upgrade: so many canaries of the new version first, then all of its pods, one zone
// after the other, while the old version stays. Before each step all pods must be ready, unless the
// object says otherwise, and its gates must agree.
#pragma once

#include <optional>
#include <string>

#include "api/extended_stateful_set/spec.hpp"
#include "engine/plan.hpp"

namespace sluice::api::extended_stateful_set {

struct Circumstances {
    PodCount pods;  // in each zone
    int zones = 1;
    PodCount exposed = {};    // of the new version, so far
    bool hands_over = false;  // each ordinal is a step of its own
    gates::Circumstances gates = {};
    std::optional<Instant> deadline = {};  // of pods that were made and are not ready yet
    std::optional<PodIndex> old_pod = {};  // of the version that serves, if there is any
    bool can_go_back = true;               // that one would serve without the new one
    std::string blocked_by = {};           // what is to be put right first; empty: nothing
    // What judges the canaries: behind them, and behind all that follow.
    std::optional<engine::Analysis> analysis = {};
    // Jobs that must end well before the first step, and after the last one.
    std::optional<engine::JobSuccess> job_before = {};
    std::optional<engine::JobSuccess> job_after = {};

    PodCount all() const { return {pods.value * zones}; }
};

engine::Plan compile(const Spec& spec, const Circumstances& now);

// What a restart waits for, beside its gates.
struct RestartHolds {
    struct Stays {
        PodIndex pod;
        engine::Refused why;
    };
    std::optional<engine::Refused> elsewhere = {};  // in another zone
    std::optional<Stays> last_ready = {};           // when its turn comes
};

// The pods of a version again, one after the other, in one zone.
engine::Plan compile_restart(const Spec& spec, const gates::Circumstances& now, PodCount pods,
                             const RestartHolds& holds);

}  // namespace sluice::api::extended_stateful_set
