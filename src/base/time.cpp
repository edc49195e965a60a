#include "base/time.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace sluice {
namespace {

constexpr std::int64_t ms_per_day = 86'400'000;
constexpr Duration duration_max = std::chrono::days{100};

struct Civil {
    std::chrono::year_month_day date;
    std::int64_t ms_of_day;
};

Civil civil(Instant at) {
    const auto day = std::chrono::floor<std::chrono::days>(
        std::chrono::sys_time<std::chrono::milliseconds>{Duration{at.ms}});
    return {std::chrono::year_month_day{day},
            at.ms - std::int64_t{day.time_since_epoch().count()} * ms_per_day};
}

std::string date_and_time(const Civil& at) {
    const std::int64_t s = at.ms_of_day / 1000;
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(at.date.year()),
                       static_cast<unsigned>(at.date.month()), static_cast<unsigned>(at.date.day()),
                       s / 3600, s / 60 % 60, s % 60);
}

// Exactly `digits` decimal digits at `from`, or nothing.
std::optional<int> number_at(std::string_view text, std::size_t from, std::size_t digits) {
    int value = 0;
    if (from + digits > text.size()) return std::nullopt;
    for (const char c : text.substr(from, digits)) {
        if (c < '0' || c > '9') return std::nullopt;
        value = value * 10 + (c - '0');
    }
    return value;
}

// The fraction behind the seconds, in milliseconds; the text starts at the dot or at the Z.
std::optional<std::int64_t> fraction_ms(std::string_view text) {
    if (text == "Z") return 0;
    if (text.size() < 3 || text.size() > 11 || text.front() != '.' || text.back() != 'Z')
        return std::nullopt;
    std::int64_t ms = 0;
    std::int64_t weight = 100;
    for (const char c : text.substr(1, text.size() - 2)) {
        if (c < '0' || c > '9') return std::nullopt;
        ms += (c - '0') * weight;
        weight /= 10;
    }
    return ms;
}

struct Unit {
    std::string_view name;
    std::int64_t ms;
};
constexpr std::array units{Unit{"d", ms_per_day}, Unit{"h", 3'600'000}, Unit{"m", 60'000},
                           Unit{"s", 1000}, Unit{"ms", 1}};

std::optional<std::int64_t> unit_ms(std::string_view name) {
    for (const Unit& unit : units) {
        if (unit.name == name) return unit.ms;
    }
    return std::nullopt;
}

}  // namespace

std::string to_rfc3339(Instant at) {
    return date_and_time(civil(at)) + "Z";
}

std::string to_rfc3339_micro(Instant at) {
    const Civil c = civil(at);
    return fmt::format("{}.{:03}000Z", date_and_time(c), c.ms_of_day % 1000);
}

std::optional<Instant> parse_rfc3339(std::string_view text) {
    if (text.size() < 20 || text[4] != '-' || text[7] != '-' || text[10] != 'T' ||
        text[13] != ':' || text[16] != ':')
        return std::nullopt;
    const auto year = number_at(text, 0, 4), month = number_at(text, 5, 2),
               day = number_at(text, 8, 2), hour = number_at(text, 11, 2),
               minute = number_at(text, 14, 2), second = number_at(text, 17, 2);
    const auto fraction = fraction_ms(text.substr(19));
    if (!year || !month || !day || !hour || !minute || !second || !fraction) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year{*year},
                                           std::chrono::month{static_cast<unsigned>(*month)},
                                           std::chrono::day{static_cast<unsigned>(*day)}};
    if (!date.ok() || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
    const auto days = std::chrono::sys_days{date}.time_since_epoch().count();
    return Instant{days * ms_per_day +
                   ((*hour * 60 + *minute) * 60 + *second) * std::int64_t{1000} + *fraction};
}

std::optional<Duration> parse_duration(std::string_view text) {
    if (text.empty()) return std::nullopt;
    std::int64_t total = 0;
    while (!text.empty()) {
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || value < 0 || value > duration_max.count()) return std::nullopt;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        const std::size_t letters = std::min(text.find_first_of("0123456789"), text.size());
        const auto unit = unit_ms(text.substr(0, letters));
        if (!unit) return std::nullopt;
        total += value * *unit;
        if (total > duration_max.count()) return std::nullopt;
        text.remove_prefix(letters);
    }
    return Duration{total};
}

std::string to_text(Duration duration) {
    std::int64_t rest = duration.count();
    if (rest < 0) return "-" + to_text(-duration);
    std::string text;
    int parts = 0;
    for (const Unit& unit : units) {
        if (rest < unit.ms || parts == 2) continue;
        if (unit.ms == 1 && parts > 0) continue;
        text += fmt::format("{}{}", rest / unit.ms, unit.name);
        rest %= unit.ms;
        ++parts;
    }
    return text.empty() ? "0s" : text;
}

}  // namespace sluice
