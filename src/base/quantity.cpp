#include "base/quantity.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/text.hpp"

namespace sluice {
namespace {

struct Suffix {
    std::string_view text;
    double factor;
};
constexpr Suffix suffixes[] = {{"Ki", 0x1p10}, {"Mi", 0x1p20}, {"Gi", 0x1p30}, {"Ti", 0x1p40},
                               {"Pi", 0x1p50}, {"Ei", 0x1p60}, {"n", 1e-9},    {"u", 1e-6},
                               {"m", 1e-3},    {"k", 1e3},     {"M", 1e6},     {"G", 1e9},
                               {"T", 1e12},    {"P", 1e15},    {"E", 1e18},    {"", 1}};

// Those of a text: "1.5" of "1.5Gi".
std::size_t digits_in(std::string_view text) {
    const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || c == '.'; };
    return static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
}

constexpr int power_max = 30;

// 9 of "e9", "E+9".
std::optional<int> power_in(std::string_view text) {
    if (!text.starts_with('e') && !text.starts_with('E')) return std::nullopt;
    text.remove_prefix(1);
    if (text.starts_with('+')) text.remove_prefix(1);
    return whole_number<int>(text);
}

}  // namespace

std::optional<double> quantity(std::string_view text) {
    const bool is_negative = text.starts_with('-');
    if (is_negative || text.starts_with('+')) text.remove_prefix(1);
    const std::size_t digits = digits_in(text);
    const auto number = whole_number<double>(text.substr(0, digits));
    if (!number) return std::nullopt;
    const std::string_view rest = text.substr(digits);
    double factor = 0;
    if (const auto* found = std::ranges::find(suffixes, rest, &Suffix::text);
        found != std::end(suffixes))
        factor = found->factor;
    else if (const auto power = power_in(rest); power && std::abs(*power) <= power_max)
        factor = std::pow(10.0, *power);
    else
        return std::nullopt;
    return (is_negative ? -1 : 1) * *number * factor;
}

}  // namespace sluice
