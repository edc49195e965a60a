// How a look goes on: which call comes next, and what the answers come to. For whoever makes the
// calls; production and simulator use this very function.
#pragma once

#include <optional>

#include "api/rollout_plugin/plugin.hpp"

namespace sluice::api::rollout_plugin {

// What was called so far, and what it came to.
struct ProbeSoFar {
    PluginObservation observation;
    std::optional<PluginMethod> last{};
};

// The next call; nothing: the look is over.
std::optional<PluginMethod> next_method(const PluginProbe& look, const ProbeSoFar& so_far);
void take_answer(ProbeSoFar& so_far, PluginMethod method, const Result<PluginAnswer>& answer);

}  // namespace sluice::api::rollout_plugin
