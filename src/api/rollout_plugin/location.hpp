// One location of a plugin, as text: builtin://, file://, unix://, grpc://, grpcs://. What two
// readers could read in two ways is refused: relative paths, "..", percent signs, host names in
// file URLs. The Errors complete the sentence `<field>: ...`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/rollout_plugin/plugin.hpp"

namespace sluice::api::rollout_plugin {

// Nothing: the plugin that is built in. What else belongs to an address, args and files, is added
// by the caller.
Result<std::optional<PluginAddress>> read_location(std::string_view text);

// By its spelling: below `folder`, and not the folder itself.
bool is_below(std::string_view path, std::string_view folder);

// 64 hex digits, in small letters; nothing if it is something else.
std::optional<std::string> read_sha256(std::string_view text);

}  // namespace sluice::api::rollout_plugin
