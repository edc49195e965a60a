// The StatefulSet that a version is, and the changes of it.
#pragma once

#include <string>

#include "api/extended_stateful_set/spec.hpp"
#include "engine/decision.hpp"

namespace sluice::api::extended_stateful_set {

// What stands on the StatefulSets of the object: nobody else steers them.
std::string claim_of(const model::CustomObject& object);

// From the template of the object. Its labels and annotations stay; those of the version are added,
// to the pods and to what selects them, too, and those of its zone, which its pods are bound to and
// find in their environment. Its gate is closed: its template never changes.
// `fence` of the leader that makes it; empty: nobody else can lead. `config`: the digest of what
// its pods read; empty: nobody wants to know.
std::string set_body(const model::CustomObject& object, const Spec& spec, const SetId& id,
                     PodCount replicas, const std::string& config, const std::string& fence);

// Only if the set is still as it was seen.
engine::Action scaling_of(const model::StatefulSet& set, PodCount to, const std::string& fence);
// The same, in one write with the first ordinal.
engine::Action moving_of(const model::StatefulSet& set, const Places& to, const std::string& fence);
// Whoever led before cannot write to it any more.
engine::Action fencing_of(const model::StatefulSet& set, const std::string& fence);

// Its pods are to be replaced, behind a gate that is closed in the same write, because what they
// read has this digest now.
engine::Action restart_of(const model::StatefulSet& set, const std::string& config,
                          std::uint64_t retry, Instant now, const std::string& fence);
// Without pods there is nothing to restart.
engine::Action end_of_restart(const model::StatefulSet& set, const std::string& fence);
// Nobody has said so far what its pods read: from now on each change counts.
engine::Action config_mark(const model::StatefulSet& set, const std::string& config,
                           const std::string& fence);

// With the reason; empty: takes the mark away.
engine::Action stale_mark(const model::StatefulSet& set, const std::string& reason,
                          const std::string& fence);

}  // namespace sluice::api::extended_stateful_set
