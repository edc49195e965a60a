// The pilot API has no object of its own: a StatefulSet subscribes with the label
// dd-statefulset-pilot, whose value names the hook, and everything it is told stands in
// annotations.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/pilot/hooks/hook.hpp"
#include "engine/snapshot.hpp"
#include "model/annotations.hpp"
#include "model/statefulset.hpp"

namespace sluice::api::pilot {

namespace key = model::key;

inline constexpr std::string_view label = "dd-statefulset-pilot";
inline constexpr std::string_view config_map = "sluice-hooks";  // where hooks are declared

struct Subscription {
    std::string hook;
    bool allow_unready = false;  // go on although pods behind the gate are not ready
    When when = When::Ready;     // the hook wants to be asked
};

// Nothing if the set does not carry the label.
std::optional<Subscription> read_subscription(const model::StatefulSet& set);

// Subscribed, or still carrying what we wrote.
bool concerns(const model::StatefulSet& set, const std::vector<model::CustomObject>& none);
// Adds which hook is meant, and why it cannot be asked.
void prepare(engine::Snapshot& seen);
// Why the hook that the set names cannot be asked.
std::optional<Error> hook_problem(const model::StatefulSet& set, const HookCatalogue& hooks);

// What an approval of the hook is bound to beside the pods: the hook's declaration and settings.
std::string hook_binding(const model::StatefulSet& set, const HookCatalogue& hooks);

// The claim that this API puts on the set.
std::string own_claim(const model::StatefulSet& set);
// Who else holds it: the claim's text, fit to be printed, or nothing.
std::optional<std::string> other_claim(const model::StatefulSet& set);

}  // namespace sluice::api::pilot
