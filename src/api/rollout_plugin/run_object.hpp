// The AnalysisRun that a RolloutPlugin makes: its name, its labels, and the JSON to create it with.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "api/analysis/run.hpp"

namespace sluice::api::rollout_plugin {

namespace label {
inline constexpr std::string_view rollout_type = "rollout-type";  // Step or Background
inline constexpr std::string_view step_index = "step-index";
inline constexpr std::string_view rollout_plugin_name = "rollout-plugin-name";
}  // namespace label

// What a run is made for is written on it, too, for the labels of runs are not kept: the rollout,
// and the step of it.
inline constexpr std::string_view made_for = "sluice.dev/made-for";
inline constexpr std::string_view made_for_step = "sluice.dev/step";

// What a run is made for.
struct RunPurpose {
    std::string ns;
    std::string rollout;  // the RolloutPlugin
    std::string rollout_uid;
    std::string revision;                            // that is rolled out
    std::optional<int> step;                         // nothing: it runs in the background
    std::string occasion = {};                       // tells this rollout from all others
    std::map<std::string, std::string> labels = {};  // of the user; ours go before them
    std::map<std::string, std::string> annotations = {};
};

// "<rollout>-<revision>-<digest of the occasion>[-<step>]", so that it can be made only once. What
// is too long for a name, or not fit for one, is shortened and told apart by a digest.
std::string run_name(const RunPurpose& purpose);

// The name as it may stand in a label: cut, with a digest, if it is too long.
std::string label_value(const std::string& name);

// The whole object. The RolloutPlugin is its controller, so that it goes with it.
std::string run_body(const RunPurpose& purpose, const analysis::RunSpec& spec);

}  // namespace sluice::api::rollout_plugin
