// What a metric query came to. Three answers, and the third is not one of the other two: whoever
// could not read the metric knows neither that there is data nor that there is none.
#pragma once

#include <optional>
#include <string>

#include "api/inquiry/inquiry.hpp"
#include "base/printable.hpp"
#include "engine/probe.hpp"

namespace sluice::api::metrics {

struct MetricReading {
    enum class Kind { NoData, Data, Unknown };
    Kind kind = Kind::Unknown;
    std::string message{};          // of Unknown, a sentence: no response body, no secret
    std::optional<double> value{};  // the first sample, finite or not; none of a histogram
    std::size_t series = 0;         // how many the result has; a scalar is one
    // Unknown because of what the user wrote: nothing but another spec or Secret will change it.
    bool misconfigured = false;
    std::size_t warnings = 0;  // warnings and infos that came along with the result
};
using MetricStep = Step<MetricReading>;

// As the gate of a metric check wants it.
engine::MetricAnswer to_answer(const MetricReading& reading);

inline MetricReading unknown(std::string_view message) {
    return {.message = printable(message)};
}

// Unknown because of what the user wrote.
inline MetricReading unanswerable(std::string_view message) {
    return {.message = printable(message, advice_bytes_max), .misconfigured = true};
}

inline constexpr std::size_t answer_bytes_max = 1u << 20;  // 10,000 series with 100 bytes each
inline constexpr std::size_t series_max = 10'000;

// Reads what Prometheus answers to a query. Any bytes give a reading; what is not exactly
// an answer of its API is Unknown. Of the body nothing is repeated but numbers and the words of
// Prometheus's own list of errors.
MetricReading read_prometheus_answer(const Answer& answer);

}  // namespace sluice::api::metrics
