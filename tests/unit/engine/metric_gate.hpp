// The gate that the tests of metric checks put to Prometheus.
#pragma once

#include "engine/gates.hpp"

namespace sluice::engine::testing {

using Kind = MetricAnswer::Kind;

// Twice in a row, 30 s apart, 30 s after the pods; pod 1 of three goes next.
inline const MetricCheck check{.query = MetricQuery{.expr = "up == 0", .url = "prom:9090"},
                               .initial_delay = 30s,
                               .period = 30s,
                               .success_threshold = 2,
                               .definition = "one",
                               .next = PodIndex{1}};

}  // namespace sluice::engine::testing
