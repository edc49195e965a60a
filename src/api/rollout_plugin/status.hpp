// What a RolloutPlugin reports, what the operator remembers in it, and what people command through
// it. Both generations of the API are written, so that a person finds the fields that they know.
// Writing cuts every text to the bound of the definition, so that the API server takes it; reading
// is total: what is missing or garbled reads as nothing. A time of Instant{} is none.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/status_head.hpp"
#include "base/numbers.hpp"
#include "base/time.hpp"
#include "model/custom_object.hpp"

namespace sluice::api::rollout_plugin {

// The phases of the document, and Healthy before the first rollout.
namespace phase {
inline constexpr std::string_view healthy = "Healthy";
inline constexpr std::string_view progressing = "Progressing";
inline constexpr std::string_view paused = "Paused";
inline constexpr std::string_view successful = "Successful";
inline constexpr std::string_view failed = "Failed";
}  // namespace phase

// Types and reasons of conditions, in the original's words.
namespace condition {
inline constexpr std::string_view invalid_spec = "InvalidSpec";
inline constexpr std::string_view progressing = "Progressing";
inline constexpr std::string_view healthy = "Healthy";
inline constexpr std::string_view paused = "Paused";
inline constexpr std::string_view completed = "Completed";
}  // namespace condition
namespace pause_reason {
inline constexpr std::string_view step = "CanaryPauseStep";
inline constexpr std::string_view inconclusive = "InconclusiveAnalysisRun";
}  // namespace pause_reason

// What a person asked for, by a patch of the status. The operator takes each away once it is done.
struct Commands {
    bool abort = false;
    bool promote_full = false;
    bool restart = false;
    std::int64_t promoted_at = 0;  // generation of the spec when promote_full was seen first
    friend bool operator==(const Commands&, const Commands&) = default;
};

struct PauseCondition {
    std::string reason;
    Instant start;
    friend bool operator==(const PauseCondition&, const PauseCondition&) = default;
};

// The pause that the operator has begun.
struct PauseStatus {
    bool begun = false;                      // controllerPause
    std::vector<PauseCondition> conditions;  // a person takes them away to go on
    std::optional<bool> paused;              // or sets this to false
    Instant start;
    friend bool operator==(const PauseStatus&, const PauseStatus&) = default;
};
// Whether a person has ended a pause that the operator has begun.
bool is_resumed(const PauseStatus& pause);

struct AbortStatus {
    bool aborted = false;
    std::string revision;
    Instant at;
    friend bool operator==(const AbortStatus&, const AbortStatus&) = default;
};

struct RestartStatus {
    int count = 0;  // also retryAttempt
    Instant at;
    std::int64_t generation = 0;  // of the spec whose restartAt was last acted on
    friend bool operator==(const RestartStatus&, const RestartStatus&) = default;
};

struct Replicas {
    PodCount all;
    PodCount updated;
    PodCount ready;
    PodCount available;
    friend bool operator==(const Replicas&, const Replicas&) = default;
};

struct RunReport {
    std::string name;
    std::string status;
    std::string message;
    friend bool operator==(const RunReport&, const RunReport&) = default;
};

struct RolloutStatus {
    std::int64_t id = 0;
    std::string workload_uid;
    std::optional<Partition> partition;
    std::optional<int> weight;
    std::string pod;         // the one that goes next
    std::string definition;  // of the step that the status is about
    Instant started;
    Instant step_started;
    Instant completed;
    friend bool operator==(const RolloutStatus&, const RolloutStatus&) = default;
};

struct Condition {
    std::string type;
    std::string status;  // True, False, Unknown
    std::string reason;
    std::string message;
    Instant updated;
    Instant since;
    friend bool operator==(const Condition&, const Condition&) = default;
};

struct Status : StatusHead {
    std::string current_revision;
    std::string updated_revision;
    std::optional<int> step;  // behind the last one, their number
    bool step_complete = false;
    bool initialized = false;
    bool in_progress = false;
    Commands commands;
    PauseStatus pause;
    AbortStatus abort;
    RestartStatus restart;
    Replicas replicas;
    std::optional<RunReport> step_run;
    std::optional<RunReport> background_run;
    std::optional<RolloutStatus> rollout;
    std::vector<Condition> conditions;  // one of a type
    friend bool operator==(const Status&, const Status&) = default;
};

Status read_status(const model::CustomObject& object);
// The JSON text of the whole status, the value to replace the old one with.
std::string write_status(const Status& status);

// The conditions with this one in it. Of an older one with the same type and status, `since` stays;
// of one that says the same in every word, `updated` stays too.
std::vector<Condition> with_condition(std::vector<Condition> conditions, Condition condition);
std::vector<Condition> without_condition(std::vector<Condition> conditions, std::string_view type);

}  // namespace sluice::api::rollout_plugin
