// A pod as far as decisions need it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/numbers.hpp"
#include "base/time.hpp"
#include "model/object.hpp"

namespace sluice::model {

struct Pod {
    ObjectMeta meta;
    std::string owner;      // the object that controls it, by name; empty if there is none
    std::string owner_uid;  // and by UID
    std::string owner_kind;
    std::string revision;  // label controller-revision-hash
    std::string claims;    // label sluice.dev/claims-of: the identity whose claims it has
    std::string node;      // empty: it has none yet
    std::string zone;      // of its node, where Kubernetes says so on the pod; empty: not known
    Instant created;
    bool running = false;  // its phase is Running: its containers were started
    bool ended = false;    // its phase is Succeeded or Failed: it does not come back
    bool ready = false;    // condition Ready is True, and all restarts that were asked for are done
    // lastTransitionTime of that condition; as long as there is none, when the pod was made.
    Instant ready_since;
    bool never_ready = false;  // it is not, and it can be seen that it never was
    bool goes_first = false;   // a person wants this one gone if one has to go
    int restarts = 0;          // of all its containers
    friend bool operator==(const Pod&, const Pod&) = default;
};

// The number behind the last dash of the name, or nothing.
std::optional<Ordinal> ordinal_of(const Pod& pod);

// Ready for at least min_ready, and not on its way out.
bool is_available(const Pod& pod, Duration min_ready, Instant now);

}  // namespace sluice::model
