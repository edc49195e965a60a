// What becomes of claims: when their member leaves, and when the whole cluster does. Claims are
// deleted only where the policy says so, by their UID, and never while a pod of theirs is there.
#pragma once

#include <optional>
#include <vector>

#include "api/stateful_cluster/spec.hpp"
#include "api/stateful_cluster/status.hpp"
#include "engine/decision.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api::stateful_cluster {

// The claims of one that has this name, or has taken over those of another identity.
std::vector<model::Ref> claims_of(const model::CustomObject& object, const Spec& spec,
                                  const std::string& name, const std::string& taken_over);
// Of these, those that are still there; nothing: they have not been looked at.
std::optional<std::vector<engine::Subject>> claims_left(const std::vector<model::Ref>& wanted,
                                                        const engine::Snapshot& seen);

// One of these claims is not there, or what it was bound to is not; nothing: they have not been
// looked at.
std::optional<bool> lost_volume(const std::vector<model::Ref>& wanted,
                                const engine::Snapshot& seen);

// The finalizer is there while claims are to go with the cluster; nothing: it is as it should be.
std::optional<engine::Action> finalizer_write(const model::CustomObject& object, const Spec& spec);

// The cluster is being deleted. Its pods go by themselves; where its claims are to go too, it waits
// for us. Null: the spec cannot be read, and no claim goes.
engine::Decision part(const engine::Snapshot& seen, const Spec* spec, Instant now);

}  // namespace sluice::api::stateful_cluster
