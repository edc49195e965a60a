#include "api/analysis/moment.hpp"

#include <gtest/gtest.h>

namespace sluice::api::analysis {
namespace {

const Instant noon = *parse_rfc3339("2026-01-31T12:00:00Z");

std::string told(std::string_view expression) {
    const Result<Instant> at = time_at(expression, noon);
    return at ? to_rfc3339(*at) : "refused";
}

TEST(Moment, NowIsWhatItIsSaidToBe) {
    EXPECT_EQ(told("now()"), "2026-01-31T12:00:00Z");
    EXPECT_EQ(told(" now ( ) \n"), "2026-01-31T12:00:00Z");
}

TEST(Moment, ADurationLiesBeforeOrAfter) {
    EXPECT_EQ(told("now() - duration(\"1h30m\")"), "2026-01-31T10:30:00Z");
    EXPECT_EQ(told("now()-duration('5m')"), "2026-01-31T11:55:00Z");
    EXPECT_EQ(told("now() + duration( \"24h\" )"), "2026-02-01T12:00:00Z");
}

TEST(Moment, ADateIsItself) {
    EXPECT_EQ(told("date(\"2025-12-24T18:00:00Z\")"), "2025-12-24T18:00:00Z");
    EXPECT_EQ(told("date('1969-07-20T20:17:40Z')"), "1969-07-20T20:17:40Z");
}

TEST(Moment, AnythingElseIsRefused) {
    for (const char* text :
         {"", " ", "now", "now(", "now() -", "now() - 5m", "now() - duration(5m)",
          "now() - duration(\"5m')", "now() - duration(\"5\")", "now() - duration(\"5m\") x",
          "now() - duration(\"721h\")", "now() now()", "nowhere()", "date(\"today\")",
          "date(\"2026-01-31T12:00:00Z\") - duration(\"5m\")", "\"2026-01-31T12:00:00Z\"",
          "{{args.start}}"})
        EXPECT_EQ(told(text), "refused") << text;
    EXPECT_EQ(time_at("soon", noon).error().message,
              "must be a time such as now(), now() - duration(\"5m\") or "
              "date(\"2026-01-31T12:00:00Z\")");
}

}  // namespace
}  // namespace sluice::api::analysis
