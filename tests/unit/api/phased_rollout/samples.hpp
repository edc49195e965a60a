// The document's example as the API server stores it, and ways to change it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/phased_rollout/spec.hpp"
#include "tests/unit/api/changes.hpp"

namespace sluice::api::phased_rollout::testing {

using api::testing::Change;
using api::testing::json_text;
using api::testing::with_spec;

inline const std::string example_spec = R"json({
  "targetRef": "web", "skipCheck": false,
  "check": {"initialDelaySeconds": 30, "periodSeconds": 30, "maxTries": 10, "successThreshold": 3,
            "query": {"expr": "up{}", "url": "prom:9000/xx", "secretRef": "prom-secret"}}
})json";

inline std::string changed(const std::vector<Change>& changes) {
    return api::testing::changed(example_spec, changes);
}

inline std::expected<Spec, FieldErrors> read(const std::vector<Change>& changes) {
    return read_spec(with_spec(changed(changes)));
}

}  // namespace sluice::api::phased_rollout::testing
