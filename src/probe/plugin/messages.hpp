// A plugin's calls and answers as the bytes of proto/sluice_plugin.proto. Bytes that are no answer,
// or one that cannot be true, are an Error that completes the sentence `<subject> ...`.
#pragma once

#include <string>

#include "api/inquiry/plugin_call.hpp"
#include "base/result.hpp"

namespace sluice::probe {

// "/sluice.plugin.v1.ResourcePlugin/Init"
std::string path_of(api::PluginMethod method);

std::string to_message(const api::PluginCall& call);

Result<api::PluginAnswer> read_message(api::PluginMethod method, const std::string& bytes);

}  // namespace sluice::probe
