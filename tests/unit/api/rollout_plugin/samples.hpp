// The document's example as the API server stores it, and ways to change it.
#pragma once

#include <string>

#include "api/rollout_plugin/spec.hpp"
#include "tests/unit/api/changes.hpp"

namespace sluice::api::rollout_plugin::testing {

using api::testing::Change;
using api::testing::Changes;
using api::testing::json_text;

inline const std::string example_spec = R"json({
  "workloadRef": {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "my-statefulset",
                  "namespace": "argo-rollouts"},
  "plugin": {"name": "statefulset-plugin"},
  "strategy": {"type": "Canary", "canary": {"steps": [
    {"setWeight": 20}, {"pause": {"duration": "5m"}},
    {"setWeight": 40}, {"pause": {"duration": "5m"}},
    {"setWeight": 60}, {"pause": {"duration": "5m"}},
    {"setWeight": 80}, {"pause": {"duration": "5m"}},
    {"setWeight": 100}]}},
  "onFailure": "Hold"
})json";

inline std::string changed(const Changes& changes) {
    return api::testing::changed(example_spec, changes);
}

inline model::CustomObject with_spec(std::string spec) {
    model::CustomObject object = api::testing::with_spec(std::move(spec));
    object.meta.key = {"argo-rollouts", "my-statefulset-rollout"};
    return object;
}

inline std::expected<Spec, FieldErrors> read(const Changes& changes) {
    return read_spec(with_spec(changed(changes)));
}

}  // namespace sluice::api::rollout_plugin::testing
