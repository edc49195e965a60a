// The APIs that this binary serves, one line each. Whoever adds an API adds a folder and a line;
// nothing else knows their names.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/settings.hpp"
#include "engine/decision.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api {

struct Api {
    std::string_view name;            // also the part of its claims before the slash
    const model::Resource* resource;  // of its objects; null: it has none
    // Of the objects that its objects own and that it decides by; null: none. They are served by an
    // API of their own, which watches them.
    const model::Resource* support;
    // What an object is about, in its own namespace: the workload that it names, or itself. Without
    // a name: nothing.
    model::Ref (*target_of)(const model::CustomObject& object);
    // Is this workload any business of the API: asked for by it, or still claimed by it? `objects`
    // are those of the API that are about it. Null: no workload is.
    bool (*concerns)(const model::StatefulSet& set,
                     const std::vector<model::CustomObject>& objects);
    // Completes what is seen, its settings among it, with what only the API can read.
    void (*prepare)(engine::Snapshot& seen);
    engine::Decision (*decide)(const engine::Snapshot& seen, Instant now);
    Declared declared = {};  // what it reads beside objects and workloads
    // Takes from an object what no decision asks for; null: every part of it counts.
    void (*trim)(model::CustomObject& object) = nullptr;
};

std::span<const Api> apis();
std::vector<std::string> api_names();
const Api* find_api(std::string_view name);
// Whether it moves pods: one whose objects are the support of another API does not.
bool steers_workloads(const Api& api);

}  // namespace sluice::api
