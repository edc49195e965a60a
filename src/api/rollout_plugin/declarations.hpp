// The plugins that whoever runs the operator has declared, in the ConfigMap argo-rollouts-config
// under the key rolloutPlugins: a YAML list of {name, location, sha256, args, caFile, certFile,
// keyFile}. And the address that a rollout itself may name.
//
// Promises: any text gives an answer; a wrong entry is an error with its field and hides no other
// entry; nothing that is not understood is passed over, so that a misspelt sha256 is no check less.
// Refuses: what would have to be downloaded, plain connections to other machines, relative paths.
#pragma once

#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/rollout_plugin/plugin.hpp"
#include "api/settings.hpp"
#include "base/field_error.hpp"

namespace sluice::api::rollout_plugin {

// Where plugins are declared.
inline constexpr std::string_view config_map = "argo-rollouts-config";

struct PluginDeclarations {
    // By name. An address of nothing is the plugin for StatefulSets, which is built in.
    std::map<std::string, std::optional<PluginAddress>> plugins;
    std::vector<FieldError> errors;
    friend bool operator==(const PluginDeclarations&, const PluginDeclarations&) = default;
};

struct PluginCatalogue final : engine::OwnSettings {
    explicit PluginCatalogue(PluginDeclarations read) : declared(std::move(read)) {}
    PluginDeclarations declared;
};
Settings read_settings(const std::map<std::string, std::string>& data);
std::optional<std::vector<NamedProgram>> programs_in(const engine::OwnSettings& settings);

// `text` is the value of the key. Empty: nothing is declared.
PluginDeclarations read_declarations(const std::string& text);

// For spec.plugin.{url,sha256,verify}: a file URL below the folder that whoever runs the operator
// has opened for this; empty: none is. Links are for the I/O half to judge. A digest that is given
// is checked even where `verify` is false.
std::expected<PluginAddress, FieldError> address_of(std::string_view url, std::string_view sha256,
                                                    bool verify,
                                                    std::string_view allowed_directory);

}  // namespace sluice::api::rollout_plugin
