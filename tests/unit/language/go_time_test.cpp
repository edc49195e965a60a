#include "language/go_time.hpp"

#include <gtest/gtest.h>

#include "base/go_duration.hpp"

namespace sluice::language {
namespace {

std::string read(std::string_view text, std::string_view layout) {
    const auto time = read_time(text, layout);
    return time ? to_rfc3339(*time) : "none";
}

TEST(GoTime, is_read_as_its_layout_shows_it) {
    EXPECT_EQ(read("2024-02-29", "2006-01-02"), "2024-02-29T00:00:00Z");
    EXPECT_EQ(read("2023-02-29", "2006-01-02"), "none");
    EXPECT_EQ(read("2024-2-29", "2006-01-02"), "none");
    EXPECT_EQ(read("9/8/24", "1/2/06"), "2024-09-08T00:00:00Z");
    EXPECT_EQ(read("9/8/69", "1/2/06"), "1969-09-08T00:00:00Z");
    EXPECT_EQ(read("3:04PM", "3:04PM"), "0000-01-01T15:04:00Z");
    EXPECT_EQ(read("12:04am", "3:04pm"), "0000-01-01T00:04:00Z");
    EXPECT_EQ(read("january 5", "January 2"), "0000-01-05T00:00:00Z");
    EXPECT_EQ(read("Mon Jan  5 2009", "Mon Jan _2 2006"), "2009-01-05T00:00:00Z");
    EXPECT_EQ(read("2024-01-01 trailing", "2006-01-02"), "none");
    EXPECT_EQ(read("24:00:00", "15:04:05"), "none");
}

TEST(GoTime, takes_a_fraction_behind_any_second) {
    EXPECT_EQ(read("15:04:05.25", "15:04:05"), "0000-01-01T15:04:05.25Z");
    EXPECT_EQ(read("15:04:05.250", "15:04:05.000"), "0000-01-01T15:04:05.25Z");
    EXPECT_EQ(read("15:04:05.25", "15:04:05.000"), "none");
    EXPECT_EQ(read("15:04:05", "15:04:05.999"), "0000-01-01T15:04:05Z");
}

TEST(GoTime, knows_offsets_and_takes_the_names_of_zones) {
    EXPECT_EQ(read("2024-01-01T10:00:00Z", "2006-01-02T15:04:05Z07:00"), "2024-01-01T10:00:00Z");
    EXPECT_EQ(read("2024-01-01T10:00:00-03:30", "2006-01-02T15:04:05Z07:00"),
              "2024-01-01T10:00:00-03:30");
    EXPECT_EQ(read("10:00 +0200", "15:04 -0700"), "0000-01-01T10:00:00+02:00");
    EXPECT_EQ(read("10:00 CET", "15:04 MST"), "0000-01-01T10:00:00Z");
    EXPECT_EQ(read("10:00 GMT+3", "15:04 MST"), "0000-01-01T10:00:00+03:00");
    EXPECT_EQ(read("10:00 cet", "15:04 MST"), "none");
}

TEST(GoTime, is_compared_by_the_moment) {
    const auto here = read_time("2024-01-01T10:00:00Z", "2006-01-02T15:04:05Z07:00");
    const auto there = read_time("2024-01-01T12:00:00+02:00", "2006-01-02T15:04:05Z07:00");
    EXPECT_EQ(*here, *there);
    EXPECT_LT(*here, moved(*there, std::chrono::nanoseconds{1}));
    EXPECT_EQ(difference(moved(*here, -1500ms), *there), -1500ms);
    EXPECT_EQ(to_instant(go_time(Instant{-1})), Instant{-1});
}

TEST(GoTime, is_never_further_apart_than_a_duration_can_say) {
    const auto early = read_time("0001-01-01", "2006-01-02");
    const auto late = read_time("9999-12-31", "2006-01-02");
    EXPECT_EQ(difference(*late, *early), std::chrono::nanoseconds::max());
    EXPECT_EQ(difference(*early, *late), std::chrono::nanoseconds::min());
}

TEST(GoTime, is_printed_as_Go_prints_it) {
    EXPECT_EQ(to_text(go_time(Instant{1'700'000'000'250})), "2023-11-14 22:13:20.25 +0000 UTC");
    EXPECT_EQ(to_go_text(std::chrono::nanoseconds{0}), "0s");
    EXPECT_EQ(to_go_text(std::chrono::nanoseconds{999}), "999ns");
    EXPECT_EQ(to_go_text(1500us), "1.5ms");
    EXPECT_EQ(to_go_text(1h + 90s), "1h1m30s");
    EXPECT_EQ(to_go_text(-90s), "-1m30s");
    EXPECT_EQ(to_go_text(std::chrono::nanoseconds::min()), "-2562047h47m16.854775808s");
}

TEST(GoNanoseconds, have_a_sign_and_no_bound_of_days) {
    EXPECT_EQ(parse_go_nanoseconds("-1.5h"), -90min);
    EXPECT_EQ(parse_go_nanoseconds("+2h45m"), 165min);
    EXPECT_EQ(parse_go_nanoseconds("0"), 0s);
    EXPECT_EQ(parse_go_nanoseconds("1500h"), 1500h);
    EXPECT_EQ(parse_go_nanoseconds(""), std::nullopt);
    EXPECT_EQ(parse_go_nanoseconds("-"), std::nullopt);
    EXPECT_EQ(parse_go_nanoseconds("5"), std::nullopt);
}

}  // namespace
}  // namespace sluice::language
