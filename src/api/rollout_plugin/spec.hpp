// A RolloutPlugin as its owner wrote it: a workload, the plugin that moves it, and the steps. Both
// generations of the API are read, where they do not contradict each other. The API server has
// checked the same bounds and rules; they are checked again here, because an object may have been
// stored under an older definition. A spec with a fault is refused as a whole, with a sentence for
// each field.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/analysis/call.hpp"
#include "api/analysis/history.hpp"
#include "base/field_error.hpp"
#include "base/time.hpp"
#include "engine/plan.hpp"
#include "model/custom_object.hpp"

namespace sluice::api::rollout_plugin {

using engine::OnFailure;

// In the namespace of the RolloutPlugin, always.
struct WorkloadRef {
    std::string api_version;
    std::string kind;
    std::string name;
    friend bool operator==(const WorkloadRef&, const WorkloadRef&) = default;
};

struct Plugin {
    std::string name;
    std::string url;     // empty: none
    std::string sha256;  // the same
    bool verify = false;
    std::string config;  // JSON; empty: none
    friend bool operator==(const Plugin&, const Plugin&) = default;
};

// The plugin for StatefulSets, which needs no program of its own.
bool is_built_in(std::string_view plugin);
bool is_stateful_set(std::string_view api_version, std::string_view kind);
// What is wrong where the one is to move something that is not the other.
inline constexpr const char* needs_stateful_set =
    "must name a StatefulSet of apps/v1, which is what this plugin moves";

struct SetWeight {
    int percent = 0;
    friend bool operator==(const SetWeight&, const SetWeight&) = default;
};
struct Pause {
    std::optional<Duration> duration;  // nothing: until a person goes on
    friend bool operator==(const Pause&, const Pause&) = default;
};

using analysis::AnalysisCall;
using analysis::CallArgument;
using analysis::RevisionOf;
struct BackgroundAnalysis {
    AnalysisCall call;
    int starting_step = 0;
    friend bool operator==(const BackgroundAnalysis&, const BackgroundAnalysis&) = default;
};

using Step = std::variant<SetWeight, Pause, AnalysisCall>;

using analysis::HistoryLimits;

struct Spec {
    WorkloadRef workload;
    Plugin plugin;
    std::vector<Step> steps;  // behind the last one, all pods
    std::optional<BackgroundAnalysis> background;
    HistoryLimits history;
    bool paused = false;
    OnFailure on_failure = OnFailure::Hold;
    Duration min_ready = 0s;
    Duration progress_deadline = 600s;  // also under its other name, plugin.config.timeoutSeconds
    bool abort_at_deadline = false;     // also plugin.config.timeoutAbort
    std::optional<int> restart_at;      // a step
    friend bool operator==(const Spec&, const Spec&) = default;
};

// The errors are at least one and at most 16.
std::expected<Spec, FieldErrors> read_spec(const model::CustomObject& object);

}  // namespace sluice::api::rollout_plugin
