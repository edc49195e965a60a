// The status of a StatefulCluster. It is also the ledger of identities, on which everything rests:
// an identity is written down here before anything is made under it, and tried once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/condition.hpp"
#include "api/gates/gates.hpp"
#include "api/status_head.hpp"
#include "base/numbers.hpp"
#include "base/time.hpp"
#include "model/custom_object.hpp"

namespace sluice::api::stateful_cluster {

// A member in its place. Of the places the last one is the first to be updated.
struct Member {
    // Planned: nothing has been made under this name but claims. Creating: its pod is made, and it
    // is not known yet whether that went well. All others: it was seen. Whoever is not Planned and
    // has no pod had one, or might have had one: the name is not tried again.
    enum class State : std::uint8_t { Planned, Creating, Starting, Ready, NotReady };

    std::string name = {};  // of its pod
    State state = State::Planned;
    std::string revision = {};   // that it is made from
    std::string claims_of = {};  // the identity whose claims it has taken over; empty: its own
    std::string after = {};      // the pod that must be gone before its own is made; empty: none
    std::string node = {};
    Instant since = {};  // when its state was first seen, by the clock of whoever saw it
    // Nobody has left for it, and it has not been ready yet: what it lacks is no loss.
    bool added = false;

    bool is_tried() const { return state != State::Planned; }
    friend bool operator==(const Member&, const Member&) = default;
};

// A member that is on its way out, until its pod is gone and its claims are dealt with.
struct Leaver {
    enum class Why : std::uint8_t { Failed, Gone, Scaled, Updated };

    std::string name;
    Why why = Why::Failed;
    std::string claims_of;    // as with a member
    bool hands_over = false;  // its claims go to its successor
    friend bool operator==(const Leaver&, const Leaver&) = default;
};

struct Status : StatusHead {
    PodCount replicas;  // pods that are there
    PodCount ready;
    PodCount available;
    PodCount current;
    PodCount updated;
    std::string current_revision;
    std::string update_revision;
    std::string selector;  // for the scale subresource
    std::vector<Member> members;
    std::vector<Leaver> leaving;
    std::vector<std::string> revisions;  // the ControllerRevisions, oldest first
    std::string rollout;                 // what the engine remembers of the last rollout
    PodCount exposed;                    // members that the rollout under way has reached
    gates::Remembered gates;             // of the step that is waiting
    Instant written;                     // when it was last written
    Instant tolerance_from;  // the end of the last outage: nobody's patience began before it
    std::vector<Condition> conditions;  // Ready, Progressing
    friend bool operator==(const Status&, const Status&) = default;
};

Status read_status(const model::CustomObject& object);
// The JSON text of the whole status, the value to replace the old one with.
std::string write_status(const Status& status);

}  // namespace sluice::api::stateful_cluster
