#include "kube/retry_after.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sluice::kube {
namespace {

constexpr Duration wait_min = 1s;
constexpr Duration wait_max = 60s;

constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

bool is_digits(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Counts no further than needed to know that it is too long.
Duration seconds(std::string_view digits) {
    Duration wait{0};
    for (const char c : digits)
        wait = std::min(wait_max, wait * 10 + std::chrono::seconds{c - '0'});
    return wait;
}

}  // namespace

std::optional<Instant> parse_http_date(std::string_view text) {
    const bool has_form = text.size() == 29 && text.substr(3, 2) == ", " && text[7] == ' ' &&
                          text[11] == ' ' && text[16] == ' ' && text.ends_with(" GMT");
    if (!has_form) return std::nullopt;
    const auto month = std::ranges::find(months, text.substr(8, 3));
    return parse_rfc3339(fmt::format("{}-{:02}-{}T{}Z", text.substr(12, 4),
                                     month - months.begin() + 1, text.substr(5, 2),
                                     text.substr(17, 8)));
}

Duration parse_retry_after(std::string_view header, Instant now) {
    if (is_digits(header)) return std::clamp(seconds(header), wait_min, wait_max);
    if (const auto date = parse_http_date(header))
        return std::clamp(*date - now, wait_min, wait_max);
    return Duration{0};
}

}  // namespace sluice::kube
