// What a PhasedRollout reports, and what the operator remembers in it. Writing cuts every text to
// the bound of the definition, so that the API server takes it; reading is total: what is missing
// or garbled reads as nothing. A time of Instant{} is none.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/condition.hpp"
#include "api/status_head.hpp"
#include "base/numbers.hpp"
#include "base/time.hpp"
#include "model/custom_object.hpp"

namespace sluice::api::phased_rollout {

// The phases; the first five are the original's.
namespace phase {
inline constexpr std::string_view updated = "Updated";
inline constexpr std::string_view rolling = "Rolling";
inline constexpr std::string_view suspended = "Suspended";
inline constexpr std::string_view not_found = "ErrorSTSNotFound";
inline constexpr std::string_view cannot_manage = "ErrorCannotManage";
inline constexpr std::string_view failed = "Failed";
inline constexpr std::string_view rolling_back = "RollingBack";
inline constexpr std::string_view rolled_back = "RolledBack";
}  // namespace phase

struct RolloutStatus {
    std::int64_t id = 0;
    std::string workload_uid;
    std::string revision;
    std::string previous_revision;
    std::optional<Partition> partition;
    std::string pod;   // the one that goes next
    std::string step;  // "2/5"
    PodCount updated_pods;
    PodCount pods;
    Instant started;
    Instant step_started;
    Instant completed;
    friend bool operator==(const RolloutStatus&, const RolloutStatus&) = default;
};

struct CheckStatus {
    std::string definition;  // definition_of() the check that the counts belong to
    std::string success_on;  // NoData or Data: the answer that passes
    Instant starts;
    int tries = 0;
    std::optional<int> tries_left;
    int successes = 0;
    int failures = 0;
    std::string last_result;  // Passed, Failed or Error
    std::string last_value;
    Instant last;
    Instant next;
    friend bool operator==(const CheckStatus&, const CheckStatus&) = default;
};

// The step in the original's words.
struct RollingPodStatus {
    std::string status;
    Partition partition;
    Instant analysis_started;
    Instant last_check;
    int successes_in_a_row = 0;
    int failures_in_a_row = 0;
    int failures = 0;
    friend bool operator==(const RollingPodStatus&, const RollingPodStatus&) = default;
};

struct Status : StatusHead {
    std::string failed_revision;
    std::string retry;
    std::optional<RolloutStatus> rollout;
    std::optional<CheckStatus> check;
    std::string update_revision;
    Instant rollout_start;
    Instant rollout_end;
    std::optional<RollingPodStatus> rolling_pod;
    std::vector<Condition> conditions;  // Ready, Updated; one of a type
    friend bool operator==(const Status&, const Status&) = default;
};

Status read_status(const model::CustomObject& object);
// The JSON text of the whole status, the value to replace the old one with.
std::string write_status(const Status& status);

// The conditions with this one in it. Of an older one with the same type and status, the time
// stays.
std::vector<Condition> with_condition(std::vector<Condition> conditions, Condition condition);

}  // namespace sluice::api::phased_rollout
