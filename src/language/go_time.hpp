// Times as Go has them, for the dates of expressions: a second since the year 1970 or before it,
// and the offset from UTC that it was written with. Zones are known by their offset only.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"

namespace sluice::language {

struct GoTime {
    std::chrono::sys_seconds second;
    std::chrono::nanoseconds fraction{0};  // less than a second
    std::chrono::seconds offset{0};        // of the place that it was written at

    // By the moment, wherever it was written.
    friend std::strong_ordering operator<=>(const GoTime& one, const GoTime& other);
    friend bool operator==(const GoTime& one, const GoTime& other) { return (one <=> other) == 0; }
};

GoTime go_time(Instant at);
Instant to_instant(const GoTime& time);

// Saturates, as there: what lies further apart than 292 years is 292 years apart.
std::chrono::nanoseconds difference(const GoTime& later, const GoTime& earlier);
GoTime moved(const GoTime& time, std::chrono::nanoseconds by);

// The clock and the calendar where it was written.
struct Clock {
    std::chrono::year_month_day date;
    std::chrono::hh_mm_ss<std::chrono::seconds> time;
};
Clock clock_of(const GoTime& time);

// Reads a time that is written like the layout: Monday, 2 January 2006, 15:04:05 MST. The name of a
// zone that is not UTC or GMT says nothing about its offset, as there.
std::optional<GoTime> read_time(std::string_view text, std::string_view layout);

// "2006-01-02 15:04:05.999999999 -0700 MST", and the same as JSON has it.
std::string to_text(const GoTime& time);
std::string to_rfc3339(const GoTime& time);
// "1h2m3.5s".
std::string to_go_text(std::chrono::nanoseconds duration);

}  // namespace sluice::language
