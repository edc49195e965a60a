// The decision for one RolloutPlugin whose plugin runs outside of the operator: pure and total. All
// it remembers is in the status, and that is written before anything is asked of the plugin. A
// weight is raised only after a fresh look at which the plugin verified the weight before; a look
// that failed is no look. What a plugin says is bound to the revision that it was said of.
#pragma once

#include <expected>
#include <optional>
#include <string_view>

#include "api/rollout_plugin/plugin.hpp"
#include "api/rollout_plugin/spec.hpp"
#include "engine/decision.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api::rollout_plugin {

// Workloads that are no StatefulSets. The API server does not know them by this name: it holds what
// the plugin calls them.
inline constexpr model::Resource outside_workloads{"", "", "workloads", "Workload"};

// Where the plugin of this rollout is found; nothing: it is the one that is built in.
std::expected<std::optional<PluginAddress>, FieldErrors> plugin_of(const Spec& spec,
                                                                   const engine::Snapshot& seen);

// Whether the status tells of a rollout that a plugin outside of the operator has carried out, or
// there is no StatefulSet that the one inside could move.
bool is_outside(const engine::Snapshot& seen, const model::CustomObject& object);

engine::Decision steer_outside(const engine::Snapshot& seen, const model::CustomObject& object,
                               const Spec& spec, const PluginAddress& plugin, Instant now);
// Nothing moves, and nothing that is remembered is lost.
engine::Decision refuse_outside(const engine::Snapshot& seen, const model::CustomObject& object,
                                const FieldErrors& errors, Instant now);

}  // namespace sluice::api::rollout_plugin
