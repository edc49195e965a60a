// A rollout through a plugin that is a program of its own: where the plugin is found, and what is
// remembered. All of that stands in the status, where for a StatefulSet it stands on the set, and
// is written before anything is asked of the plugin.
#pragma once

#include <expected>
#include <optional>
#include <string>

#include "api/rollout_plugin/plugin.hpp"
#include "api/rollout_plugin/position.hpp"
#include "api/rollout_plugin/status.hpp"
#include "engine/decision.hpp"

namespace sluice::api::rollout_plugin {

// Workloads that are no StatefulSets. The API server does not know them by this name: it holds what
// the plugin calls them.
inline constexpr model::Resource outside_workloads{"", "", "workloads", "Workload"};

// Where the plugin of this rollout is found; nothing: it is the one that is built in.
std::expected<std::optional<PluginAddress>, FieldErrors> plugin_of(const Spec& spec,
                                                                   const engine::Snapshot& seen);

// What a rollout is bound to: the RolloutPlugin, the workload that it names and the plugin. What is
// remembered of another one is not ours.
std::string binding_of(const model::CustomObject& object, const Spec& spec);

// `seen` is what the plugin says is there; null: nothing is known. Without a memory as long as no
// look at the workload has succeeded.
WorkloadState workload_state_in(const Status& reported, const std::string& binding,
                                const ResourceStatus* seen);
// The same once this is remembered.
WorkloadState remembering(WorkloadState state, const engine::Memory& memory,
                          const ResourceStatus* seen);

// Whether a plugin outside has begun the rollout that the status tells of.
bool tells_of_outside(const Status& reported, const model::CustomObject& object);
// The same, or there is no StatefulSet that the built-in one could move.
bool is_outside(const engine::Snapshot& seen, const model::CustomObject& object);

// Says why it is not steered, and keeps everything else that the status remembers.
void keep_and_say(engine::Decision& decision, const model::CustomObject& object,
                  const engine::Snapshot& seen, Instant now);
// Nothing moves, and nothing that is remembered is lost.
engine::Decision refuse_outside(const engine::Snapshot& seen, const model::CustomObject& object,
                                const FieldErrors& errors, Instant now);

}  // namespace sluice::api::rollout_plugin
