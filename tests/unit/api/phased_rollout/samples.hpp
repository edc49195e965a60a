// The document's example as the API server stores it, and ways to change it.
#pragma once

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "api/phased_rollout/spec.hpp"

namespace sluice::api::phased_rollout::testing {

inline const std::string example_spec = R"json({
  "targetRef": "web", "skipCheck": false,
  "check": {"initialDelaySeconds": 30, "periodSeconds": 30, "maxTries": 10, "successThreshold": 3,
            "query": {"expr": "up{}", "url": "prom:9000/xx", "secretRef": "prom-secret"}}
})json";

struct Change {
    std::string pointer;  // "/check/maxTries"
    std::string value;    // JSON; empty: the field is left out
};

inline std::string changed(const std::vector<Change>& changes) {
    boost::json::value spec = boost::json::parse(example_spec);
    for (const auto& [pointer, value] : changes) {
        const std::size_t slash = pointer.rfind('/');
        auto& parent = spec.at_pointer(pointer.substr(0, slash)).as_object();
        if (value.empty())
            parent.erase(pointer.substr(slash + 1));
        else
            parent[pointer.substr(slash + 1)] = boost::json::parse(value);
    }
    return boost::json::serialize(spec);
}

inline model::CustomObject with_spec(std::string spec) {
    model::CustomObject object;
    object.spec = std::move(spec);
    return object;
}

inline std::expected<Spec, FieldErrors> read(const std::vector<Change>& changes) {
    return read_spec(with_spec(changed(changes)));
}

// JSON of a text.
inline std::string json_text(std::string_view text) {
    return boost::json::serialize(boost::json::string(text));
}

}  // namespace sluice::api::phased_rollout::testing
