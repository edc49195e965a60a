// The ControllerRevisions of a set: which one its pods come from and which one they go to. A
// template that was there before finds its old revision, under its old name, with a new number.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/actors/controller.hpp"
#include "sim/actors/statefulset/set.hpp"

namespace sluice::sim {

struct Revisions {
    const json::object& current_template() const;
    const json::object& update_template() const;

    ObjectPtr current;
    ObjectPtr update;
    std::string current_name;
    std::string update_name;
    std::int64_t collisions = 0;
    std::vector<ObjectPtr> all = {};  // by number, those that were there before
};

// Which revision was found equal to which generation of a set, so that templates are compared
// once and not at every sync.
struct RevisionMemory {
    struct Equal {
        std::int64_t generation;
        std::string revision_version;
        friend bool operator==(const Equal&, const Equal&) = default;
    };
    std::map<std::string, Equal> by_set;  // UID
};

// Adopts, creates and renumbers as necessary. Nothing: the API refused.
std::optional<Revisions> establish_revisions(const Surroundings& at, const OwnerIndex& owners,
                                             RevisionMemory& memory, const Set& set);

// Removes the oldest revisions that nobody uses, beyond revisionHistoryLimit.
bool truncate_history(const Surroundings& at, const Set& set, const std::vector<SetPod>& pods,
                      const Revisions& revisions);

}  // namespace sluice::sim
