#include "language/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cmath>
#include <ranges>

#include "base/assert.hpp"

namespace sluice::language {

namespace {

namespace json = boost::json;

template <class Values>
std::size_t deepest(const Values& values) {
    std::size_t depth = 0;
    for (const Value& value : values)
        depth = std::max(depth, value.depth());
    return depth;
}

std::string number_text(double number) {
    if (std::isnan(number)) return "NaN";
    if (std::isinf(number)) return number > 0 ? "+Inf" : "-Inf";
    return fmt::format("{}", number);
}

std::string quoted_text(const std::string& text) {
    return json::serialize(json::string(text));
}

Result<Value> value_of(const json::value& from, std::size_t depth);

Result<Value> array_of(const json::array& from, std::size_t depth) {
    Value::Array items;
    items.reserve(from.size());
    for (const json::value& entry : from) {
        Result<Value> item = value_of(entry, depth + 1);
        if (!item) return item;
        items.push_back(*std::move(item));
    }
    return Value(std::move(items));
}

Result<Value> map_of(const json::object& from, std::size_t depth) {
    Value::Map members;
    for (const auto& [key, entry] : from) {
        Result<Value> member = value_of(entry, depth + 1);
        if (!member) return member;
        members.insert_or_assign(std::string(key), *std::move(member));
    }
    return Value(std::move(members));
}

Result<Value> value_of(const json::value& from, std::size_t depth) {
    if (depth >= json_depth_max && from.is_structured()) {
        return failure(ErrorKind::TooLarge,
                       fmt::format("is nested deeper than {} levels", json_depth_max));
    }
    switch (from.kind()) {
        case json::kind::null: return Value();
        case json::kind::bool_: return Value(from.get_bool());
        case json::kind::int64: return Value(from.get_int64());
        case json::kind::uint64: return Value(static_cast<double>(from.get_uint64()));
        case json::kind::double_: return Value(from.get_double());
        case json::kind::string: return Value(std::string(from.get_string()));
        case json::kind::array: return array_of(from.get_array(), depth);
        case json::kind::object: return map_of(from.get_object(), depth);
    }
    return Value();
}

}  // namespace

Value::Value(std::string text) : held_(std::make_shared<const std::string>(std::move(text))) {}

Value::Value(Array items) {
    SLUICE_ASSERT(fits_in_value(items));
    const std::size_t depth = deepest(items) + 1;
    held_ = std::make_shared<const Items<Array>>(std::move(items), depth);
}

Value::Value(Map members) {
    SLUICE_ASSERT(fits_in_value(members));
    const std::size_t depth = deepest(members | std::views::values) + 1;
    held_ = std::make_shared<const Items<Map>>(std::move(members), depth);
}

const std::string* Value::if_text() const {
    const auto* text = std::get_if<Shared<std::string>>(&held_);
    return text ? text->get() : nullptr;
}

const Value::Array* Value::if_array() const {
    const auto* items = std::get_if<Shared<Items<Array>>>(&held_);
    return items ? &(*items)->of : nullptr;
}

const Value::Map* Value::if_map() const {
    const auto* items = std::get_if<Shared<Items<Map>>>(&held_);
    return items ? &(*items)->of : nullptr;
}

std::optional<double> Value::number() const {
    if (const std::int64_t* integer = if_integer()) return static_cast<double>(*integer);
    if (const double* number = if_float()) return *number;
    return std::nullopt;
}

std::size_t Value::depth() const {
    if (const auto* items = std::get_if<Shared<Items<Array>>>(&held_)) return (*items)->depth;
    if (const auto* items = std::get_if<Shared<Items<Map>>>(&held_)) return (*items)->depth;
    return 0;
}

bool fits_in_value(const Value::Array& items) {
    return deepest(items) < Value::depth_max;
}

bool fits_in_value(const Value::Map& members) {
    return deepest(members | std::views::values) < Value::depth_max;
}

std::string_view noun_of(const Value& value) {
    constexpr std::array nouns{"nil",      "a bool", "a number", "a number",  "a string",
                               "an array", "a map",  "a time",   "a duration"};
    return nouns[static_cast<std::size_t>(value.kind())];
}

std::size_t weight(const Value& value, std::size_t most) {
    std::size_t sum = 1;
    if (const std::string* text = value.if_text()) sum += text->size();
    if (const Value::Array* items = value.if_array()) {
        for (std::size_t i = 0; i < items->size() && sum <= most; ++i)
            sum += weight((*items)[i], most - sum);
    }
    if (const Value::Map* members = value.if_map()) {
        for (auto at = members->begin(); at != members->end() && sum <= most; ++at) {
            sum += at->first.size();
            if (sum <= most) sum += weight(at->second, most - sum);
        }
    }
    return sum;
}

std::string to_text(const Value& value) {
    if (value.is_nil()) return "null";
    if (const bool* truth = value.if_bool()) return *truth ? "true" : "false";
    if (const std::int64_t* integer = value.if_integer()) return std::to_string(*integer);
    if (const auto number = value.number()) return number_text(*number);
    if (const std::string* text = value.if_text()) return quoted_text(*text);
    if (const GoTime* time = value.if_time()) return quoted_text(to_rfc3339(*time));
    if (const auto* duration = value.if_duration()) return quoted_text(to_go_text(*duration));
    std::string out;
    if (const Value::Array* items = value.if_array()) {
        for (const Value& item : *items)
            out += (out.empty() ? "" : ",") + to_text(item);
        return "[" + out + "]";
    }
    for (const auto& [key, member] : *value.if_map())
        out += (out.empty() ? "" : ",") + quoted_text(key) + ":" + to_text(member);
    return "{" + out + "}";
}

Result<Value> to_value(const json::value& from) {
    return value_of(from, 0);
}

}  // namespace sluice::language
