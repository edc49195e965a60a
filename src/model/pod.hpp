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
    std::string owner_uid;  // of the controlling StatefulSet; empty if there is none
    std::string revision;   // label controller-revision-hash
    bool running = false;   // its phase is Running: its containers were started
    bool ready = false;     // condition Ready is True
    // lastTransitionTime of that condition; as long as there is none, when the pod was made.
    Instant ready_since;
    bool never_ready = false;  // it is not, and it can be seen that it never was
    friend bool operator==(const Pod&, const Pod&) = default;
};

// The number behind the last dash of the name, or nothing.
std::optional<Ordinal> ordinal_of(const Pod& pod);

// Ready for at least min_ready, and not on its way out.
bool is_available(const Pod& pod, Duration min_ready, Instant now);

}  // namespace sluice::model
