#include "api/metrics/reading.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

namespace sluice::api::metrics {
namespace {

using Kind = MetricReading::Kind;

TEST(Reading, IsKeptAsAShortText) {
    const auto kept = [](const MetricReading& reading) {
        const engine::MetricAnswer answer = to_answer(reading);
        EXPECT_EQ(answer.kind == engine::MetricAnswer::Kind::Data, reading.kind == Kind::Data);
        EXPECT_EQ(answer.kind == engine::MetricAnswer::Kind::NoData, reading.kind == Kind::NoData);
        return fmt::format("{}{}{}", answer.text, answer.is_number ? "" : ", no number",
                           answer.misconfigured ? ", misconfigured" : "");
    };
    EXPECT_EQ(kept({.kind = Kind::NoData}), "no data");
    EXPECT_EQ(kept({.kind = Kind::Data, .value = 0.5, .series = 1}), "0.5");
    EXPECT_EQ(kept({.kind = Kind::Data, .value = 0.5, .series = 2}), "0.5 and 1 more");
    EXPECT_EQ(kept({.kind = Kind::Data, .value = 0.5, .series = 4}), "0.5 and 3 more");
    EXPECT_EQ(kept({.kind = Kind::Data, .series = 1}), "no number");
    EXPECT_EQ(kept({.kind = Kind::Data, .value = std::nan(""), .series = 1}), "nan, no number");
    EXPECT_EQ(kept({.message = "no route", .misconfigured = true}), "no route, misconfigured");
}

}  // namespace
}  // namespace sluice::api::metrics
