#include <chrono>
#include <string>

#include "base/assert.hpp"
#include "base/pattern.hpp"
#include "base/text.hpp"
#include "sim/api/resource.hpp"
#include "sim/api/schema_values.hpp"

namespace sluice::sim {
namespace {

Pattern compiled(std::string_view text) {
    auto pattern = Pattern::compiled(text);
    SLUICE_ASSERT(pattern.has_value());
    return *std::move(pattern);
}

// "1h30m", "-1.5s", "0": what Go's time.ParseDuration reads.
bool is_go_duration(std::string_view text) {
    static const Pattern shape =
        compiled(R"(^[+-]?(0|((\d+(\.\d*)?|\.\d+)(ns|us|\x{b5}s|\x{3bc}s|ms|s|m|h))+)$)");
    return shape.fits(text);
}

// "3 days", "1 hour 5 min": what else the API server takes for a duration. One of the words has to
// be a unit.
bool is_wordy_duration(std::string_view text) {
    static const Pattern shape =
        compiled(R"(^[ \t-\r]*(\d+[ \t-\r]*[a-z\x{80}-\x{10ffff}]+[ \t-\r]*)+$)");
    static const Pattern unit =
        compiled(R"(\d[ \t-\r]*((ns|us|\x{b5}s|ms|s|m|h|hr|d|w|wk)([ \t-\r\d]|$)|)"
                 R"(nano|micro|milli|sec|min|hour|day|week))");
    const std::string lowered = in_lower_case(text);
    return shape.fits(lowered) && unit.fits(lowered);
}

bool is_date(std::string_view text) {
    static const Pattern shape = compiled(R"(^\d{4}-\d{2}-\d{2}$)");
    if (!shape.fits(text)) return false;
    const auto number = [&](std::size_t at, std::size_t digits) {
        return std::stoi(std::string{text.substr(at, digits)});
    };
    return std::chrono::year_month_day{std::chrono::year{number(0, 4)},
                                       std::chrono::month{static_cast<unsigned>(number(5, 2))},
                                       std::chrono::day{static_cast<unsigned>(number(8, 2))}}
        .ok();
}

bool is_date_time(std::string_view text) {
    static const Pattern shape =
        compiled(R"(^.{10}[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$)");
    return shape.fits(text) && is_date(text.substr(0, 10));
}

}  // namespace

bool has_format(std::string_view text, std::string_view format) {
    if (format == "duration") return is_go_duration(text) || is_wordy_duration(text);
    if (format == "date-time" || format == "datetime") return is_date_time(text);
    return format != "date" || is_date(text);
}

}  // namespace sluice::sim
