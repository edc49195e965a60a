// How one RolloutPlugin steers its workload, whatever moves it: the partition of a StatefulSet, or
// a plugin that is a program of its own. All it remembers of the latter is in the status, and that
// is written before anything is asked of the plugin.
#pragma once

#include <expected>

#include "api/rollout_plugin/plugin.hpp"
#include "api/rollout_plugin/spec.hpp"
#include "engine/decision.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api::rollout_plugin {

// `read` is errors where there is no spec that could be served; `plugin` is null for the one that
// is built in.
engine::Decision steer(const engine::Snapshot& seen, const model::CustomObject& object,
                       const std::expected<Spec, FieldErrors>& read, const PluginAddress* plugin,
                       Instant now);

}  // namespace sluice::api::rollout_plugin
