#include "base/go_duration.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>

namespace sluice {
namespace {

// The bounds of the rules in deploy/crds. With them no sum below can overflow.
constexpr std::size_t parts_max = 8;
constexpr std::size_t fraction_digits_max = 9;

struct GoUnit {
    std::string_view name;
    std::int64_t ns;
    std::size_t digits_max;  // before the point
};
constexpr std::array go_units{GoUnit{"h", 3'600'000'000'000, 5},
                              GoUnit{"ms", 1'000'000, 9},
                              GoUnit{"m", 60'000'000'000, 7},
                              GoUnit{"s", 1'000'000'000, 9},
                              GoUnit{"us", 1'000, 9},
                              GoUnit{"\u00b5s", 1'000, 9},
                              GoUnit{"ns", 1, 9}};

std::string_view take_digits(std::string_view& text) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::string_view digits = text.substr(0, end);
    text.remove_prefix(end);
    return digits;
}

// One number and its unit, in nanoseconds.
std::optional<std::int64_t> take_part(std::string_view& text) {
    const std::string_view whole = take_digits(text);
    std::string_view fraction;
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        fraction = take_digits(text);
        if (fraction.empty() || fraction.size() > fraction_digits_max) return std::nullopt;
    }
    const auto unit = std::ranges::find_if(
        go_units, [&](const GoUnit& one) { return text.starts_with(one.name); });
    if (whole.empty() || unit == go_units.end() || whole.size() > unit->digits_max)
        return std::nullopt;
    text.remove_prefix(unit->name.size());
    std::int64_t value = 0;
    for (const char digit : whole)
        value = value * 10 + (digit - '0');
    std::int64_t ns = value * unit->ns;
    std::int64_t place = unit->ns;
    for (const char digit : fraction) {
        place /= 10;
        ns += (digit - '0') * place;
    }
    return ns;
}

}  // namespace

std::optional<std::chrono::nanoseconds> parse_go_nanoseconds(std::string_view text) {
    const bool is_negative = text.starts_with('-');
    if (is_negative || text.starts_with('+')) text.remove_prefix(1);
    if (text == "0") return std::chrono::nanoseconds{0};
    if (text.empty()) return std::nullopt;
    std::int64_t total = 0;
    for (std::size_t parts = 0; !text.empty(); ++parts) {
        if (parts == parts_max) return std::nullopt;
        const auto ns = take_part(text);
        if (!ns) return std::nullopt;
        total += *ns;
    }
    return std::chrono::nanoseconds{is_negative ? -total : total};
}

std::optional<Duration> parse_go_duration(std::string_view text) {
    const bool has_unit =
        !text.empty() && text != "0" && text.front() != '-' && text.front() != '+';
    const auto duration = has_unit ? parse_go_nanoseconds(text) : std::nullopt;
    // In nanoseconds: a longer one by less than a millisecond is longer too.
    if (!duration || *duration > go_duration_max) return std::nullopt;
    return std::chrono::duration_cast<Duration>(*duration);
}

}  // namespace sluice
