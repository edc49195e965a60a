// How a question goes on: which call comes next, and what the answers come to. A call that fails is
// the last one, and its sentence is the answer.
#pragma once

#include <optional>

#include "api/inquiry/inquiry.hpp"
#include "api/rollout_plugin/plugin.hpp"

namespace sluice::api::rollout_plugin {

// What was called so far, and what it came to.
struct PluginTalk {
    PluginObservation observation;
    std::optional<PluginMethod> last{};
};

// The next call; nothing: the question is over.
std::optional<PluginMethod> next_method(const PluginQuestion& question, const PluginTalk& so_far);
void take_answer(PluginTalk& so_far, PluginMethod method, const Result<PluginAnswer>& answer);

// How a PluginQuestion is asked. The calls of each plugin are bounded where they are made, not
// here; the deadline is that of four calls of the longest timeout.
inline constexpr InquiryBounds plugin_bounds{
    .calls_max = 4096, .per_namespace_max = 4096, .waiting_max = 4096, .deadline = 20min + 30s};
std::optional<Inquiry> inquire(const engine::Question& question, const Asking& asking);

}  // namespace sluice::api::rollout_plugin
