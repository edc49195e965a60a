#include "base/go_duration.hpp"

#include <gtest/gtest.h>

#include "base/dice.hpp"

namespace sluice {
namespace {

TEST(GoDuration, IsReadAsGoReadsIt) {
    const std::vector<std::pair<const char*, Duration>> rows = {
        {"0s", 0ms},          {"30s", 30s},        {"5m", 5min},
        {"1h30m", 90min},     {"1.5h", 90min},     {"300ms", 300ms},
        {"0.25s", 250ms},     {"1m0.5s", 60500ms}, {"5m1h", 65min},
        {"720h", 720h},       {"2592000s", 720h},  {"1500us", 1ms},
        {"1500\u00b5s", 1ms}, {"999999ns", 0ms},   {"1s1s1s1s1s1s1s1s", 8s},
        {"007s", 7s},
    };
    for (const auto& [text, wanted] : rows)
        EXPECT_EQ(parse_go_duration(text), wanted) << text;
}

TEST(GoDuration, WhatIsNoDurationIsNothing) {
    for (const char* text : {"",
                             "5",
                             "s",
                             "-5s",
                             "+5s",
                             "5 s",
                             " 5s",
                             "5s ",
                             "1d",
                             "5x",
                             ".5s",
                             "5.s",
                             "1e3s",
                             "5S",
                             "720h1ns",
                             "2592001s",
                             "100000h",
                             "99999h",
                             "10000000m",
                             "1.0000000001s",
                             "1s1s1s1s1s1s1s1s1s",
                             "99999h99999h99999h99999h99999h99999h99999h99999h",
                             "\xff"})
        EXPECT_EQ(parse_go_duration(text), std::nullopt) << text;
}

TEST(GoDuration, IsNeverMoreThanThirtyDays) {
    Dice dice{3};
    constexpr std::string_view letters = "0123456789.hmsun";
    for (int round = 0; round < 100'000; ++round) {
        std::string text;
        for (std::uint64_t i = dice.roll() % 24; i > 0; --i)
            text += letters[dice.roll() % letters.size()];
        const auto duration = parse_go_duration(text);
        if (duration) EXPECT_TRUE(*duration >= 0ms && *duration <= go_duration_max) << text;
    }
}

}  // namespace
}  // namespace sluice
