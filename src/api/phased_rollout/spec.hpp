// A PhasedRollout as its owner wrote it: a StatefulSet, and the question to Prometheus that must be
// answered well before each pod. The API server has checked the same bounds and rules; they are
// checked again here, because an object may have been stored under an older definition. A spec with
// a fault is refused as a whole, with a sentence for each field.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "base/field_error.hpp"
#include "base/time.hpp"
#include "engine/plan.hpp"
#include "model/custom_object.hpp"

namespace sluice::api::phased_rollout {

inline constexpr std::string_view finalizer = "sts.plus/finalizer";
// On the StatefulSet: the name of the PhasedRollout that steers it.
inline constexpr std::string_view steered_by = "sts.plus/phasedRollout";

enum class SuccessOn : std::uint8_t { NoData, Data };
using engine::OnFailure;
// What becomes of the gate when the PhasedRollout is deleted.
enum class DeletionPolicy : std::uint8_t { Freeze, Open };

struct Query {
    std::string expr;
    std::string url;  // as written; metrics::prometheus_url() reads it
    SuccessOn success_on = SuccessOn::NoData;
    std::string secret;  // names of Secrets in the same namespace; empty: none
    std::string ca_secret;
    bool insecure_skip_verify = false;
    friend bool operator==(const Query&, const Query&) = default;
};

struct Check {
    Duration initial_delay = 60s;
    Duration period = 60s;
    int success_threshold = 3;
    std::optional<int> max_tries;          // nothing: checks go on for ever
    std::optional<int> failure_threshold;  // nothing: only max_tries counts
    Query query;
    friend bool operator==(const Check&, const Check&) = default;
};

struct Spec {
    std::string target;       // the name of the StatefulSet, in the same namespace
    bool skip_check = false;  // also under its other name, standardRollingUpdate
    OnFailure on_failure = OnFailure::Hold;
    std::optional<Duration> progress_deadline;
    std::optional<DeletionPolicy> deletion_policy;  // nothing: Freeze after a failure, else Open
    Check check;
    friend bool operator==(const Spec&, const Spec&) = default;
};

// The errors are at least one and at most 16. `unsaid` is what passes where the check does not say.
std::expected<Spec, FieldErrors> read_spec(const model::CustomObject& object,
                                           SuccessOn unsaid = SuccessOn::NoData);

// Names what is asked and how it is judged. Successes that were collected under another definition
// are void.
std::string definition_of(const Check& check);

}  // namespace sluice::api::phased_rollout
