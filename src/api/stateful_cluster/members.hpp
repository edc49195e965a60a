// Who the members of a cluster are to be. Pure: what is written down and what is there go in, what
// is to be written down comes out. It writes new identities down, moves those who go to the
// leavers, and does nothing else; bodies.hpp says what is made, decide.cpp when.
//
// Promises: an identity that was tried is never planned again; a member that is Ready leaves only
// because somebody wants fewer, because an update has reached it, or because its pod is going; a
// member that fails is replaced only while most others are well; the claims of the last copy go to
// its successor, unless it has lost its volume.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/stateful_cluster/spec.hpp"
#include "api/stateful_cluster/status.hpp"
#include "engine/decision.hpp"
#include "model/pod.hpp"

namespace sluice::api::stateful_cluster {

// One look at a cluster: what is wanted, what is written down, and what is there.
struct View {
    const model::CustomObject& object;
    const Spec& spec;
    const std::vector<model::Pod>& pods;  // that carry its label
    Instant now;
    std::string refused = {};  // the pod that the server would not take just now; empty: none
    // Revisions from which the update needs other images, and nothing else.
    std::set<std::string> in_place_from = {};
    // Members that wait for a node and get none: a volume of theirs is gone, or a claim is.
    std::set<std::string> without_volume = {};

    // The pod of this name that the cluster owns; null: there is none.
    const model::Pod* pod(const std::string& name) const;
    bool is_ready(const Member& member) const;
    // Its state as its pod says it, and since when it has been so.
    Member::State state(const Member& member) const;
    Instant since(const Member& member) const;
    // A pod is there that has the claims of this identity, its own or another's.
    bool is_mounted(std::string_view identity) const;
    // Its pod is there, and neither it nor the ledger has ever seen it ready, or not since its
    // images were changed.
    bool was_never_ready(const Member& member) const;
    // Its pod is to get other images, and has not got them yet.
    bool is_behind(const Member& member) const;
    const std::string& cluster() const { return object.meta.key.name; }
};

// What the members are to be, and what a person should be told of it.
struct Tended {
    Status status;
    std::vector<engine::Notice> notices = {};
    std::optional<engine::StatusReport> held = {};  // why somebody who failed is not replaced
    std::optional<Instant> wake_at = {};            // when patience with somebody ends
};

// `revision`: of members that no update has reached; those that it has reached get the updated one.
Tended tend(const View& view, Status status, const std::string& revision);

// Members as they are seen now: states, nodes and counts.
void count_members(const View& view, Status& status);

// The next members whose pods may be made now; in order, that is one at a time.
std::vector<Member*> due(const View& view, Status& status);

}  // namespace sluice::api::stateful_cluster
