// What the ConfigMaps and Secrets of a template have come to: a digest that only the operator can
// make, or why there is none. No byte of them is kept, and of the key neither.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/extended_stateful_set/spec.hpp"
#include "api/extended_stateful_set/status.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api::extended_stateful_set {

// Where the key of the digests is, in the operator's own namespace.
inline constexpr const char* config_key_secret = "sluice-config-key";

struct Config {
    enum class State : std::uint8_t {
        Ignored,   // nobody wants to know
        Known,     // the digest is of what is there now
        Unlooked,  // nobody has looked yet
        Unread,    // some of it is to be read first
        Unkeyed,   // the key is to be made first
        Stopped,   // nothing may move, for a reason
    };
    State state = State::Ignored;
    std::string digest = {};    // of Known
    std::string versions = {};  // the same
    std::vector<model::Ref> unread = {};
    std::optional<engine::Evidence> noted = {};
    std::optional<engine::Action> makes_key = {};
    engine::Reason reason = engine::Reason::ConfigUnseen;  // of Stopped
    std::string message = {};

    bool is_known() const { return state == State::Known; }
    bool stops() const { return state == State::Stopped; }
};

Config config_of(const engine::Snapshot& seen, const Spec& spec, const ConfigStatus& known,
                 Instant now);

}  // namespace sluice::api::extended_stateful_set
