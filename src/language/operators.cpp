#include "language/operators.hpp"

#include <array>
#include <cmath>

#include "base/utf8.hpp"

namespace sluice::language {

namespace {

// Of a pattern: the steps that it takes to make a small one, and how many of its instructions are
// the price of a comparison. Mostly a byte is looked at once; at worst all of them look at it.
constexpr std::size_t making_steps = 100;
constexpr std::size_t instructions_per_byte = 4;

[[noreturn]] void refuse_pair(Operator op, const Value& left, const Value& right,
                              const Work& work) {
    work.refuse(fmt::format("{} does not go between {} and {}", spelled(op), noun_of(left),
                            noun_of(right)));
}

bool equal_texts(const std::string& left, const std::string& right, Work& work) {
    if (left.size() != right.size()) return false;
    work.take_bytes(left.size());
    return left == right;
}

bool equal_arrays(const Value::Array& left, const Value::Array& right, Work& work) {
    if (left.size() != right.size()) return false;
    for (std::size_t i = 0; i < left.size(); ++i)
        if (!equal(left[i], right[i], work)) return false;
    return true;
}

bool equal_maps(const Value::Map& left, const Value::Map& right, Work& work) {
    if (left.size() != right.size()) return false;
    for (auto one = left.begin(), other = right.begin(); one != left.end(); ++one, ++other) {
        if (!equal_texts(one->first, other->first, work)) return false;
        if (!equal(one->second, other->second, work)) return false;
    }
    return true;
}

// Before every character, and behind the last one.
std::vector<std::size_t> places_between(std::string_view text, std::size_t most) {
    std::vector<std::size_t> out;
    for (std::size_t at = 0; out.size() < most && at <= text.size();) {
        out.push_back(at);
        const std::optional<Rune> rune = first_rune(text.substr(at));
        at += rune ? rune->length : 1;
    }
    return out;
}

// For each beginning of the part, how much of it is also its end.
std::vector<std::size_t> borders_of(std::string_view part) {
    std::vector<std::size_t> out(part.size(), 0);
    for (std::size_t i = 1, matched = 0; i < part.size(); ++i) {
        while (matched > 0 && part[i] != part[matched])
            matched = out[matched - 1];
        if (part[i] == part[matched]) ++matched;
        out[i] = matched;
    }
    return out;
}

bool is_in(const Value& left, const Value& right, Work& work) {
    if (right.is_nil()) return false;
    if (const Value::Array* items = right.if_array()) {
        for (const Value& item : *items)
            if (equal(item, left, work)) return true;
        return false;
    }
    const Value::Map* members = right.if_map();
    if (members && left.is_nil()) return false;
    const std::string* key = left.if_text();
    if (!members || !key) refuse_pair(Operator::In, left, right, work);
    work.take_bytes(key->size());
    return members->contains(*key);
}

bool about_texts(Operator op, const Value& left, const Value& right, Work& work) {
    if (left.is_nil() || right.is_nil()) return false;
    const std::string* text = left.if_text();
    const std::string* part = right.if_text();
    if (!text || !part) refuse_pair(op, left, right, work);
    if (op == Operator::Contains) return !places_of(*text, *part, 1, work).empty();
    if (op == Operator::Matches) {
        const Result<Pattern> pattern = Pattern::compiled(*part);
        if (!pattern) work.refuse("the pattern " + pattern.error().message);
        work.take(making_steps + pattern->size());
        return fits(left, *pattern, work);
    }
    work.take_bytes(part->size());
    return op == Operator::StartsWith ? text->starts_with(*part) : text->ends_with(*part);
}

Value range(const Value& left, const Value& right, Work& work) {
    const std::int64_t first = whole(left, "the begin of a range", work);
    const std::int64_t last = whole(right, "the end of a range", work);
    if (last < first) return Value::Array{};
    const auto more = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
    work.take(more);
    Value::Array out;
    out.reserve(more + 1);
    for (std::uint64_t i = 0; i <= more; ++i)
        out.emplace_back(first + static_cast<std::int64_t>(i));
    return out;
}

Value integer_result(Operator op, std::int64_t left, std::int64_t right, const Work& work) {
    std::int64_t out = 0;
    bool is_too_large = false;
    switch (op) {
        case Operator::Add: is_too_large = __builtin_add_overflow(left, right, &out); break;
        case Operator::Subtract: is_too_large = __builtin_sub_overflow(left, right, &out); break;
        case Operator::Multiply: is_too_large = __builtin_mul_overflow(left, right, &out); break;
        default:
            if (right == 0) work.refuse("there is no rest of a division by 0");
            out = right == -1 ? 0 : left % right;
    }
    if (is_too_large) work.refuse("the integer becomes too large");
    return out;
}

std::chrono::nanoseconds checked(Operator op, std::int64_t left, std::int64_t right,
                                 const Work& work) {
    return std::chrono::nanoseconds{*integer_result(op, left, right, work).if_integer()};
}

std::chrono::nanoseconds scaled(const Value& number, std::chrono::nanoseconds by,
                                const Work& work) {
    if (const std::int64_t* integer = number.if_integer())
        return checked(Operator::Multiply, *integer, by.count(), work);
    work.refuse("a duration is multiplied by whole numbers only");
}

// What + - * make of times and durations.
Value with_durations(Operator op, const Value& left, const Value& right, const Work& work) {
    const GoTime* const time = left.if_time();
    const GoTime* const other = right.if_time();
    const std::chrono::nanoseconds* const duration = left.if_duration();
    const std::chrono::nanoseconds* const by = right.if_duration();
    if (op == Operator::Add && time && by) return moved(*time, *by);
    if (op == Operator::Add && duration && other) return moved(*other, *duration);
    if (op == Operator::Subtract && time && other) return difference(*time, *other);
    if (op == Operator::Subtract && time && by)
        return moved(*time, checked(op, 0, by->count(), work));
    if (op == Operator::Multiply && left.is_number() && by) return scaled(left, *by, work);
    if (op == Operator::Multiply && duration && right.is_number())
        return scaled(right, *duration, work);
    const bool goes_between_two =
        op == Operator::Add || op == Operator::Subtract || op == Operator::Multiply;
    if (goes_between_two && duration && by)
        return checked(op, duration->count(), by->count(), work);
    refuse_pair(op, left, right, work);
}

Value arithmetic(Operator op, const Value& left, const Value& right, Work& work) {
    const std::int64_t* one = left.if_integer();
    const std::int64_t* other = right.if_integer();
    const bool makes_float = op == Operator::Divide || op == Operator::Power;
    if (one && other && !makes_float) return integer_result(op, *one, *other, work);
    const std::optional<double> first = left.number();
    const std::optional<double> second = right.number();
    if (!first || !second) return with_durations(op, left, right, work);
    const double a = *first;
    const double b = *second;
    switch (op) {
        case Operator::Add: return a + b;
        case Operator::Subtract: return a - b;
        case Operator::Multiply: return a * b;
        case Operator::Power: return std::pow(a, b);
        case Operator::Divide: break;
        default: work.refuse("% goes between integers only");
    }
    if (b != 0) return a / b;
    if (a == 0 || std::isnan(a) || std::isnan(b)) return std::nan("");
    const bool is_negative = std::signbit(a) != std::signbit(b);
    return is_negative ? -HUGE_VAL : HUGE_VAL;
}

}  // namespace

std::string_view spelled(Operator op) {
    static constexpr std::array<std::string_view, 25> all{
        "or",      "and",      "==",         "!=",       "<",  "<=", ">", ">=", "in",
        "matches", "contains", "startsWith", "endsWith", "..", "+",  "-", "*",  "/",
        "%",       "**",       "??",         "not",      "-",  "+",  "|"};
    return all[static_cast<std::size_t>(op)];
}

std::vector<std::size_t> places_of(std::string_view text, std::string_view part, std::size_t most,
                                   Work& work) {
    work.take_bytes(text.size() + part.size());
    if (part.empty()) return places_between(text, most);
    std::vector<std::size_t> out;
    if (part.size() > text.size()) return out;
    const std::vector<std::size_t> borders = borders_of(part);
    std::size_t matched = 0;
    for (std::size_t i = 0; i < text.size() && out.size() < most; ++i) {
        while (matched > 0 && text[i] != part[matched])
            matched = borders[matched - 1];
        if (text[i] == part[matched]) ++matched;
        if (matched < part.size()) continue;
        out.push_back(i + 1 - part.size());
        matched = 0;
    }
    work.take(out.size());
    return out;
}

std::optional<std::size_t> place_in(std::size_t size, std::int64_t index) {
    const auto items = static_cast<std::int64_t>(size);
    const std::int64_t place = index < 0 && index >= -items ? index + items : index;
    if (place < 0 || place >= items) return std::nullopt;
    return static_cast<std::size_t>(place);
}

Value member_of(const Value::Map& members, const Value& key, Work& work) {
    if (!key.if_text())
        work.refuse(fmt::format("the key of a map is {}, not a string", noun_of(key)));
    work.take_bytes(key.if_text()->size());
    const auto found = members.find(*key.if_text());
    return found == members.end() ? Value{} : found->second;
}

bool equal(const Value& left, const Value& right, Work& work) {
    work.take(1);
    const std::int64_t* one = left.if_integer();
    const std::int64_t* other = right.if_integer();
    if (one && other) return *one == *other;
    const std::optional<double> first = left.number();
    const std::optional<double> second = right.number();
    if (first && second) return *first == *second;
    if (left.kind() != right.kind()) return false;
    switch (left.kind()) {
        case Value::Kind::Bool: return *left.if_bool() == *right.if_bool();
        case Value::Kind::Text: return equal_texts(*left.if_text(), *right.if_text(), work);
        case Value::Kind::Array: return equal_arrays(*left.if_array(), *right.if_array(), work);
        case Value::Kind::Map: return equal_maps(*left.if_map(), *right.if_map(), work);
        case Value::Kind::Time: return *left.if_time() == *right.if_time();
        case Value::Kind::Duration: return *left.if_duration() == *right.if_duration();
        default: return true;
    }
}

bool less(const Value& left, const Value& right, Operator op, Work& work) {
    const std::int64_t* one = left.if_integer();
    const std::int64_t* other = right.if_integer();
    if (one && other) return *one < *other;
    const std::optional<double> first = left.number();
    const std::optional<double> second = right.number();
    if (first && second) return *first < *second;
    if (left.if_time() && right.if_time()) return *left.if_time() < *right.if_time();
    if (left.if_duration() && right.if_duration())
        return *left.if_duration() < *right.if_duration();
    if (!left.if_text() || !right.if_text()) refuse_pair(op, left, right, work);
    work.take_bytes(std::min(left.if_text()->size(), right.if_text()->size()));
    return *left.if_text() < *right.if_text();
}

Value added(const Value& left, const Value& right, Work& work) {
    if (!left.if_text() || !right.if_text()) return arithmetic(Operator::Add, left, right, work);
    work.take_bytes(left.if_text()->size() + right.if_text()->size());
    return *left.if_text() + *right.if_text();
}

Value negated(const Value& value, Work& work) {
    if (value.if_integer()) return arithmetic(Operator::Subtract, 0, value, work);
    if (const std::optional<double> number = value.number()) return -*number;
    work.refuse(fmt::format("- does not go with {}", noun_of(value)));
}

bool fits(const Value& text, const Pattern& pattern, Work& work) {
    if (text.is_nil()) return false;
    if (!text.if_text()) work.refuse(fmt::format("matches does not go with {}", noun_of(text)));
    work.take_bytes(text.if_text()->size() * (1 + pattern.size() / instructions_per_byte));
    return pattern.fits(*text.if_text());
}

// Values of two kinds are never equal: who compares them has mistaken one for something else, and a
// quiet `false` would make a bad measurement a good one.
bool equal_of_one_kind(Operator op, const Value& left, const Value& right, Work& work) {
    const bool is_one_kind = left.kind() == right.kind() || left.is_nil() || right.is_nil() ||
                             (left.is_number() && right.is_number());
    if (!is_one_kind) refuse_pair(op, left, right, work);
    return equal(left, right, work);
}

Value applied(Operator op, const Value& left, const Value& right, Work& work) {
    switch (op) {
        case Operator::Equal: return equal_of_one_kind(op, left, right, work);
        case Operator::Unequal: return !equal_of_one_kind(op, left, right, work);
        case Operator::Less: return less(left, right, op, work);
        case Operator::Greater: return less(right, left, op, work);
        case Operator::LessOrEqual: return less(left, right, op, work) || equal(left, right, work);
        case Operator::GreaterOrEqual:
            return less(right, left, op, work) || equal(left, right, work);
        case Operator::In: return is_in(left, right, work);
        case Operator::Matches:
        case Operator::Contains:
        case Operator::StartsWith:
        case Operator::EndsWith: return about_texts(op, left, right, work);
        case Operator::Range: return range(left, right, work);
        case Operator::Add: return added(left, right, work);
        default: return arithmetic(op, left, right, work);
    }
}

bool truth(const Value& value, Operator op, const Work& work) {
    if (const bool* truth = value.if_bool()) return *truth;
    work.refuse(fmt::format("{} does not go with {}", spelled(op), noun_of(value)));
}

std::int64_t whole(const Value& value, const char* what, const Work& work) {
    if (const std::int64_t* integer = value.if_integer()) return *integer;
    const std::optional<double> number = value.number();
    if (!number) work.refuse(fmt::format("{} is {}, not a number", what, noun_of(value)));
    constexpr double bound = 9223372036854775808.0;  // 2 to the 63rd
    if (!(*number > -bound && *number < bound))
        work.refuse(fmt::format("{} is no number of 64 bits", what));
    return static_cast<std::int64_t>(*number);
}

}  // namespace sluice::language
