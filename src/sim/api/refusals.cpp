#include "sim/api/refusals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace sluice::sim {

std::unexpected<PatchRefused> bad_patch(std::string message) {
    return std::unexpected{PatchRefused{400, "BadRequest", std::move(message)}};
}

std::unexpected<PatchRefused> cannot_unmarshal(const json::value& value, std::string_view into) {
    return bad_patch(fmt::format("error decoding patch: json: cannot unmarshal {} into Go {}",
                                 go_type(value), into));
}

std::unexpected<PatchRefused> unprocessable() {
    return std::unexpected{PatchRefused{
        422, "Invalid", "the server rejected our request due to an error in our request"}};
}

std::unexpected<PatchRefused> internal_error(std::string message) {
    return std::unexpected{PatchRefused{500, "", std::move(message)}};
}

bool is_deeper(const json::object& object, int levels) {
    if (levels <= 0) return true;
    return std::ranges::any_of(
        object, [&](const auto& member) { return is_deeper(member.value(), levels - 1); });
}

bool is_deeper(const json::value& value, int levels) {
    if (const json::object* object = value.if_object()) return is_deeper(*object, levels);
    const json::array* array = value.if_array();
    if (!array) return false;
    if (levels <= 0) return true;
    return std::ranges::any_of(
        *array, [&](const json::value& entry) { return is_deeper(entry, levels - 1); });
}

std::optional<PatchRefused> too_deep(const json::object& document, const json::value& patch) {
    if (!is_deeper(patch, depth_max) && !is_deeper(document, depth_max)) return {};
    return bad_patch("exceeded max depth").error();
}

std::string_view go_type(const json::value& value) {
    switch (value.kind()) {
        case json::kind::null: return "null";
        case json::kind::bool_: return "bool";
        case json::kind::string: return "string";
        case json::kind::array: return "array";
        case json::kind::object: return "object";
        default: return "number";
    }
}

std::string go_text(const json::value& value) {
    if (const json::string* text = value.if_string()) return std::string{*text};
    if (value.is_null()) return "<nil>";
    std::string text;
    if (const json::array* array = value.if_array()) {
        for (const json::value& entry : *array)
            text += (text.empty() ? "" : " ") + go_text(entry);
        return "[" + text + "]";
    }
    const json::object* object = value.if_object();
    if (!object) return json::serialize(value);
    std::map<std::string_view, const json::value*> sorted;
    for (const auto& member : *object)
        sorted.emplace(member.key(), &member.value());
    for (const auto& [key, member] : sorted)
        text += (text.empty() ? "" : " ") + std::string{key} + ":" + go_text(*member);
    return "map[" + text + "]";
}

std::string quoted(std::string_view text) {
    return json::serialize(json::string_view{text.data(), text.size()});
}

}  // namespace sluice::sim
