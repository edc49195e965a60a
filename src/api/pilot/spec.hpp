// The pilot API has no object of its own: a StatefulSet subscribes with the label
// dd-statefulset-pilot, whose value names the hook, and everything it is told stands in
// annotations.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/pilot/hooks/hook.hpp"
#include "engine/memory.hpp"
#include "model/statefulset.hpp"

namespace sluice::api::pilot {

// The annotations on the StatefulSet.
namespace key {
inline const std::string claim = "sluice.dev/claim";      // <api>/<name>: who steers it
inline const std::string rollout = "sluice.dev/rollout";  // our memory
inline const std::string phase = "sluice.dev/phase";
inline const std::string reason = "sluice.dev/reason";
inline const std::string message = "sluice.dev/message";
inline const std::string unblock = "sluice.dev/unblock";
inline const std::string since = "sluice.dev/since";
inline const std::string guarantee = "sluice.dev/guarantee";
inline const std::string fence = "sluice.dev/fence";
inline const std::string refused = "sluice.dev/refused";  // what the admission policies kept back
// Set by people.
inline const std::string paused = "sluice.dev/paused";  // "true" holds the rollout
inline const std::string retry = "sluice.dev/retry";    // a new value lets it go on
}  // namespace key

struct Subscription {
    std::string hook;
};

// Nothing if the set does not carry the label.
std::optional<Subscription> read_subscription(const model::StatefulSet& set);

// Subscribed, or still carrying our claim.
bool concerns(const model::StatefulSet& set);
// Why the hook that the set names cannot be asked.
std::optional<Error> hook_problem(const model::StatefulSet& set, const HookCatalogue& hooks);

// The claim that this API puts on the set.
std::string own_claim(const model::StatefulSet& set);
// Who else holds it: the claim's text, or nothing.
std::optional<std::string> other_claim(const model::StatefulSet& set);

// What we remember of this very set; memory of a namesake, or memory that is garbled, is none.
std::optional<engine::Memory> recall(const model::StatefulSet& set);

}  // namespace sluice::api::pilot
