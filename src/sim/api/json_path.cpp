#include "sim/api/json_path.hpp"

#include <charconv>
#include <optional>
#include <string>

namespace sluice::sim {
namespace {

const json::value* member(const json::value& in, std::string_view name) {
    const json::object* object = in.if_object();
    return object ? object->if_contains(name) : nullptr;
}

const json::value* element(const json::value& in, std::string_view number) {
    const json::array* array = in.if_array();
    std::size_t index = 0;
    const auto [end, failed] = std::from_chars(number.data(), number.data() + number.size(), index);
    if (!array || failed != std::errc{} || end != number.data() + number.size()) return nullptr;
    return index < array->size() ? &(*array)[index] : nullptr;
}

std::optional<std::string_view> unquoted(std::string_view text) {
    if (text.size() < 2 || text.front() != text.back()) return std::nullopt;
    if (text.front() != '\'' && text.front() != '"') return std::nullopt;
    return text.substr(1, text.size() - 2);
}

// "?(@.type=="Ready")": the first element whose member has that text.
const json::value* filtered(const json::value& in, std::string_view filter) {
    const json::array* array = in.if_array();
    if (!array || !filter.starts_with("?(@.") || !filter.ends_with(')')) return nullptr;
    filter = filter.substr(4, filter.size() - 5);
    const std::size_t equals = filter.find("==");
    if (equals == filter.npos) return nullptr;
    const auto trimmed = [](std::string_view text) {
        while (text.starts_with(' '))
            text.remove_prefix(1);
        while (text.ends_with(' '))
            text.remove_suffix(1);
        return text;
    };
    const std::string_view name = trimmed(filter.substr(0, equals));
    const auto wanted = unquoted(trimmed(filter.substr(equals + 2)));
    if (!wanted) return nullptr;
    for (const json::value& entry : *array) {
        const json::value* has = member(entry, name);
        if (has && has->is_string() && std::string_view{has->get_string()} == *wanted)
            return &entry;
    }
    return nullptr;
}

const json::value* in_brackets(const json::value& in, std::string_view inner) {
    if (inner.starts_with('?')) return filtered(in, inner);
    if (const auto name = unquoted(inner)) return member(in, *name);
    return element(in, inner);
}

// A name up to the next "." or "["; a backslash takes the next character as it is.
std::string take_name(std::string_view& path) {
    std::string name;
    while (!path.empty() && path.front() != '.' && path.front() != '[') {
        if (path.front() == '\\' && path.size() > 1) path.remove_prefix(1);
        name += path.front();
        path.remove_prefix(1);
    }
    return name;
}

}  // namespace

const json::value* at_path(const json::object& in, std::string_view path) {
    const json::value* at = nullptr;
    bool is_first = true;
    while (!path.empty() && (at || is_first)) {
        if (path.front() == '[') {
            const std::size_t end = path.find(path.starts_with("[?") ? ")]" : "]");
            if (end == path.npos || is_first) return nullptr;
            const std::size_t close = path.find(']', end);
            at = in_brackets(*at, path.substr(1, close - 1));
            path.remove_prefix(close + 1);
            continue;
        }
        if (path.front() != '.') return nullptr;
        path.remove_prefix(1);
        const std::string name = take_name(path);
        if (name.empty()) return nullptr;
        at = is_first ? in.if_contains(name) : member(*at, name);
        is_first = false;
    }
    return at;
}

}  // namespace sluice::sim
