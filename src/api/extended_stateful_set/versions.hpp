// The versions that are there: their StatefulSets and pods, as they are seen.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/extended_stateful_set/spec.hpp"
#include "engine/decision.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api::extended_stateful_set {

// A StatefulSet of a version: all of it, or its part in one zone.
struct Part {
    SetId id = {};
    const model::StatefulSet* set = nullptr;
    std::vector<const model::Pod*> pods = {};

    int zone() const { return id.zone.value_or(0); }
};

struct Version {
    int number = 0;
    std::vector<Part> parts = {};  // in the order of their zones; never empty

    const std::string& digest() const;  // of the template that it was made from
    bool is_stale() const;              // it failed, and some part of it says so
    PodCount pods() const;
    PodCount ready() const;
    PodCount available(Duration min_ready, Instant now) const;
    bool runs() const;
    bool was_ever_ready() const;
    // Null: it is not there.
    const Part* in_zone(int zone) const;
};

// Nothing: it is no version of its owner.
std::optional<SetId> id_of(const model::StatefulSet& set);
// Its number; 0: it is none.
int version_of(const model::StatefulSet& set);

// In the order of their numbers; StatefulSets that are being deleted are left out. `seen` must
// outlive them.
std::vector<Version> versions_in(const engine::Snapshot& seen);
// Null: it is not there.
const Version* find_version(const std::vector<Version>& all, int number);

// Pods of other owners are strays, and what a pod's revision is called is its version.
void take_pods(engine::Snapshot& seen);

}  // namespace sluice::api::extended_stateful_set
