// RolloutPlugins, as people make, change and command them.
#pragma once

#include "sim/world/world.hpp"

namespace sluice::sim::rollout_plugin {

inline constexpr const char* plugins = "rolloutplugins.argoproj.io";

std::span<const WordField> fields();
Response create(World& world, const RolloutOptions& plugin);
// One field of the spec; "none" takes it away.
Response change(World& world, const std::string& ns, const std::string& name,
                const std::string& field, const std::string& value);
// What is said through the status.
Response command(World& world, const std::string& ns, const std::string& name, json::object status);

}  // namespace sluice::sim::rollout_plugin
