// The APIs that this binary serves, one line each. Whoever adds an API adds a folder and a line;
// nothing else knows their names.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/inquiry/inquiry.hpp"
#include "api/settings.hpp"
#include "api/verb.hpp"
#include "engine/decision.hpp"
#include "engine/snapshot.hpp"
#include "model/watch.hpp"

namespace sluice::api {

using model::Watch;

// A flag of the operator that means something to one API: which of two words holds where its
// objects say nothing.
struct Choice {
    std::string_view flag = {};  // empty: there is none
    std::string_view help = {};
    std::span<const std::string_view> words = {};  // the first one holds if nobody says anything
    bool engine::Environment::* second = nullptr;  // what the second one sets
};

struct Api {
    std::string_view name;        // also the part of its claims before the slash
    std::string_view needs = {};  // another one, which is served wherever this one is
    // Of its own objects, which are watched; null: it has none.
    const model::Resource* resource = nullptr;
    std::span<const Watch> watches;  // everything that it decides by
    // What it reads of a StatefulSet, and annotations also of its own objects.
    std::span<const std::string_view> labels = {};
    std::span<const std::string_view> annotations = {};
    // Is this workload any business of the API: asked for by it, or still claimed by it? `objects`
    // are those of the API that are about it. Null: no workload is, for it moves no pods.
    bool (*concerns)(const model::StatefulSet& set,
                     const std::vector<model::CustomObject>& objects) = nullptr;
    // Completes what is seen, its settings among it, with what only the API can read.
    void (*prepare)(engine::Snapshot& seen) = [](engine::Snapshot&) {};
    engine::Decision (*decide)(const engine::Snapshot& seen, Instant now);
    Declared declared = {};  // in the ConfigMap that it watches and that concerns everybody
    std::span<const Inquiries> asks = {};  // the kinds of questions that it asks
    const Dialect* dialect = nullptr;      // null: people ask nothing of it
    Choice choice = {};
    // Of its own objects: what it writes for people and never reads.
    std::span<const std::string_view> dispensable = {};

    bool steers_workloads() const { return concerns != nullptr; }
    // What one of its own objects is about; without a name: nothing.
    model::Ref subject_of(const model::CustomObject& object) const;
};

std::span<const Api> apis();
std::vector<std::string> api_names();
const Api* find_api(std::string_view name);
// It is among these names, or needed by one that is; where there are no names, all are served.
bool is_served(const Api& api, std::span<const Api> all, const std::vector<std::string>& names);
// Every kind of question once, however many ask it.
std::span<const Inquiries> inquiries();
// What any of them reads.
const model::Kept& kept();

}  // namespace sluice::api
