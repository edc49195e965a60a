// A PhasedRollout as its owner wrote it: a StatefulSet, and the question to Prometheus that must be
// answered well before each pod. The API server has checked the same bounds and rules; they are
// checked again here, because an object may have been stored under an older definition. A spec with
// a fault is refused as a whole, with a sentence for each field.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "api/metrics/check.hpp"
#include "base/field_error.hpp"
#include "base/time.hpp"
#include "engine/plan.hpp"
#include "model/custom_object.hpp"

namespace sluice::api::phased_rollout {

inline constexpr std::string_view finalizer = "sts.plus/finalizer";
// On the StatefulSet: the name of the PhasedRollout that steers it.
inline constexpr std::string_view steered_by = "sts.plus/phasedRollout";

using engine::OnFailure;
using metrics::Check;
using metrics::Query;
using metrics::SuccessOn;
// What becomes of the gate when the PhasedRollout is deleted.
enum class DeletionPolicy : std::uint8_t { Freeze, Open };

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

}  // namespace sluice::api::phased_rollout
