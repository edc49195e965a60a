#include "language/expression.hpp"

#include <gtest/gtest.h>

namespace sluice::language {
namespace {

const Instant noon = *parse_rfc3339("2026-01-31T12:00:00Z");

std::string told(std::string_view expression) {
    const Result<Instant> at = time_at(expression, noon);
    return at ? to_rfc3339(*at) : "refused";
}

TEST(TimeAt, NowIsWhatItIsSaidToBe) {
    EXPECT_EQ(told("now()"), "2026-01-31T12:00:00Z");
    EXPECT_EQ(told(" now ( ) \n"), "2026-01-31T12:00:00Z");
}

TEST(TimeAt, ADurationLiesBeforeOrAfter) {
    EXPECT_EQ(told("now() - duration(\"1h30m\")"), "2026-01-31T10:30:00Z");
    EXPECT_EQ(told("now()-duration('5m')"), "2026-01-31T11:55:00Z");
    EXPECT_EQ(told("now() + duration( \"24h\" )"), "2026-02-01T12:00:00Z");
}

TEST(TimeAt, ADateIsItself) {
    EXPECT_EQ(told("date(\"2025-12-24T18:00:00Z\")"), "2025-12-24T18:00:00Z");
    EXPECT_EQ(told("date('1969-07-20T20:17:40Z') - duration('1s')"), "1969-07-20T20:17:39Z");
    EXPECT_EQ(told("date('2026-01-31')"), "2026-01-31T00:00:00Z");
}

TEST(TimeAt, AnythingElseIsRefused) {
    for (const char* text :
         {"", " ", "now", "now(", "now() -", "now() - 5m", "now() - duration(5m)",
          "now() - duration(\"5m')", "now() - duration(\"5\")", "now() - duration(\"5m\") x",
          "now() now()", "nowhere()", "date(\"today\")", "\"2026-01-31T12:00:00Z\"",
          "{{args.start}}", "result"})
        EXPECT_EQ(told(text), "refused") << text;
    const std::string wanted = "must be a time such as now() or now() - duration(\"5m\"); it ";
    EXPECT_EQ(time_at("5", noon).error().message, wanted + "gives a number");
    EXPECT_EQ(time_at("soon", noon).error().message,
              wanted + "is wrong at position 1: \"soon\" is not a value that is known");
}

}  // namespace
}  // namespace sluice::language
