// The spec of an ExtendedJob: what is to run, when, and what becomes of its output.
#pragma once

#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/extended_job/pods.hpp"
#include "base/field_error.hpp"
#include "model/custom_object.hpp"

namespace sluice::api::extended_job {

extern const model::Resource resource;

// On Jobs, as the original has them.
inline constexpr std::string_view job_label = "extendedjob";
inline constexpr std::string_view pod_label = "affected-pod";
// On a Job: the name of that pod in full.
inline constexpr std::string_view pod_annotation = "sluice.dev/affected-pod";

enum class Strategy : std::uint8_t {
    Manual,    // nothing runs until somebody says so
    Now,       // once, and back to manual
    Once,      // once, and done
    PodState,  // for each pod that is in a state
    Done,
};
std::string_view to_text(Strategy strategy);

// Each container's standard output becomes a Secret.
struct Output {
    std::string prefix;  // of its name, before that of the container
    std::map<std::string, std::string> labels;
    bool on_failure = false;
};

struct Spec {
    Strategy strategy = Strategy::Manual;
    PodState when = PodState::Ready;  // with PodState
    std::string selector = "{}";      // JSON of a LabelSelector; of pods, with PodState
    std::optional<Output> output;
    bool wants_config_changes = false;  // updateOnConfigChange
    std::vector<std::string> containers;
    std::string pod_template;  // JSON
};

// Every fault of the spec, with its path.
std::expected<Spec, FieldErrors> read_spec(const model::CustomObject& object);

}  // namespace sluice::api::extended_job
