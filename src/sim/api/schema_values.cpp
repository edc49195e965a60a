#include "sim/api/schema_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <unordered_set>

#include "base/text.hpp"
#include "sim/api/refusals.hpp"
#include "sim/api/resource.hpp"
#include "sim/api/schema_parts.hpp"

namespace sluice::sim {
namespace {

using Problems = std::vector<FieldProblem>;

// As Go prints a float64: no exponent unless it is far from the point.
std::string number_text(double value) {
    std::array<char, 400> buffer{};
    const double size = std::abs(value);
    const bool is_plain = value == 0 || (size < 1e21 && size >= 1e-4);
    const auto form = is_plain ? std::chars_format::fixed : std::chars_format::scientific;
    const auto [end, failed] =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, form);
    return failed == std::errc{} ? std::string{buffer.data(), end} : "NaN";
}

std::string value_text(const json::value& value) {
    if (value.is_null()) return "\"null\"";
    return value.is_double() ? number_text(value.get_double()) : json::serialize(value);
}

std::string type_of(const json::value& value) {
    switch (value.kind()) {
        case json::kind::null: return "null";
        case json::kind::bool_: return "boolean";
        case json::kind::string: return "string";
        case json::kind::array: return "array";
        case json::kind::object: return "object";
        case json::kind::double_: return "number";
        default: return "integer";
    }
}

bool is_whole_number(const json::value& value) {
    return value.is_double() && std::trunc(value.get_double()) == value.get_double();
}

bool is_of_type(const json::value& value, std::string_view wanted) {
    const std::string type = type_of(value);
    return type == wanted || (wanted == "number" && type == "integer") ||
           (wanted == "integer" && is_whole_number(value));
}

std::optional<double> number_in(const json::object& schema, std::string_view key) {
    const json::value* value = schema.if_contains(key);
    if (!value || !value->is_number()) return {};
    return value->to_number<double>();
}

// A bound on a size. One below zero bounds nothing.
std::optional<std::uint64_t> size_in(const json::object& schema, std::string_view key) {
    const auto number = number_in(schema, key);
    if (!number || *number < 0 || *number > 9e18) return {};
    return static_cast<std::uint64_t>(*number);
}

std::size_t code_points(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

FieldProblem of_wrong_type(const std::string& path, const std::string& wanted,
                           std::string_view is) {
    FieldProblem problem =
        invalid(path, json::string{is},
                fmt::format("{} in body must be of type {}: {}", path, wanted, quoted(is)));
    problem.reason = "FieldValueTypeInvalid";
    return problem;
}

// "should be ...": what the value is not.
FieldProblem in_body(const std::string& path, const json::value& value, const std::string& rest) {
    return invalid(path, value, fmt::format("{} in body {}", path, rest));
}

void check_text(const json::object& schema, const Patterns& patterns, const json::value& value,
                const std::string& path, Problems& found) {
    const std::string_view text = value.get_string();
    const std::size_t length = code_points(text);
    if (const auto limit = size_in(schema, "maxLength"); limit && length > *limit)
        found.push_back({path, "FieldValueTooLong",
                         fmt::format("Too long: may not be more than {} bytes", *limit)});
    if (const auto limit = size_in(schema, "minLength"); limit && length < *limit)
        found.push_back(
            in_body(path, value, fmt::format("should be at least {} chars long", *limit)));
    const auto pattern = patterns.find(text_at(schema, "/pattern"));
    if (pattern != patterns.end() && !pattern->second.fits(text))
        found.push_back(in_body(path, value, "should match '" + pattern->first + "'"));
    const std::string format = text_at(schema, "/format");
    if (!has_format(text, format)) found.push_back(of_wrong_type(path, format, text));
}

struct Bound {
    std::string_view key;
    std::string_view exclusive;
    double beyond;  // the sign of a difference that is too much
    std::string_view word;
};
constexpr Bound bounds[] = {{"maximum", "exclusiveMaximum", 1, "less"},
                            {"minimum", "exclusiveMinimum", -1, "greater"}};

void check_number(const json::object& schema, const json::value& value, const std::string& path,
                  Problems& found) {
    const double number = value.to_number<double>();
    if (const auto step = number_in(schema, "multipleOf"); step && *step > 0) {
        const double times = number / *step;
        if (std::trunc(times) != times)
            found.push_back(in_body(path, value, "should be a multiple of " + number_text(*step)));
    }
    for (const Bound& bound : bounds) {
        auto limit = number_in(schema, bound.key);
        if (!limit) continue;
        // The bounds of a whole number are whole for the API server.
        if (!value.is_double()) limit = std::trunc(*limit);
        const bool is_exclusive = says(schema, bound.exclusive);
        const double beyond = bound.beyond * (number - *limit);
        if (beyond > 0 || (is_exclusive && beyond >= 0))
            found.push_back(
                in_body(path, value,
                        fmt::format("should be {} than {}{}", bound.word,
                                    is_exclusive ? "" : "or equal to ", number_text(*limit))));
    }
}

bool has_repetition(const json::array& list) {
    std::unordered_set<std::string> seen;
    return !std::ranges::all_of(
        list, [&](const json::value& entry) { return seen.insert(json::serialize(entry)).second; });
}

// How many: `what` is "Items" or "Properties".
void check_size(const json::object& schema, std::size_t size, const std::string& what,
                const std::string& path, Problems& found) {
    if (const auto limit = size_in(schema, "min" + what); limit && size < *limit)
        found.push_back(in_body(
            path, size, fmt::format("should have at least {} {}", *limit, in_lower_case(what))));
    if (const auto limit = size_in(schema, "max" + what); limit && size > *limit)
        found.push_back({path, "FieldValueTooMany",
                         fmt::format("Too many: {}: must have at most {} items", size, *limit)});
}

void check_enum(const json::object& schema, const json::value& value, const std::string& path,
                Problems& found) {
    const json::array& allowed = list_in(schema, "enum");
    if (allowed.empty() || std::ranges::find(allowed, value) != allowed.end()) return;
    std::string names;
    for (const json::value& entry : allowed) {
        const std::string text =
            entry.is_string() ? std::string{entry.get_string()} : json::serialize(entry);
        names += (names.empty() ? "" : ", ") + quoted(text);
    }
    found.push_back({path, "FieldValueNotSupported",
                     "Unsupported value: " + value_text(value) + ": supported values: " + names});
}

}  // namespace

FieldProblem invalid(const std::string& path, const json::value& value, const std::string& detail) {
    return {path.empty() ? "<nil>" : path, "FieldValueInvalid",
            "Invalid value: " + value_text(value) + ": " + detail};
}

FieldProblem required(const std::string& path, const std::string& detail) {
    return {path, "FieldValueRequired",
            detail.empty() ? "Required value" : "Required value: " + detail};
}

FieldProblem duplicate(const std::string& path, const json::value& value) {
    return {path, "FieldValueDuplicate", "Duplicate value: " + value_text(value)};
}

FieldProblem anywhere(const std::string& detail) {
    return invalid("", "", detail);
}

std::vector<FieldProblem> type_problems(const json::object& schema, const json::value& value,
                                        const std::string& path) {
    const bool takes_both = says(schema, "x-kubernetes-int-or-string");
    const std::string wanted = takes_both ? "integer,string" : text_at(schema, "/type");
    if (wanted.empty() || (value.is_null() && says(schema, "nullable"))) return {};
    const bool fits =
        takes_both ? is_of_type(value, "integer") || value.is_string() : is_of_type(value, wanted);
    if (fits) return {};
    return {of_wrong_type(path, wanted, type_of(value))};
}

std::vector<FieldProblem> value_problems(const json::object& schema, const Patterns& patterns,
                                         const json::value& value, const std::string& path) {
    Problems found;
    if (value.is_string()) check_text(schema, patterns, value, path, found);
    if (value.is_number()) check_number(schema, value, path, found);
    if (const json::array* list = value.if_array()) {
        check_size(schema, list->size(), "Items", path, found);
        if (says(schema, "uniqueItems") && has_repetition(*list))
            found.push_back(in_body(path, "", "shouldn't contain duplicates"));
    }
    if (const json::object* object = value.if_object())
        check_size(schema, object->size(), "Properties", path, found);
    const bool is_allowed_null = value.is_null() && says(schema, "nullable");
    if (!is_allowed_null) check_enum(schema, value, path, found);
    return found;
}

}  // namespace sluice::sim
