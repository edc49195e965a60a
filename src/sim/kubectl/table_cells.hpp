// Small pieces that the columns of tables are made of: cells that read one place of an object.
#pragma once

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <string>

#include "sim/api/resource.hpp"
#include "sim/api/state.hpp"
#include "sim/kubectl/table.hpp"
#include "sim/kubectl/table_columns.hpp"

namespace sluice::sim::cell {

using Object = const json::object&;

inline json::value text(const std::string& value) {
    return json::value(value);
}

inline std::string or_else(const std::string& value, const char* otherwise) {
    return value.empty() ? otherwise : value;
}

inline const json::object& as_object(const json::value& value) {
    static const json::object nothing;
    return value.is_object() ? value.get_object() : nothing;
}

inline std::string joined(const json::array& list, std::string_view pointer = {}) {
    std::string line;
    for (const json::value& entry : list) {
        if (!line.empty()) line += ',';
        if (pointer.empty())
            line += entry.is_string() ? std::string{entry.get_string()} : json::serialize(entry);
        else
            line += text_at(as_object(entry), pointer);
    }
    return line;
}

// "a=b,c=d", in the order of the keys.
inline std::string labels(Object map) {
    std::map<std::string, std::string> sorted;
    for (const auto& [key, value] : map)
        sorted[key] = value.is_string() ? std::string{value.get_string()} : "";
    std::string line;
    for (const auto& [key, value] : sorted)
        line += fmt::format("{}{}={}", line.empty() ? "" : ",", key, value);
    return or_else(line, "<none>");
}

inline json::value name(Object object, Instant) {
    return text(text_at(object, "/metadata/name"));
}

inline json::value object_age(Object object, Instant now) {
    return text(age_since(text_at(object, "/metadata/creationTimestamp"), now));
}

// The cell of a text at a place that is known when this is compiled.
template <std::size_t N>
struct Pointer {
    constexpr Pointer(const char (&at)[N]) { std::copy_n(at, N, characters); }
    char characters[N];
};

template <Pointer at>
json::value text_cell(Object object, Instant) {
    return text(text_at(object, at.characters));
}

template <Pointer at>
json::value number_cell(Object object, Instant) {
    return number_at(object, at.characters);
}

template <Pointer at, Pointer otherwise = "<none>">
json::value text_or(Object object, Instant) {
    return text(or_else(text_at(object, at.characters), otherwise.characters));
}

template <Pointer at>
json::value labels_cell(Object object, Instant) {
    return text(labels(object_at(object, at.characters)));
}

template <Pointer list, Pointer at>
json::value joined_cell(Object object, Instant) {
    return text(joined(array_at(object, list.characters), at.characters));
}

inline constexpr Column name_column{"Name", name, 0, "string", "name"};
inline constexpr Column age_column{"Age", object_age};

}  // namespace sluice::sim::cell
