// The APIs that this binary serves, one line each. Whoever adds an API adds a folder and a line;
// nothing else knows their names.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/inquiry/inquiry.hpp"
#include "api/settings.hpp"
#include "engine/decision.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api {

// Custom objects that an API decides by, and whom a change of one concerns.
struct Watch {
    const model::Resource* resource;
    // What an object is about, in its own namespace: the workload that it names, or itself; without
    // a name: nothing. Null: what the object is about that controls it. Then it is an object of
    // another API, which keeps it.
    model::Ref (*subject_of)(const model::CustomObject& object) = nullptr;
    // Takes from an object what no decision asks for; null: every part of it counts.
    void (*trim)(model::CustomObject& object) = nullptr;
};

struct Api {
    std::string_view name;           // also the part of its claims before the slash
    std::span<const Watch> watches;  // its own objects first; empty: it has none
    // Is this workload any business of the API: asked for by it, or still claimed by it? `objects`
    // are those of the API that are about it. Null: no workload is, for it moves no pods.
    bool (*concerns)(const model::StatefulSet& set,
                     const std::vector<model::CustomObject>& objects);
    // Completes what is seen, its settings among it, with what only the API can read.
    void (*prepare)(engine::Snapshot& seen);
    engine::Decision (*decide)(const engine::Snapshot& seen, Instant now);
    Declared declared = {};  // what it reads beside objects and workloads
    Inquiries asks = {};     // how its probes are asked

    // Of its own objects; null: it has none.
    const model::Resource* resource() const {
        return watches.empty() ? nullptr : watches.front().resource;
    }
    bool steers_workloads() const { return concerns != nullptr; }
};

std::span<const Api> apis();
std::vector<std::string> api_names();
const Api* find_api(std::string_view name);

}  // namespace sluice::api
