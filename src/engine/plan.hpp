// What every API compiles its wishes to: steps that expose more and more pods to the new revision,
// with gates before and after. The engine knows plans, never kinds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/numbers.hpp"
#include "base/shared.hpp"
#include "base/time.hpp"
#include "engine/probe.hpp"
#include "engine/reason.hpp"

namespace sluice::engine {

// All pods are there and available, and those exposed so far run the new revision. Pods that are
// about to be replaced may be broken: replacing them is what mends them.
struct PodsReady {
    std::optional<PodIndex> except = {};  // the lowest of them
    bool exposed_only = false;            // a person said: never mind the pods behind the gate
    bool counts_missing = true;           // false: nor those behind it that are not there
    Duration min_ready = {};              // so long at least, whatever the workload itself asks for
    friend bool operator==(const PodsReady&, const PodsReady&) = default;
};

// Those exposed so far run the new revision, ready or not: for a hook that makes them ready. The
// pod that it is asked about must be there.
struct PodsRunning {
    std::optional<PodIndex> next = {};
    friend bool operator==(const PodsRunning&, const PodsRunning&) = default;
};

// Kubernetes agrees that the rollout is over: currentRevision is updateRevision.
struct RevisionSettled {
    friend bool operator==(const RevisionSettled&, const RevisionSettled&) = default;
};

// Those exposed so far have been available for so long: time to show what is wrong with them.
struct SettleTime {
    Duration length = {};
    friend bool operator==(const SettleTime&, const SettleTime&) = default;
};

// What was asked for is there, as whoever moves it says: for units that are no pods.
struct ExposureReached {
    friend bool operator==(const ExposureReached&, const ExposureReached&) = default;
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

// Prometheus answers well so many times in a row, one period apart, once the pods have been
// available for the initial delay. An answer that could not be had counts for nothing.
struct MetricCheck {
    Shared<MetricQuery> query;    // of all pods the same
    bool passes_on_data = false;  // false: no data is a pass, as with an alert
    Duration initial_delay = 60s;
    Duration period = 60s;
    int success_threshold = 3;
    std::optional<int> max_tries = {};          // nothing: for ever
    std::optional<int> failure_threshold = {};  // so many in a row fail the rollout
    std::string definition = {};  // counts that were collected under another one are void
    PodIndex next = {0};          // the pod that goes when it passes
    bool exposed_only = false;    // as with PodsReady
    friend bool operator==(const MetricCheck&, const MetricCheck&) = default;
};

// A rest that the owner of the rollout wished for. It has a place in the owner's own list of steps,
// where its beginning is remembered.
struct Pause {
    int place = 0;
    std::optional<Instant> began = {};    // nothing: it begins now
    std::optional<Duration> length = {};  // nothing: until somebody goes on
    bool is_over = false;                 // somebody went on
    friend bool operator==(const Pause&, const Pause&) = default;
};

// Measurements that the owner of the rollout wished for, as far as they are known.
struct Analysis {
    enum class State : std::uint8_t { Running, Good, Bad, Unclear };
    int place = 0;
    State state = State::Running;
    Reason reason = Reason::AnalysisRunning;  // of what they have come to
    std::string message = {};
    bool is_accepted = false;  // unclear, and somebody went on
    bool aborts = true;        // bad: the pods are taken back, whatever else a failure leads to
    friend bool operator==(const Analysis&, const Analysis&) = default;
};

// A Job that the owner of the rollout has made ends well, as far as it is known.
struct JobSuccess {
    enum class State : std::uint8_t { Running, Succeeded, Failed };
    std::string job;
    State state = State::Running;
    std::string message = {};  // why it failed
    friend bool operator==(const JobSuccess&, const JobSuccess&) = default;
};

// What is asked for cannot be understood: nothing passes until it is put right.
struct Refused {
    Reason reason;
    std::string message;
    friend bool operator==(const Refused&, const Refused&) = default;
};

using Gate = std::variant<PodsReady, PodsRunning, RevisionSettled, SettleTime, ExposureReached,
                          HookApproval, MetricCheck, Pause, Analysis, JobSuccess, Refused>;

// What becomes of a rollout that failed.
enum class OnFailure : std::uint8_t {
    Hold,      // it stays where it is
    Rollback,  // the updated pods return to the revision before, newest first
};

struct Step {
    PodCount target;           // pods exposed to the new revision once the step is taken
    std::vector<Gate> before;  // must pass before the step is taken
    std::vector<Gate> after;   // must pass after it, before the next one or the end
    int place = 0;             // in the owner's own list; remembered once the step is taken
    friend bool operator==(const Step&, const Step&) = default;
};

struct Plan {
    std::vector<Step> steps = {};
    std::vector<Gate> throughout = {};  // must pass at every step
    OnFailure on_failure = OnFailure::Hold;
    // Waiting longer than this for the next step is a failure; rests are no waiting.
    std::optional<Instant> deadline = {};
    OnFailure at_deadline = OnFailure::Hold;
    // No more pods than this are to be exposed now, however many a scale-up has brought.
    std::optional<PodCount> exposed_max = {};
    friend bool operator==(const Plan&, const Plan&) = default;
};

}  // namespace sluice::engine
