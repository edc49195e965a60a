// The versions that are there: their StatefulSets and pods, as they are seen.
#pragma once

#include <string>
#include <vector>

#include "api/extended_stateful_set/spec.hpp"
#include "engine/decision.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api::extended_stateful_set {

struct Version {
    int number = 0;
    const model::StatefulSet* set = nullptr;
    std::vector<const model::Pod*> pods = {};

    const std::string& digest() const;  // of the template that it was made from
    const std::string& stale() const;   // why it failed; empty: it did not
    PodCount ready() const;
    PodCount available(Duration min_ready, Instant now) const;
    bool runs() const;
    bool was_ever_ready() const;
};

// The number in the name of a version of this owner; 0: it is none.
int version_of(const model::StatefulSet& set);

// In the order of their numbers; StatefulSets that are being deleted are left out. `seen` must
// outlive them.
std::vector<Version> versions_in(const engine::Snapshot& seen);
// Null: it is not there.
const Version* find_version(const std::vector<Version>& all, int number);

// Pods of other owners are left out, and what a pod's revision is called is its version.
void take_pods(engine::Snapshot& seen);

}  // namespace sluice::api::extended_stateful_set
