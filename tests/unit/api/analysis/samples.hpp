// A template with a metric of each kind.
#pragma once

#include <string>

#include "api/analysis/template.hpp"
#include "tests/unit/api/changes.hpp"

namespace sluice::api::analysis::testing {

using api::testing::Changes;

inline const std::string example_spec = R"json({
  "args": [{"name": "service"}, {"name": "port", "value": "9090"},
           {"name": "token", "valueFrom": {"secretKeyRef": {"name": "prom", "key": "token"}}},
           {"name": "region", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['r']"}}}],
  "metrics": [
    {"name": "success-rate", "interval": "5m", "initialDelay": "30s", "count": 3,
     "successCondition": "result[0] >= 0.95", "failureCondition": "result[0] < 0.5",
     "failureLimit": 3, "inconclusiveLimit": "2", "consecutiveErrorLimit": "{{args.errors}}",
     "consecutiveSuccessLimit": 4,
     "provider": {"prometheus": {"address": "http://prom:{{args.port}}", "query": "up",
                                 "timeout": 40, "insecure": true,
                                 "headers": [{"key": "X-Scope-OrgID", "value": "a"}],
                                 "rangeQuery": {"start": "now() - duration('5m')", "end": "now()",
                                                "step": "1m"},
                                 "authentication": {"oauth2": {
                                     "tokenUrl": "https://id/token", "clientId": "me",
                                     "clientSecret": "{{args.token}}", "scopes": ["a"]}}}}},
    {"name": "web", "successCondition": "result.ok",
     "provider": {"web": {"url": "http://shop/{{args.service}}", "timeoutSeconds": 20,
                          "method": "POST", "jsonBody": {"a": [1]}, "jsonPath": "{$.data}",
                          "headers": [{"key": "Authorization", "value": "{{args.token}}"}]}}},
    {"name": "smoke", "provider": {"job": {"metadata": {"labels": {"a": "b"}},
                                           "spec": {"template": {"spec": {}}}}}},
    {"name": "dog", "provider": {"datadog": {"query": "avg:x", "apiVersion": "v2"}}}],
  "dryRun": [{"metricName": "web"}],
  "measurementRetention": [{"metricName": "*", "limit": 20}],
  "templates": [{"templateName": "common", "clusterScope": true}]
})json";

inline std::string changed(const Changes& changes) {
    return api::testing::changed(example_spec, changes);
}

inline std::expected<Template, FieldErrors> read(const Changes& changes) {
    return read_template(api::testing::with_spec(changed(changes)));
}

}  // namespace sluice::api::analysis::testing
