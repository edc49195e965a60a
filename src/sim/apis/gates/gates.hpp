// What APIs share whose updates are guarded by gates in spec.updateStrategy.gates: the words of
// their scenarios, and the promise that no step is taken past a gate.
#pragma once

#include <string>
#include <vector>

#include "sim/apis/registry.hpp"
#include "sim/scenario/words.hpp"

namespace sluice::sim::gates {

// "promoted", or a time.
inline json::value as_rest(const std::string& text) {
    json::object rest;
    if (text != "promoted") rest["seconds"] = as_seconds(text);
    return rest;
}

inline constexpr WordField fields[] = {
    {"hook", "/spec/updateStrategy/gates/hook", as_text},
    {"rest", "/spec/updateStrategy/gates/pause", as_rest},
    {"expr", "/spec/updateStrategy/gates/check/query/expr", as_text},
    {"url", "/spec/updateStrategy/gates/check/query/url", as_text},
    {"delay", "/spec/updateStrategy/gates/check/initialDelaySeconds", as_seconds},
    {"period", "/spec/updateStrategy/gates/check/periodSeconds", as_seconds},
    {"threshold", "/spec/updateStrategy/gates/check/successThreshold", as_number},
    {"tries", "/spec/updateStrategy/gates/check/maxTries", as_number},
};
inline constexpr const char* field_words =
    "[hook NAME] [rest TIME|promoted] [expr EXPR] [url URL] [delay TIME] [period TIME] [threshold "
    "N] [tries N]";

// An API with such updates.
struct Guarded {
    const char* resource;
    // The pods of its object, in their places: the last one is the first to go. Of one that is not
    // there no hook has to be asked; null: it has to be asked anyhow.
    std::vector<std::string> (*pods_of)(const json::object& object) = nullptr;
};
// S37
void add_promise(Observers& all, const Inspection& inspection, Guarded guarded);

}  // namespace sluice::sim::gates
