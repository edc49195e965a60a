#include <algorithm>
#include <array>

#include "base/go_duration.hpp"
#include "base/printable.hpp"
#include "language/functions.hpp"

namespace sluice::language {

namespace {

using std::chrono::nanoseconds;

using Whole = std::int64_t;

struct TimeMethod {
    std::string_view name;
    Whole (*of)(const GoTime& time);
};
constexpr TimeMethod time_methods[] = {
    {"Year", [](const GoTime& time) { return Whole{int{clock_of(time).date.year()}}; }},
    {"Day", [](const GoTime& time) { return Whole{unsigned{clock_of(time).date.day()}}; }},
    {"Hour", [](const GoTime& time) { return Whole{clock_of(time).time.hours().count()}; }},
    {"Minute", [](const GoTime& time) { return Whole{clock_of(time).time.minutes().count()}; }},
    {"Second", [](const GoTime& time) { return Whole{clock_of(time).time.seconds().count()}; }},
    {"Nanosecond", [](const GoTime& time) { return Whole{time.fraction.count()}; }},
    {"Unix", [](const GoTime& time) { return Whole{time.second.time_since_epoch().count()}; }},
    {"UnixMilli", [](const GoTime& time) { return to_instant(time).ms; }},
};

struct DurationMethod {
    std::string_view name;
    nanoseconds unit;
    bool with_fraction;
};
constexpr std::array duration_methods{
    DurationMethod{"Hours", std::chrono::hours{1}, true},
    DurationMethod{"Minutes", std::chrono::minutes{1}, true},
    DurationMethod{"Seconds", std::chrono::seconds{1}, true},
    DurationMethod{"Milliseconds", std::chrono::milliseconds{1}, false},
    DurationMethod{"Microseconds", std::chrono::microseconds{1}, false},
    DurationMethod{"Nanoseconds", nanoseconds{1}, false},
};

}  // namespace

Value duration(Function function, Arguments arguments, Work& work) {
    if (const auto read = parse_go_nanoseconds(text_for(function, arguments[0], work)))
        return *read;
    work.refuse("the string is not a duration such as 1h30m");
}

Value date(Function function, Arguments arguments, Work& work) {
    constexpr std::array<std::string_view, 7> layouts{"2006-01-02",
                                                      "15:04:05",
                                                      "2006-01-02 15:04:05",
                                                      "2006-01-02T15:04:05Z07:00",
                                                      "02 Jan 06 15:04 MST",
                                                      "Monday, 02-Jan-06 15:04:05 MST",
                                                      "Mon, 02 Jan 2006 15:04:05 MST"};
    const std::string& text = text_for(function, arguments[0], work);
    if (arguments.size() > 2) {
        const std::string& zone = text_for(function, arguments[2], work);
        if (zone != "UTC" && !zone.empty()) work.refuse("date knows no time zone but UTC");
    }
    if (arguments.size() > 1) {
        if (const auto time = read_time(text, text_for(function, arguments[1], work))) return *time;
        work.refuse("the string is not a date of this layout");
    }
    for (const std::string_view layout : layouts)
        if (const auto time = read_time(text, layout)) return *time;
    work.refuse("the string is not a date");
}

bool is_method(std::string_view name) {
    return std::ranges::find(time_methods, name, &TimeMethod::name) != std::end(time_methods) ||
           std::ranges::find(duration_methods, name, &DurationMethod::name) !=
               duration_methods.end();
}

Value method_called(std::string_view name, const Value& of, const Work& work) {
    const auto* const time = std::ranges::find(time_methods, name, &TimeMethod::name);
    if (of.if_time() && time != std::end(time_methods)) return time->of(*of.if_time());
    const auto* const duration = std::ranges::find(duration_methods, name, &DurationMethod::name);
    if (!of.if_duration() || duration == duration_methods.end())
        work.refuse(fmt::format("{} has no method {}", noun_of(of), quoted(name)));
    const std::int64_t count = of.if_duration()->count();
    const std::int64_t unit = duration->unit.count();
    const std::int64_t whole_units = count / unit;
    if (!duration->with_fraction) return whole_units;
    return static_cast<double>(whole_units) +
           static_cast<double>(count % unit) / static_cast<double>(unit);
}

}  // namespace sluice::language
