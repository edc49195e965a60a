#include "language/go_time.hpp"

#include <fmt/format.h>

#include <limits>

namespace sluice::language {

namespace {

using std::chrono::days;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr nanoseconds a_second = seconds{1};

// The digits of a fraction of a second behind their point, without zeros at the end.
std::string fraction_text(nanoseconds fraction) {
    if (fraction == nanoseconds{0}) return "";
    std::string digits = fmt::format(".{:09}", fraction.count());
    digits.erase(digits.find_last_not_of('0') + 1);
    return digits;
}

std::string offset_text(seconds offset, std::string_view between) {
    const std::int64_t minutes = (offset < seconds{0} ? -offset : offset).count() / 60;
    return fmt::format("{}{:02}{}{:02}", offset < seconds{0} ? '-' : '+', minutes / 60, between,
                       minutes % 60);
}

std::string date_and_clock(const GoTime& time, char between) {
    const Clock clock = clock_of(time);
    return fmt::format(
        "{:04}-{:02}-{:02}{}{:02}:{:02}:{:02}{}", static_cast<int>(clock.date.year()),
        static_cast<unsigned>(clock.date.month()), static_cast<unsigned>(clock.date.day()), between,
        clock.time.hours().count(), clock.time.minutes().count(), clock.time.seconds().count(),
        fraction_text(time.fraction));
}

}  // namespace

std::strong_ordering operator<=>(const GoTime& one, const GoTime& other) {
    if (const auto order =
            one.second.time_since_epoch().count() <=> other.second.time_since_epoch().count();
        order != 0)
        return order;
    return one.fraction.count() <=> other.fraction.count();
}

GoTime go_time(Instant at) {
    return moved(GoTime{}, std::chrono::milliseconds{at.ms});
}

Instant to_instant(const GoTime& time) {
    return {std::chrono::milliseconds{time.second.time_since_epoch()}.count() +
            std::chrono::duration_cast<std::chrono::milliseconds>(time.fraction).count()};
}

nanoseconds difference(const GoTime& later, const GoTime& earlier) {
    const std::int64_t apart = (later.second - earlier.second).count();
    std::int64_t out = 0;
    const bool is_too_far =
        __builtin_mul_overflow(apart, a_second.count(), &out) ||
        __builtin_add_overflow(out, (later.fraction - earlier.fraction).count(), &out);
    if (!is_too_far) return nanoseconds{out};
    return apart < 0 ? nanoseconds::min() : nanoseconds::max();
}

GoTime moved(const GoTime& time, nanoseconds by) {
    const nanoseconds rest = time.fraction + by % a_second;
    const seconds carried = std::chrono::floor<seconds>(rest);
    return {time.second + std::chrono::duration_cast<seconds>(by) + carried, rest - carried,
            time.offset};
}

Clock clock_of(const GoTime& time) {
    const std::chrono::sys_seconds there = time.second + time.offset;
    const auto day = std::chrono::floor<days>(there);
    return {std::chrono::year_month_day{day}, std::chrono::hh_mm_ss{there - day}};
}

std::string to_text(const GoTime& time) {
    const std::string offset = offset_text(time.offset, "");
    return fmt::format("{} {} {}", date_and_clock(time, ' '), offset,
                       time.offset == seconds{0} ? "UTC" : offset);
}

std::string to_rfc3339(const GoTime& time) {
    return date_and_clock(time, 'T') +
           (time.offset == seconds{0} ? "Z" : offset_text(time.offset, ":"));
}

std::string to_go_text(nanoseconds duration) {
    // The shortest duration has no positive counterpart.
    const bool is_negative = duration < nanoseconds{0};
    std::uint64_t left = static_cast<std::uint64_t>(duration.count());
    if (is_negative) left = 0 - left;
    const std::string sign = is_negative ? "-" : "";
    if (left == 0) return "0s";
    if (left < 1'000) return fmt::format("{}{}ns", sign, left);
    const auto in_units = [&](std::uint64_t unit) {
        const auto rest = left % unit * (1'000'000'000 / unit);
        return fmt::format("{}{}", left / unit,
                           fraction_text(nanoseconds{static_cast<std::int64_t>(rest)}));
    };
    if (left < 1'000'000) return fmt::format("{}{}\u00b5s", sign, in_units(1'000));
    if (left < 1'000'000'000) return fmt::format("{}{}ms", sign, in_units(1'000'000));
    const std::uint64_t minutes = left / 60'000'000'000;
    left %= 60'000'000'000;
    const std::string last = in_units(1'000'000'000) + "s";
    if (minutes == 0) return sign + last;
    if (minutes < 60) return fmt::format("{}{}m{}", sign, minutes, last);
    return fmt::format("{}{}h{}m{}", sign, minutes / 60, minutes % 60, last);
}

}  // namespace sluice::language
