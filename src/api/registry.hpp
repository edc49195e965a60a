// The APIs that this binary serves, one line each. Whoever adds an API adds a folder and a line;
// nothing else knows their names.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/pilot/hooks/hook.hpp"
#include "engine/decision.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api {

struct Api {
    std::string_view name;                  // also the part of its claims before the slash
    const model::CustomResource* resource;  // of its objects; null: it has none
    // The workload that an object names, in its own namespace.
    std::string (*target_of)(const model::CustomObject& object);
    // Is this workload any business of the API: asked for by it, or still claimed by it? `objects`
    // are those of the API that name it.
    bool (*concerns)(const model::StatefulSet& set,
                     const std::vector<model::CustomObject>& objects);
    // Completes what is seen with what only the API can read.
    void (*prepare)(engine::Snapshot& seen, const pilot::HookCatalogue& hooks);
    engine::Decision (*decide)(const engine::Snapshot& seen, Instant now);
};

std::span<const Api> apis();
std::vector<std::string> api_names();
const Api* find_api(std::string_view name);

}  // namespace sluice::api
