#include "sim/api/schema.hpp"

#include "sim/api/schema_parts.hpp"

namespace sluice::sim {
namespace {

// Every text that is called "pattern". One that stands in a default is never asked for.
void collect(const json::value& part, int levels, Patterns& patterns) {
    if (levels <= 0) return;
    if (const json::array* list = part.if_array())
        for (const json::value& entry : *list)
            collect(entry, levels - 1, patterns);
    const json::object* object = part.if_object();
    if (!object) return;
    for (const auto& [key, value] : *object) {
        collect(value, levels - 1, patterns);
        if (key != "pattern" || !value.is_string()) continue;
        const std::string_view text = value.get_string();
        if (patterns.contains(text)) continue;
        if (auto pattern = Pattern::compiled(text)) patterns.emplace(text, *std::move(pattern));
    }
}

}  // namespace

Schema::Schema(json::object openapi) : document(std::move(openapi)) {
    constexpr int levels_max = 2 * schema_depth_max;  // one schema lies two levels below another
    for (const auto& [key, value] : document)
        collect(value, levels_max, patterns);
}

const json::object* part_of(const json::object& schema, std::string_view key) {
    const json::value* value = schema.if_contains(key);
    return value ? value->if_object() : nullptr;
}

const json::object* property_of(const json::object& schema, std::string_view key) {
    const json::object* properties = part_of(schema, "properties");
    return properties ? part_of(*properties, key) : nullptr;
}

const json::object* schema_of_member(const json::object& schema, std::string_view key) {
    const json::object* property = property_of(schema, key);
    return property ? property : part_of(schema, "additionalProperties");
}

const json::array& list_in(const json::object& schema, std::string_view key) {
    static const json::array nothing;
    const json::value* value = schema.if_contains(key);
    return value && value->is_array() ? value->get_array() : nothing;
}

bool says(const json::object& schema, std::string_view key) {
    const json::value* value = schema.if_contains(key);
    return value && value->is_bool() && value->get_bool();
}

bool takes_any_member(const json::object& schema) {
    return part_of(schema, "additionalProperties") || says(schema, "additionalProperties");
}

bool is_meta_field(std::string_view key) {
    return key == "apiVersion" || key == "kind" || key == "metadata";
}

std::string child_path(const std::string& path, std::string_view key) {
    return path.empty() ? std::string{key} : path + "." + std::string{key};
}

}  // namespace sluice::sim
