// The decision for one StatefulSet that RolloutPlugins name: pure and total. One of them steers it,
// the one that holds it already or else the oldest; the others are told who does. Refuses to expose
// more pods than the weight of the step that is reached; what people command through the status
// (abort, promote, restart) is done once.
#pragma once

#include <string>

#include "api/verb.hpp"
#include "engine/decision.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api::rollout_plugin {

extern const model::Resource resource;

// What an object names: a StatefulSet, or a workload that only its plugin knows. Without a name if
// it names nothing.
model::Ref target_of(const model::CustomObject& object);
bool concerns(const model::StatefulSet& set, const std::vector<model::CustomObject>& objects);

engine::Decision decide(const engine::Snapshot& seen, Instant now);

// What people read about rollouts of this API, and what each verb does to one.
extern const Dialect dialect;

}  // namespace sluice::api::rollout_plugin
