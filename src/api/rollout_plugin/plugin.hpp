// What is asked of a workload's plugin outside the operator, and what it came to.
#pragma once

#include <optional>
#include <string>

#include "api/inquiry/plugin_call.hpp"

namespace sluice::api::rollout_plugin {

using api::PluginAddress;
using api::PluginAnswer;
using api::PluginCall;
using api::PluginEndpoint;
using api::PluginMethod;
using api::PluginProgram;
using api::PluginTls;
using api::ResourceStatus;

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

}  // namespace sluice::api::rollout_plugin
