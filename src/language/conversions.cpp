#include <fmt/ranges.h>

#include <array>
#include <boost/json.hpp>
#include <charconv>
#include <cmath>

#include "base/base64.hpp"
#include "base/utf8.hpp"
#include "language/functions.hpp"
#include "language/letters.hpp"
#include "language/operators.hpp"

namespace sluice::language {

namespace {

template <class Number>
Number read(std::string_view text, const char* what, const Work& work) {
    Number number{};
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc{} || end != text.data() + text.size())
        work.refuse(fmt::format("the string is not {}", what));
    return number;
}

std::string written(double number, std::chars_format format) {
    std::array<char, 400> buffer;  // the longest double without an exponent has 327 characters
    const auto end =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, format).ptr;
    return {buffer.data(), end};
}

// The shortest digits that make this number, with an exponent only from 10 to the `most` on, or if
// there are more than `least` zeros behind the point.
std::string shortest(double number, int least, int most) {
    if (std::isnan(number)) return "NaN";
    if (std::isinf(number)) return number > 0 ? "+Inf" : "-Inf";
    std::string text = written(number, std::chars_format::scientific);
    const std::string_view digits = std::string_view(text).substr(text.find('e') + 1);
    int exponent = 0;
    const std::size_t sign = digits.starts_with('+') ? 1 : 0;
    std::from_chars(digits.data() + sign, digits.data() + digits.size(), exponent);
    const bool is_plain = number == 0 || (exponent >= least && exponent < most);
    return is_plain ? written(number, std::chars_format::fixed) : text;
}

// As Go prints a value that it knows nothing else about.
std::string printed(const Value& value, Work& work) {
    work.take(1);
    if (value.is_nil()) return "<nil>";
    if (const GoTime* time = value.if_time()) return to_text(*time);
    if (const auto* duration = value.if_duration()) return to_go_text(*duration);
    if (const double* number = value.if_float()) return shortest(*number, -4, 6);
    if (const std::string* text = value.if_text()) {
        work.take_bytes(text->size());
        return *text;
    }
    std::vector<std::string> parts;
    if (const Value::Array* items = value.if_array()) {
        for (const Value& item : *items)
            parts.push_back(printed(item, work));
        return fmt::format("[{}]", fmt::join(parts, " "));
    }
    if (const Value::Map* members = value.if_map()) {
        for (const auto& [key, member] : *members)
            parts.push_back(key + ":" + printed(member, work));
        return fmt::format("map[{}]", fmt::join(parts, " "));
    }
    return to_text(value);
}

std::string json_number(double number, const Work& work) {
    if (!std::isfinite(number)) work.refuse("JSON has no such number");
    std::string text = shortest(number, -6, 21);
    const std::size_t zero = text.find("e-0");  // "e-07" is "e-7" there
    if (zero != text.npos) text.erase(zero + 2, 1);
    return text;
}

// Go writes these so that the text can stand in a page, too.
std::string json_text(const std::string& text) {
    std::string out;
    for (const char c : boost::json::serialize(boost::json::string(text))) {
        if (c == '<' || c == '>' || c == '&')
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
            out += c;
    }
    return out;
}

// JSON in lines, each item by two blanks further in.
std::string json_lines(const Value& value, const std::string& indent, Work& work) {
    work.take(1);
    if (const GoTime* time = value.if_time()) return json_text(to_rfc3339(*time));
    if (const auto* duration = value.if_duration()) return std::to_string(duration->count());
    if (const double* number = value.if_float()) return json_number(*number, work);
    if (const std::string* text = value.if_text()) {
        work.take_bytes(text->size());
        return json_text(*text);
    }
    const Value::Array* items = value.if_array();
    const Value::Map* members = value.if_map();
    if (!items && !members) return to_text(value);
    const std::string deeper = indent + "  ";
    std::string out;
    const auto line = [&](const std::string& text) {
        work.take_bytes(deeper.size());
        out += (out.empty() ? "\n" : ",\n") + deeper + text;
    };
    if (items)
        for (const Value& item : *items)
            line(json_lines(item, deeper, work));
    else
        for (const auto& [key, member] : *members)
            line(json_text(key) + ": " + json_lines(member, deeper, work));
    if (!out.empty()) out += "\n" + indent;
    return items ? "[" + out + "]" : "{" + out + "}";
}

}  // namespace

Value length(Function function, Arguments arguments, Work& work) {
    const Value& value = arguments[0];
    if (const Value::Array* items = value.if_array()) return std::ssize(*items);
    if (const Value::Map* members = value.if_map()) return std::ssize(*members);
    std::string_view text = text_for(function, value, work);
    std::int64_t count = 0;
    for (; !text.empty(); ++count) {
        const std::optional<Rune> rune = first_rune(text);
        text.remove_prefix(rune ? rune->length : 1);
    }
    return count;
}

Value kind_name(Function, Arguments arguments, Work&) {
    constexpr std::array names{"nil",   "bool", "int",       "float",        "string",
                               "array", "map",  "time.Time", "time.Duration"};
    return names[static_cast<std::size_t>(arguments[0].kind())];
}

Value is_nil(Function, Arguments arguments, Work&) {
    return arguments[0].is_nil();
}

Value otherwise(Function, Arguments arguments, Work&) {
    return arguments[0].is_nil() ? arguments[1] : arguments[0];
}

Value as_integer(Function function, Arguments arguments, Work& work) {
    const Value& value = arguments[0];
    if (const auto* duration = value.if_duration()) return duration->count();
    if (!value.if_text() && !value.is_number()) refuse_argument(function, value, work);
    if (!value.if_text()) return whole(value, "the argument of asInt", work);
    std::string_view text = text_for(function, value, work);
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    return read<std::int64_t>(text, "an integer of 64 bits", work);
}

Value as_float(Function function, Arguments arguments, Work& work) {
    if (const std::optional<double> number = arguments[0].number()) return *number;
    const std::string lower = lowered(text_for(function, arguments[0], work));
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

Value as_text(Function, Arguments arguments, Work& work) {
    return printed(arguments[0], work);
}

Value to_json(Function, Arguments arguments, Work& work) {
    return json_lines(arguments[0], "", work);
}

Value from_json(Function function, Arguments arguments, Work& work) {
    const std::string& text = text_for(function, arguments[0], work);
    work.take(text.size() / 2);  // no item is shorter
    boost::system::error_code failed;
    boost::json::parse_options options;
    options.max_depth = json_depth_max;
    const boost::json::value json = boost::json::parse(text, failed, {}, options);
    if (failed) work.refuse("the string is not JSON");
    Result<Value> value = to_value(json);
    if (!value) work.refuse("the JSON " + value.error().message);
    return *std::move(value);
}

Value in_base64(Function function, Arguments arguments, Work& work) {
    const std::string& text = text_for(function, arguments[0], work);
    if (function == Function::ToBase64) return encode_base64(text);
    const std::optional<Redacted> bytes = decode_base64(text);
    if (!bytes) work.refuse("the string is not base64");
    if (!is_utf8(bytes->reveal())) work.refuse("the base64 does not hold UTF-8");
    return std::string(bytes->reveal());
}

}  // namespace sluice::language
