// The APIs that this binary serves, one line each. Whoever adds an API adds a folder and a line;
// nothing else knows their names.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "api/pilot/hooks/hook.hpp"
#include "engine/decision.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api {

struct Api {
    std::string_view name;
    // Is this workload any business of the API: subscribed to it, or still claimed by it?
    bool (*concerns)(const model::StatefulSet& set);
    // Why the hook that the workload names cannot be asked; nothing if it can, or if it names none.
    std::optional<Error> (*hook_problem)(const model::StatefulSet& set,
                                         const pilot::HookCatalogue& hooks);
    // What an approval of that hook is bound to: its declaration, and its settings on the workload.
    std::string (*hook_binding)(const model::StatefulSet& set, const pilot::HookCatalogue& hooks);
    engine::Decision (*decide)(const engine::Snapshot& seen, Instant now);
};

std::span<const Api> apis();
const Api* find_api(std::string_view name);

}  // namespace sluice::api
