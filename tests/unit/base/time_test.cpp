#include "base/time.hpp"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(Rfc3339, PrintsAndReadsTheSameInstant) {
    const Instant at{1'790'000'000'123};
    EXPECT_EQ(to_rfc3339(at), "2026-09-21T14:13:20Z");
    EXPECT_EQ(to_rfc3339_micro(at), "2026-09-21T14:13:20.123000Z");
    EXPECT_EQ(parse_rfc3339(to_rfc3339_micro(at)), at);
    EXPECT_EQ(parse_rfc3339("1970-01-01T00:00:00Z"), Instant{0});
}

TEST(Rfc3339, RefusesEverythingElse) {
    for (const char* text :
         {"", "2026-09-21", "2026-09-21T14:13:20", "2026-09-21T14:13:20+02:00",
          "2026-02-30T00:00:00Z", "2026-09-21T24:00:00Z", "2026-09-21T14:13:20.Z",
          "2026-09-21T14:13:20.12x4Z", "2026-9-21T14:13:20Z     "}) {
        EXPECT_EQ(parse_rfc3339(text), std::nullopt) << text;
    }
}

TEST(DurationText, ReadsWhatPeopleWrite) {
    EXPECT_EQ(parse_duration("30s"), Duration{30s});
    EXPECT_EQ(parse_duration("1h30m"), Duration{90min});
    EXPECT_EQ(parse_duration("250ms"), Duration{250ms});
    for (const char* text : {"", "30", "-1s", "1y", "s", "101d", "9999999999999999999s", "1s "}) {
        EXPECT_EQ(parse_duration(text), std::nullopt) << text;
    }
}

TEST(DurationText, PrintsTheTwoUnitsThatMatter) {
    EXPECT_EQ(to_text(90min), "1h30m");
    EXPECT_EQ(to_text(45s), "45s");
    EXPECT_EQ(to_text(1500ms), "1s");
    EXPECT_EQ(to_text(250ms), "250ms");
    EXPECT_EQ(to_text(0ms), "0s");
}

}  // namespace
}  // namespace sluice
