// A plugin's calls and answers as the bytes of proto/sluice_plugin.proto. Bytes that are no answer,
// or one that cannot be true, are an Error that completes the sentence `<subject> ...`.
#pragma once

#include <string>
#include <string_view>

#include "api/rollout_plugin/plugin.hpp"
#include "base/result.hpp"

namespace sluice::probe {

// "/sluice.plugin.v1.ResourcePlugin/Init"
std::string_view path_of(api::rollout_plugin::PluginMethod method);

std::string to_message(const api::rollout_plugin::PluginCall& call);

Result<api::rollout_plugin::PluginAnswer> read_message(api::rollout_plugin::PluginMethod method,
                                                       const std::string& bytes);

}  // namespace sluice::probe
