#include "api/analysis/functions.hpp"

#include <charconv>
#include <cmath>
#include <set>

#include "api/analysis/letters.hpp"
#include "api/analysis/operators.hpp"
#include "base/utf8.hpp"

namespace sluice::api::analysis {

namespace {

[[noreturn]] void refuse_argument(Function function, const Value& value, const Work& work) {
    work.refuse(fmt::format("{} does not go with {}", name_of(function), noun_of(value)));
}

double number_for(Function function, const Value& value, const Work& work) {
    if (const std::optional<double> number = value.number()) return *number;
    refuse_argument(function, value, work);
}

const std::string& text_for(Function function, const Value& value, Work& work) {
    if (!value.if_text()) refuse_argument(function, value, work);
    work.take_bytes(value.if_text()->size());
    return *value.if_text();
}

std::int64_t length(const Value& value, Work& work) {
    if (const Value::Array* items = value.if_array()) return std::ssize(*items);
    if (const Value::Map* members = value.if_map()) return std::ssize(*members);
    std::string_view text = text_for(Function::Len, value, work);
    std::int64_t count = 0;
    for (; !text.empty(); ++count) {
        const std::optional<Rune> rune = first_rune(text);
        text.remove_prefix(rune ? rune->length : 1);
    }
    return count;
}

template <class Number>
Number read(std::string_view text, const char* what, const Work& work) {
    Number number{};
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc{} || end != text.data() + text.size())
        work.refuse(fmt::format("the string is not {}", what));
    return number;
}

std::int64_t as_integer(const Value& value, Work& work) {
    if (!value.if_text() && !value.is_number()) refuse_argument(Function::AsInt, value, work);
    if (!value.if_text()) return whole(value, "the argument of asInt", work);
    std::string_view text = text_for(Function::AsInt, value, work);
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    return read<std::int64_t>(text, "an integer of 64 bits", work);
}

double as_float(const Value& value, Work& work) {
    if (const std::optional<double> number = value.number()) return *number;
    const std::string lower = lowered(text_for(Function::AsFloat, value, work));
    std::string_view text = lower;
    if (text == "nan") return std::nan("");
    const bool is_negative = text.starts_with('-');
    if (is_negative || text.starts_with('+')) text.remove_prefix(1);
    const double sign = is_negative ? -1 : 1;
    if (text == "inf" || text == "infinity") return sign * HUGE_VAL;
    const bool begins_well =
        text.starts_with('.') ||
        (!text.empty() && std::isdigit(static_cast<unsigned char>(text.front())));
    if (!begins_well) work.refuse("the string is not a number");
    return sign * read<double>(text, "a number", work);
}

Value absolute(const Value& value, Work& work) {
    if (const std::int64_t* integer = value.if_integer())
        return *integer < 0 ? negated(value, work) : value;
    return std::fabs(number_for(Function::Abs, value, work));
}

// The least or the greatest of the numbers, those in arrays included; nil if there are none.
void extend(Value& so_far, const Value& by, Function function, Work& work) {
    work.take(1);
    if (const Value::Array* items = by.if_array()) {
        for (const Value& item : *items)
            extend(so_far, item, function, work);
        return;
    }
    number_for(function, by, work);
    const bool is_beyond =
        so_far.is_nil() || (function == Function::Max ? less(so_far, by, Operator::Less, work)
                                                      : less(by, so_far, Operator::Less, work));
    if (is_beyond) so_far = by;
}

Value extreme(Function function, std::span<const Value> values, Work& work) {
    Value out;
    for (const Value& value : values)
        extend(out, value, function, work);
    return out;
}

Value sum(const Value& of, Work& work) {
    Value out = 0;
    for (const Value& item : array_for(Function::Sum, of, work)) {
        work.take(1);
        number_for(Function::Sum, item, work);
        out = added(out, item, work);
    }
    return out;
}

std::int64_t count(const Value& of, Work& work) {
    std::int64_t out = 0;
    for (const Value& item : array_for(Function::Count, of, work)) {
        work.take(1);
        if (!item.if_bool()) refuse_argument(Function::Count, item, work);
        out += *item.if_bool() ? 1 : 0;
    }
    return out;
}

Value at_end(Function function, const Value& of, const Work& work) {
    if (of.is_nil()) return of;
    const Value::Array& items = array_for(function, of, work);
    if (items.empty()) return Value{};
    return function == Function::First ? items.front() : items.back();
}

Value listed(Function function, const Value& of, Work& work) {
    const Value::Map* members = of.if_map();
    if (!members) refuse_argument(function, of, work);
    Value::Array out;
    for (const auto& [key, member] : *members) {
        work.take_bytes(key.size());
        out.push_back(function == Function::Keys ? Value(key) : member);
    }
    return out;
}

// How many bytes at the begin, or at the end, are one character that goes; 0 if it stays.
template <class Goes>
std::size_t going_at_begin(std::string_view text, const Goes& goes) {
    const std::optional<Rune> rune = first_rune(text);
    return rune && goes(rune->point) ? rune->length : 0;
}

template <class Goes>
std::size_t going_at_end(std::string_view text, const Goes& goes) {
    std::size_t begin = text.empty() ? 0 : text.size() - 1;
    while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0u) == 0x80u)
        --begin;
    const std::size_t length = going_at_begin(text.substr(begin), goes);
    return begin + length == text.size() ? length : 0;
}

std::set<char32_t> points_of(std::string_view text, Work& work) {
    work.take(text.size());
    std::set<char32_t> out;
    while (const std::optional<Rune> rune = first_rune(text)) {
        out.insert(rune->point);
        text.remove_prefix(rune->length);
    }
    return out;
}

Value trimmed(std::span<const Value> arguments, Work& work) {
    std::string_view text = text_for(Function::Trim, arguments[0], work);
    std::set<char32_t> unwanted;
    if (arguments.size() > 1)
        unwanted = points_of(text_for(Function::Trim, arguments[1], work), work);
    const auto goes = [&](char32_t point) {
        return arguments.size() > 1 ? unwanted.contains(point) : is_space(point);
    };
    while (const std::size_t bytes = going_at_begin(text, goes))
        text.remove_prefix(bytes);
    while (const std::size_t bytes = going_at_end(text, goes))
        text.remove_suffix(bytes);
    return std::string(text);
}

}  // namespace

const Value::Array& array_for(Function function, const Value& value, const Work& work) {
    if (const Value::Array* items = value.if_array()) return *items;
    refuse_argument(function, value, work);
}

Value called(Function function, std::span<const Value> arguments, Work& work) {
    const Value& first = arguments[0];
    switch (function) {
        case Function::Len: return length(first, work);
        case Function::IsNan: return std::isnan(number_for(function, first, work));
        case Function::IsInf: return std::isinf(number_for(function, first, work));
        case Function::IsNil: return first.is_nil();
        case Function::Default: return first.is_nil() ? arguments[1] : first;
        case Function::AsInt: return as_integer(first, work);
        case Function::AsFloat: return as_float(first, work);
        case Function::Abs: return absolute(first, work);
        case Function::Ceil: return std::ceil(number_for(function, first, work));
        case Function::Floor: return std::floor(number_for(function, first, work));
        case Function::Round: return std::round(number_for(function, first, work));
        case Function::Min:
        case Function::Max: return extreme(function, arguments, work);
        case Function::Sum: return sum(first, work);
        case Function::Count: return count(first, work);
        case Function::First:
        case Function::Last: return at_end(function, first, work);
        case Function::Keys:
        case Function::Values: return listed(function, first, work);
        case Function::Lower: return lowered(text_for(function, first, work));
        case Function::Upper: return uppered(text_for(function, first, work));
        case Function::Trim: return trimmed(arguments, work);
        default: work.refuse(fmt::format("{} needs a closure", name_of(function)));
    }
}

}  // namespace sluice::api::analysis
