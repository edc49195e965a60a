// What is remembered of a rollout through a plugin outside of the operator: all of it stands in the
// status, where for a StatefulSet it stands on the set.
#pragma once

#include "api/rollout_plugin/position.hpp"
#include "api/rollout_plugin/status.hpp"
#include "engine/decision.hpp"

namespace sluice::api::rollout_plugin {

// What a rollout is bound to: the RolloutPlugin, the workload that it names and the plugin. What is
// remembered of another one is not ours.
std::string binding_of(const model::CustomObject& object, const Spec& spec);

engine::Memory memory_in(const Status& reported, const std::string& binding);
// Without a memory as long as no look at the workload has succeeded.
WorkloadState workload_state_in(const Status& reported, const std::string& binding);

// Whether a plugin outside has begun the rollout that the status tells of.
bool tells_of_outside(const Status& reported, const model::CustomObject& object);

// Says why it is not steered, and keeps everything else that the status remembers.
void keep_and_say(engine::Decision& decision, const model::CustomObject& object,
                  const engine::Snapshot& seen, Instant now);

}  // namespace sluice::api::rollout_plugin
