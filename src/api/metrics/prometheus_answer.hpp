// Reads what Prometheus answers to a query. Any bytes give a reading; what is not exactly
// an answer of its API is Unknown. Of the body nothing is repeated but numbers and the words of
// Prometheus's own list of errors.
#pragma once

#include "api/metrics/reading.hpp"

namespace sluice::api::metrics {

inline constexpr std::size_t answer_bytes_max = 1u << 20;  // 10,000 series with 100 bytes each
inline constexpr std::size_t series_max = 10'000;

MetricReading read_prometheus_answer(const Answer& answer);

}  // namespace sluice::api::metrics
