#include <algorithm>
#include <array>

#include "language/go_time.hpp"

namespace sluice::language {

namespace {

using std::chrono::seconds;

// clang-format off
enum class Part {
    LongYear, Year, LongMonth, MonthName, ZeroMonth, Month, LongWeekday, Weekday,
    Day, PaddedDay, ZeroDay, Hour, ZeroHour12, Hour12, ZeroMinute, Minute, ZeroSecond, Second,
    Noon, SmallNoon, Zone, Offset, OffsetColon, OffsetHours, ZuluOffset, ZuluOffsetColon,
    ZuluOffsetHours,
};
// clang-format on

struct Spelling {
    std::string_view text;
    Part part;
};

// Longer ones before their beginnings.
constexpr std::array spellings{Spelling{"January", Part::LongMonth},
                               Spelling{"Jan", Part::MonthName},
                               Spelling{"Monday", Part::LongWeekday},
                               Spelling{"Mon", Part::Weekday},
                               Spelling{"MST", Part::Zone},
                               Spelling{"2006", Part::LongYear},
                               Spelling{"06", Part::Year},
                               Spelling{"01", Part::ZeroMonth},
                               Spelling{"02", Part::ZeroDay},
                               Spelling{"03", Part::ZeroHour12},
                               Spelling{"04", Part::ZeroMinute},
                               Spelling{"05", Part::ZeroSecond},
                               Spelling{"15", Part::Hour},
                               Spelling{"1", Part::Month},
                               Spelling{"_2", Part::PaddedDay},
                               Spelling{"2", Part::Day},
                               Spelling{"3", Part::Hour12},
                               Spelling{"4", Part::Minute},
                               Spelling{"5", Part::Second},
                               Spelling{"PM", Part::Noon},
                               Spelling{"pm", Part::SmallNoon},
                               Spelling{"-0700", Part::Offset},
                               Spelling{"-07:00", Part::OffsetColon},
                               Spelling{"-07", Part::OffsetHours},
                               Spelling{"Z0700", Part::ZuluOffset},
                               Spelling{"Z07:00", Part::ZuluOffsetColon},
                               Spelling{"Z07", Part::ZuluOffsetHours}};

constexpr std::array<std::string_view, 12> months{"January",   "February", "March",    "April",
                                                  "May",       "June",     "July",     "August",
                                                  "September", "October",  "November", "December"};
constexpr std::array<std::string_view, 7> weekdays{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                   "Thursday", "Friday", "Saturday"};

bool is_decimal(char c) {
    return c >= '0' && c <= '9';
}
bool is_capital(char c) {
    return c >= 'A' && c <= 'Z';
}
char small(char c) {
    return is_capital(c) ? static_cast<char>(c + ('a' - 'A')) : c;
}

class Reader {
  public:
    Reader(std::string_view text, std::string_view layout) : text_(text), layout_(layout) {}

    std::optional<GoTime> time() {
        while (!layout_.empty()) {
            const auto spelling = std::ranges::find_if(
                spellings, [&](const Spelling& one) { return layout_.starts_with(one.text); });
            if (spelling != spellings.end()) {
                layout_.remove_prefix(spelling->text.size());
                if (!read(spelling->part)) return std::nullopt;
            } else if (!skip()) {
                return std::nullopt;
            }
        }
        return text_.empty() ? whole() : std::nullopt;
    }

  private:
    // What is no part of a time stands in the text as it stands in the layout; blanks stand for any
    // number of them.
    bool skip() {
        if (is_fraction()) return true;
        if (layout_.front() == ' ') {
            if (!text_.empty() && text_.front() != ' ') return false;
            layout_.remove_prefix(std::min(layout_.find_first_not_of(' '), layout_.size()));
            text_.remove_prefix(std::min(text_.find_first_not_of(' '), text_.size()));
            return true;
        }
        if (text_.empty() || text_.front() != layout_.front()) return false;
        layout_.remove_prefix(1);
        text_.remove_prefix(1);
        return true;
    }

    // ".000" and ".999" behind the seconds: these were read with them.
    bool is_fraction() {
        if (layout_.front() != '.' && layout_.front() != ',') return false;
        const std::size_t end = std::min(layout_.find_first_not_of("09", 1), layout_.size());
        const bool is_one = end > 1 && layout_.substr(1, end - 1).find_first_not_of(layout_[1]) ==
                                           std::string_view::npos;
        if (!is_one) return false;
        if (layout_[1] == '0' && fraction_digits_ != end - 1) return false;
        layout_.remove_prefix(end);
        return true;
    }

    bool number(std::size_t least, std::size_t most, int from, int to, int& into) {
        const std::size_t end = std::min(text_.find_first_not_of("0123456789"), text_.size());
        const std::size_t count = std::min(end, most);
        if (count < least) return false;
        into = 0;
        for (const char digit : text_.substr(0, count))
            into = into * 10 + (digit - '0');
        text_.remove_prefix(count);
        return into >= from && into <= to;
    }

    template <std::size_t count>
    bool name(const std::array<std::string_view, count>& names, std::size_t length, int& into) {
        for (std::size_t i = 0; i < count; ++i) {
            const std::string_view wanted = names[i].substr(0, length);
            if (text_.size() < wanted.size() ||
                !std::ranges::equal(text_.substr(0, wanted.size()), wanted, {}, small, small))
                continue;
            text_.remove_prefix(wanted.size());
            into = static_cast<int>(i) + 1;
            return true;
        }
        return false;
    }

    bool read(Part part) {
        int ignored = 0;
        switch (part) {
            case Part::LongYear: return number(4, 4, 0, 9999, year_);
            case Part::Year:
                if (!number(2, 2, 0, 99, year_)) return false;
                year_ += year_ >= 69 ? 1900 : 2000;
                return true;
            case Part::LongMonth: return name(months, std::string_view::npos, month_);
            case Part::MonthName: return name(months, 3, month_);
            case Part::ZeroMonth: return number(2, 2, 1, 12, month_);
            case Part::Month: return number(1, 2, 1, 12, month_);
            case Part::LongWeekday: return name(weekdays, std::string_view::npos, ignored);
            case Part::Weekday: return name(weekdays, 3, ignored);
            case Part::PaddedDay:
                if (text_.starts_with(' ')) text_.remove_prefix(1);
                return number(1, 2, 1, 31, day_);
            case Part::Day: return number(1, 2, 1, 31, day_);
            case Part::ZeroDay: return number(2, 2, 1, 31, day_);
            case Part::Hour: return number(1, 2, 0, 23, hour_);
            case Part::ZeroHour12: return number(2, 2, 0, 12, hour_);
            case Part::Hour12: return number(1, 2, 0, 12, hour_);
            case Part::ZeroMinute: return number(2, 2, 0, 59, minute_);
            case Part::Minute: return number(1, 2, 0, 59, minute_);
            case Part::ZeroSecond: return number(2, 2, 0, 59, second_) && fraction();
            case Part::Second: return number(1, 2, 0, 59, second_) && fraction();
            case Part::Noon: return noon("AM", "PM");
            case Part::SmallNoon: return noon("am", "pm");
            case Part::Zone: return zone();
            case Part::ZuluOffset:
            case Part::ZuluOffsetColon:
            case Part::ZuluOffsetHours:
                if (text_.starts_with('Z')) {
                    text_.remove_prefix(1);
                    return true;
                }
                return offset(part);
            default: return offset(part);
        }
    }

    // May follow any second.
    bool fraction() {
        const bool is_there =
            text_.size() >= 2 && (text_[0] == '.' || text_[0] == ',') && is_decimal(text_[1]);
        if (!is_there) return true;
        const std::size_t end = std::min(text_.find_first_not_of("0123456789", 1), text_.size());
        std::int64_t unit = 100'000'000;
        for (const char digit : text_.substr(1, end - 1)) {
            fraction_ += std::chrono::nanoseconds{unit * (digit - '0')};
            unit /= 10;
        }
        fraction_digits_ = end - 1;
        text_.remove_prefix(end);
        return true;
    }

    bool noon(std::string_view before, std::string_view after) {
        if (!text_.starts_with(before) && !text_.starts_with(after)) return false;
        half_ = text_.starts_with(before) ? Half::Morning : Half::Afternoon;
        text_.remove_prefix(2);
        return true;
    }

    bool offset(Part part) {
        if (text_.empty() || (text_[0] != '+' && text_[0] != '-')) return false;
        const int sign = text_[0] == '-' ? -1 : 1;
        text_.remove_prefix(1);
        int hours = 0;
        int minutes = 0;
        if (!number(2, 2, 0, 24, hours)) return false;
        const bool is_short = part == Part::OffsetHours || part == Part::ZuluOffsetHours;
        if (part == Part::OffsetColon || part == Part::ZuluOffsetColon) {
            if (!text_.starts_with(':')) return false;
            text_.remove_prefix(1);
        }
        if (!is_short && !number(2, 2, 0, 60, minutes)) return false;
        offset_ = sign * (std::chrono::hours{hours} + std::chrono::minutes{minutes});
        return true;
    }

    // "CET", "WITA", "GMT+3", "+03".
    bool zone() {
        const bool is_signed = text_.starts_with('+') || text_.starts_with('-');
        const auto end = std::ranges::find_if_not(text_, is_capital);
        const auto length = static_cast<std::size_t>(end - text_.begin());
        const bool is_named = length == 3 || (length == 4 && text_[3] == 'T') ||
                              (length == 5 && text_[4] == 'T') || text_.starts_with("WITA");
        if (!is_signed && !is_named) return false;
        const bool may_be_followed = text_.starts_with("GMT");
        text_.remove_prefix(is_signed ? 0 : length);
        const bool is_followed = may_be_followed && text_.size() >= 2 &&
                                 (text_[0] == '+' || text_[0] == '-') && is_decimal(text_[1]);
        if (!is_signed && !is_followed) return true;
        const int sign = text_[0] == '-' ? -1 : 1;
        text_.remove_prefix(1);
        int hours = 0;
        if (!number(1, 2, 0, 23, hours)) return false;
        if (is_followed) offset_ = sign * std::chrono::hours{hours};
        return true;
    }

    std::optional<GoTime> whole() const {
        const std::chrono::year_month_day date{std::chrono::year{year_},
                                               std::chrono::month{static_cast<unsigned>(month_)},
                                               std::chrono::day{static_cast<unsigned>(day_)}};
        if (!date.ok()) return std::nullopt;
        int hour = hour_;
        if (half_ == Half::Afternoon && hour < 12) hour += 12;
        if (half_ == Half::Morning && hour == 12) hour = 0;
        const seconds of_day =
            std::chrono::hours{hour} + std::chrono::minutes{minute_} + seconds{second_};
        return GoTime{std::chrono::sys_days{date} + of_day - offset_, fraction_, offset_};
    }

    enum class Half { Unknown, Morning, Afternoon };

    std::string_view text_;
    std::string_view layout_;
    int year_ = 0;
    int month_ = 1;
    int day_ = 1;
    int hour_ = 0;
    int minute_ = 0;
    int second_ = 0;
    std::chrono::nanoseconds fraction_{0};
    std::size_t fraction_digits_ = 0;
    Half half_ = Half::Unknown;
    seconds offset_{0};
};

}  // namespace

std::optional<GoTime> read_time(std::string_view text, std::string_view layout) {
    return Reader(text, layout).time();
}

}  // namespace sluice::language
