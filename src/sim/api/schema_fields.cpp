// What a schema does to the fields of an object: unknown ones go, missing ones get their default.
#include <algorithm>

#include "sim/api/schema.hpp"
#include "sim/api/schema_parts.hpp"

namespace sluice::sim {
namespace {

void prune(json::value& value, const json::object* schema, bool is_resource, int levels);

// Below a schema that preserves unknown fields, known ones are still pruned.
void prune_known(json::value& value, const json::object& schema, bool is_resource, int levels) {
    if (levels <= 0) return;
    if (json::array* array = value.if_array()) {
        const json::object* items = part_of(schema, "items");
        for (json::value& entry : *array)
            if (items)
                prune_known(entry, *items, says(*items, "x-kubernetes-embedded-resource"),
                            levels - 1);
        return;
    }
    json::object* object = value.if_object();
    if (!object) return;
    for (auto& member : *object) {
        if (is_resource && is_meta_field(member.key())) continue;
        if (property_of(schema, member.key()) || takes_any_member(schema))
            prune(member.value(), schema_of_member(schema, member.key()), false, levels - 1);
    }
}

void prune_object(json::object& object, const json::object& schema, bool is_resource, int levels) {
    json::object kept;
    kept.reserve(object.size());
    for (auto& member : object) {
        const bool is_meta = is_resource && is_meta_field(member.key());
        const bool is_known =
            property_of(schema, member.key()) != nullptr || takes_any_member(schema);
        if (!is_meta && !is_known) continue;
        if (!is_meta)
            prune(member.value(), schema_of_member(schema, member.key()), false, levels - 1);
        kept.emplace(member.key(), std::move(member.value()));
    }
    object = std::move(kept);
}

// `is_resource`: whether the value is an object of Kubernetes, whose own fields stay.
void prune(json::value& value, const json::object* schema, bool is_resource, int levels) {
    if (levels <= 0) return;
    is_resource = is_resource || (schema && says(*schema, "x-kubernetes-embedded-resource"));
    if (schema && says(*schema, "x-kubernetes-preserve-unknown-fields"))
        return prune_known(value, *schema, is_resource, levels);
    if (json::array* array = value.if_array()) {
        for (json::value& entry : *array)
            prune(entry, schema ? part_of(*schema, "items") : nullptr, false, levels - 1);
        return;
    }
    json::object* object = value.if_object();
    if (!object) return;
    if (!schema)
        object->clear();
    else
        prune_object(*object, *schema, is_resource, levels);
}

const json::value* default_of(const json::object* schema) {
    const json::value* value = schema ? schema->if_contains("default") : nullptr;
    return value && !value->is_null() ? value : nullptr;
}

// A null where the schema does not allow one stands for a field that is not there.
bool is_unwanted_null(const json::value& value, const json::object* schema) {
    return value.is_null() && schema && !says(*schema, "nullable");
}

void fill(json::value& value, const json::object& schema, int levels);

void fill_object(json::object& object, const json::object& schema, bool is_root, int levels) {
    json::object filled;
    filled.reserve(object.size());
    for (auto& member : object) {
        const json::object* known = schema_of_member(schema, member.key());
        if (is_unwanted_null(member.value(), known) && !default_of(known)) continue;
        filled.emplace(member.key(), std::move(member.value()));
    }
    if (const json::object* properties = part_of(schema, "properties")) {
        for (const auto& [key, property] : *properties) {
            const json::value* standard = default_of(property.if_object());
            if (!standard || (is_root && is_meta_field(key))) continue;
            json::value* current = filled.if_contains(key);
            if (!current || is_unwanted_null(*current, &property.get_object()))
                filled[key] = *standard;
        }
    }
    for (auto& member : filled) {
        const json::object* known = schema_of_member(schema, member.key());
        if (!known || (is_root && is_meta_field(member.key()))) continue;
        if (is_unwanted_null(member.value(), known)) member.value() = *default_of(known);
        fill(member.value(), *known, levels - 1);
    }
    object = std::move(filled);
}

void fill(json::value& value, const json::object& schema, int levels) {
    if (levels <= 0) return;
    if (json::object* object = value.if_object())
        return fill_object(*object, schema, false, levels);
    json::array* array = value.if_array();
    const json::object* items = part_of(schema, "items");
    if (!array || !items) return;
    for (json::value& entry : *array) {
        const json::value* standard = default_of(items);
        if (standard && is_unwanted_null(entry, items)) entry = *standard;
        fill(entry, *items, levels - 1);
    }
}

void collect_dropped(const json::value& all, const json::value& kept, const std::string& path,
                     std::vector<std::string>& paths) {
    if (const json::array* list = all.if_array(); list && kept.is_array()) {
        for (std::size_t i = 0; i < list->size() && i < kept.get_array().size(); ++i)
            collect_dropped((*list)[i], kept.get_array()[i], path + "[" + std::to_string(i) + "]",
                            paths);
        return;
    }
    const json::object* object = all.if_object();
    if (!object || !kept.is_object()) return;
    for (const auto& member : *object) {
        const std::string below = path + (path.empty() ? "" : ".") + std::string{member.key()};
        const json::value* same = kept.get_object().if_contains(member.key());
        if (same)
            collect_dropped(member.value(), *same, below, paths);
        else
            paths.push_back(below);
    }
}

}  // namespace

json::object pruned(const json::object& schema, json::object object) {
    json::value value = std::move(object);
    prune(value, &schema, true, schema_depth_max);
    return std::move(value.get_object());
}

std::vector<std::string> unknown_fields(const json::object& schema, const json::object& object) {
    std::vector<std::string> paths;
    collect_dropped(object, pruned(schema, object), {}, paths);
    std::ranges::sort(paths);
    return paths;
}

json::object with_defaults(const json::object& schema, json::object object) {
    fill_object(object, schema, true, schema_depth_max);
    return object;
}

}  // namespace sluice::sim
