// What is asked of a workload's plugin outside the operator, how the question goes on from call to
// call, and what it came to. A call that fails is the last one, and its sentence is the answer.
#pragma once

#include <optional>
#include <string>

#include "api/inquiry/inquiry.hpp"

namespace sluice::api::rollout_plugin {

// One look at a workload through its plugin: what is there, and whether it is as it should be. What
// it takes to get there is begun again; every call may come twice.
struct PluginQuestion {
    PluginCall call;     // whom to ask about what; its method is not looked at
    bool inits = false;  // the first look: whether the plugin can do it at all
    // The change and the verification are only for this new revision: a plugin that speaks of
    // another one is asked for neither. Empty: neither is wanted.
    std::string revision{};
    std::optional<PluginMethod> act{};
    bool verifies = false;  // the weight of the call
};

struct PluginObservation {
    std::string error{};      // a sentence; empty: all went well
    ResourceStatus status{};  // of no use if there was an error
    bool verified = false;
    std::string message{};  // why not
    friend bool operator==(const PluginObservation&, const PluginObservation&) = default;
};

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
