// What an API needs that lets a hook guard its rollouts, beside the gate in its plan.
#pragma once

#include <string>
#include <string_view>

#include "api/hooks/hook.hpp"
#include "engine/decision.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api::hooks {

// Adds to what is seen which hook is meant, with all that an approval of it is bound to, and why it
// cannot be asked. The settings of the API are a HookCatalogue.
void prepare(engine::Snapshot& seen, const std::string& hook);

// When the hook wants to be asked.
When when_of(const engine::Snapshot& seen, const std::string& hook);

// Adds to the question of a gate, if there is one, all that it takes to ask it. `kind` as in
// Transition.
void complete(engine::Decision& decision, const engine::Snapshot& seen, std::string_view kind);

}  // namespace sluice::api::hooks
