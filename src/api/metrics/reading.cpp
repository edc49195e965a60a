#include "api/metrics/reading.hpp"

#include <fmt/format.h>

#include <cmath>

namespace sluice::api::metrics {
namespace {

using Kind = MetricReading::Kind;

std::string text_of(const MetricReading& reading) {
    if (reading.kind == Kind::Unknown) return reading.message;
    if (reading.kind == Kind::NoData) return "no data";
    std::string text = reading.value ? fmt::format("{:.6g}", *reading.value) : "no number";
    if (reading.series > 1) text += fmt::format(" and {} more", reading.series - 1);
    return text;
}

}  // namespace

engine::MetricAnswer to_answer(const MetricReading& reading) {
    using Said = engine::MetricAnswer::Kind;
    const Said kind = reading.kind == Kind::Data     ? Said::Data
                      : reading.kind == Kind::NoData ? Said::NoData
                                                     : Said::Unknown;
    const bool is_number = !reading.value || !std::isnan(*reading.value);
    return {kind, is_number, reading.misconfigured, text_of(reading)};
}

}  // namespace sluice::api::metrics
