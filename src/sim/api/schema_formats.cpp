#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "sim/api/resource.hpp"
#include "sim/api/schema_values.hpp"

namespace sluice::sim {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) > 127;
}

// Takes what comes next off the text.
class Reader {
  public:
    explicit Reader(std::string_view text) : text_(text) {}
    bool is_done() const { return text_.empty(); }
    std::string_view take_while(const auto& wanted) {
        const auto end = std::ranges::find_if_not(text_, wanted);
        return take(static_cast<std::size_t>(end - text_.begin()));
    }
    bool take_one(std::string_view of) {
        if (text_.empty() || of.find(text_.front()) == std::string_view::npos) return false;
        take(1);
        return true;
    }
    // A number of so many digits up to a limit.
    std::optional<int> number(std::size_t digits, int limit) {
        const std::string_view text = text_.substr(0, digits);
        if (text.size() != digits || !std::ranges::all_of(text, is_digit)) return {};
        int value = 0;
        for (const char c : take(digits))
            value = value * 10 + (c - '0');
        return value <= limit ? std::optional{value} : std::nullopt;
    }

  private:
    std::string_view take(std::size_t size) {
        const std::string_view taken = text_.substr(0, size);
        text_.remove_prefix(size);
        return taken;
    }
    std::string_view text_;
};

// "1h30m", "-1.5s", "0": what Go's time.ParseDuration reads.
bool is_go_duration(std::string_view text) {
    static constexpr std::array<std::string_view, 8> units = {"ns", "us", "\xc2\xb5s", "\xce\xbcs",
                                                              "ms", "s",  "m",         "h"};
    Reader reader{text};
    reader.take_one("+-");
    if (text == "0" || text == "+0" || text == "-0") return true;
    if (reader.is_done()) return false;
    while (!reader.is_done()) {
        const bool has_whole = !reader.take_while(is_digit).empty();
        const bool has_part = reader.take_one(".") && !reader.take_while(is_digit).empty();
        if (!has_whole && !has_part) return false;
        const std::string_view unit =
            reader.take_while([](char c) { return c != '.' && !is_digit(c); });
        if (std::ranges::find(units, unit) == units.end()) return false;
    }
    return true;
}

bool is_unit(std::string unit) {
    unit = lower_case(std::move(unit));
    static constexpr std::array<std::string_view, 11> units = {
        "ns", "us", "\xc2\xb5s", "ms", "s", "m", "h", "hr", "d", "w", "wk"};
    static constexpr std::array<std::string_view, 8> beginnings = {
        "nano", "micro", "milli", "sec", "min", "hour", "day", "week"};
    return std::ranges::find(units, unit) != units.end() ||
           std::ranges::any_of(beginnings,
                               [&](std::string_view word) { return unit.starts_with(word); });
}

// "3 days", "1 hour 5 min": what else the API server takes for a duration.
bool is_wordy_duration(std::string_view text) {
    const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
    Reader reader{text};
    reader.take_while(is_space);
    bool knows_unit = false;
    while (!reader.is_done()) {
        if (reader.take_while(is_digit).empty()) return false;
        reader.take_while(is_space);
        const std::string_view unit = reader.take_while(is_letter);
        if (unit.empty()) return false;
        knows_unit = knows_unit || is_unit(std::string{unit});
        reader.take_while(is_space);
    }
    return knows_unit;
}

bool is_date(Reader& reader) {
    const auto year = reader.number(4, 9999);
    if (!year || !reader.take_one("-")) return false;
    const auto month = reader.number(2, 12);
    if (!month || *month == 0 || !reader.take_one("-")) return false;
    const bool is_leap = (*year % 4 == 0 && *year % 100 != 0) || *year % 400 == 0;
    static constexpr std::array days = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const int last = *month == 2 && is_leap ? 29 : days[static_cast<std::size_t>(*month - 1)];
    const auto day = reader.number(2, last);
    return day && *day > 0;
}

bool is_date_time(std::string_view text) {
    Reader reader{text};
    if (!is_date(reader) || !reader.take_one("Tt")) return false;
    if (!reader.number(2, 23) || !reader.take_one(":")) return false;
    if (!reader.number(2, 59) || !reader.take_one(":")) return false;
    if (!reader.number(2, 59)) return false;
    if (reader.take_one(".") && reader.take_while(is_digit).empty()) return false;
    if (reader.take_one("Zz")) return reader.is_done();
    return reader.take_one("+-") && reader.number(2, 99) && reader.take_one(":") &&
           reader.number(2, 99) && reader.is_done();
}

}  // namespace

bool has_format(std::string_view text, std::string_view format) {
    if (format == "duration") return is_go_duration(text) || is_wordy_duration(text);
    if (format == "date-time" || format == "datetime") return is_date_time(text);
    if (format == "date") {
        Reader reader{text};
        return is_date(reader) && reader.is_done();
    }
    return true;
}

}  // namespace sluice::sim
