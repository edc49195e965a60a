// The pilot API has no object of its own: a StatefulSet subscribes with the label
// dd-statefulset-pilot, whose value names the hook, and everything it is told stands in
// annotations.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/hooks/hook.hpp"
#include "engine/snapshot.hpp"
#include "model/annotations.hpp"
#include "model/statefulset.hpp"

namespace sluice::api::pilot {

namespace key = model::key;

inline constexpr std::string_view label = "dd-statefulset-pilot";

struct Subscription {
    std::string hook;
    bool allow_unready = false;             // go on although pods behind the gate are not ready
    hooks::When when = hooks::When::Ready;  // it wants to be asked
};

// Nothing if the set does not carry the label.
std::optional<Subscription> read_subscription(const model::StatefulSet& set);

// Subscribed, or still carrying what we wrote.
bool concerns(const model::StatefulSet& set, const std::vector<model::CustomObject>& none);
// Adds which hook is meant, and why it cannot be asked.
void prepare(engine::Snapshot& seen);
// The claim that this API puts on the set.
std::string own_claim(const model::StatefulSet& set);
// Who else holds it: the claim's text, fit to be printed, or nothing.
std::optional<std::string> other_claim(const model::StatefulSet& set);

}  // namespace sluice::api::pilot
