#include "sim/api/field_walk.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "sim/api/list_order.hpp"
#include "sim/api/split.hpp"

namespace sluice::sim {
namespace {

// How deep a walk is, as far as it matters to which fields are tracked.
enum class Level { Document, Metadata, Inside };

bool is_tracked(Level level, std::string_view key) {
    static constexpr std::array<std::string_view, 11> metadata = {
        "name",
        "namespace",
        "uid",
        "resourceVersion",
        "generation",
        "selfLink",
        "clusterName",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "managedFields",
    };
    if (level == Level::Document) return key != "apiVersion" && key != "kind";
    return level == Level::Inside || std::ranges::find(metadata, key) == metadata.end();
}

Level below(Level level, std::string_view key) {
    return level == Level::Document && key == "metadata" ? Level::Metadata : Level::Inside;
}

std::string field_name(std::string_view key) {
    return "f:" + std::string{key};
}

const json::object nothing;
const json::value no_fields = json::object{};
const json::value no_value;

// An object that is merged field by field; null reads as one without fields.
bool is_like_object(const json::value* value) {
    return !value || value->is_null() || value->is_object();
}
bool is_like_array(const json::value* value) {
    return !value || value->is_null() || value->is_array();
}
const json::object& object_or_nothing(const json::value* value) {
    return value && value->is_object() ? value->get_object() : nothing;
}

// The entries of a list by name. Nothing if one of them has none: such a list is one piece.
using Entries = std::unordered_map<std::string, const json::value*>;
std::optional<Entries> entries_of(const json::value* list, std::string_view keys) {
    Entries entries;
    if (!list || !list->is_array()) return entries;
    for (const json::value& entry : list->get_array()) {
        auto name = entry_name(entry, keys);
        if (!name) return {};
        entries.try_emplace(std::move(*name), &entry);
    }
    return entries;
}

// What became of one value: of the value itself, and of what is in it.
struct Outcome {
    Difference inside = {};
    bool is_written = false;
    bool is_removed = false;
};

Outcome compare(const json::value* before, const json::value* after, const Texture& texture,
                Level level);

void note(Difference& all, const std::string& name, Outcome outcome) {
    enter(all.written, name, std::move(outcome.inside.written), outcome.is_written);
    enter(all.removed, name, std::move(outcome.inside.removed), outcome.is_removed);
}

bool is_nothing(const Outcome& outcome) {
    return outcome.inside.empty() && !outcome.is_written && !outcome.is_removed;
}

void compare_field(const json::value* before, const json::value* after, const Field* field,
                   std::string_view key, Level level, Difference& all) {
    Outcome outcome = compare(before, after, texture_of(field), below(level, key));
    if (!is_nothing(outcome)) note(all, field_name(key), std::move(outcome));
}

// `exists`: whether there was an object at all, and with it the structs that are always there.
Difference compare_objects(const json::object& before, const json::object& after, bool exists,
                           const Shape* shape, Level level) {
    Difference all;
    for (const auto& [key, value] : after) {
        if (!is_tracked(level, key)) continue;
        const Field* field = field_of(shape, key);
        const json::value* old = before.if_contains(key);
        if (!old && exists && field && field->is_always_there)
            old = value.is_object() ? &no_fields : &no_value;
        compare_field(old, &value, field, key, level, all);
    }
    for (const auto& [key, value] : before)
        if (is_tracked(level, key) && !after.contains(key))
            compare_field(&value, nullptr, field_of(shape, key), key, level, all);
    return all;
}

Difference compare_entries(const Entries& before, const Entries& after, const Texture& texture) {
    Difference all;
    const auto old_of = [&](const std::string& name, const Entries& in) {
        const auto at = in.find(name);
        return at == in.end() ? nullptr : at->second;
    };
    for (const auto& [name, value] : after) {
        Outcome outcome = compare(old_of(name, before), value, texture, Level::Inside);
        if (!is_nothing(outcome)) note(all, name, std::move(outcome));
    }
    for (const auto& [name, value] : before)
        if (!after.contains(name)) note(all, name, compare(value, nullptr, texture, Level::Inside));
    return all;
}

Outcome compare_leaves(const json::value* before, const json::value* after) {
    if (!after) return {.is_removed = true};
    return {.is_written = !before || !same(*before, *after)};
}

Outcome compare(const json::value* before, const json::value* after, const Texture& texture,
                Level level) {
    if (!texture.is_whole && is_like_object(before) && is_like_object(after)) {
        const json::object& old = object_or_nothing(before);
        const json::object& fresh = object_or_nothing(after);
        if (!old.empty() || !fresh.empty())
            return {compare_objects(old, fresh, before != nullptr, texture.shape, level), !before,
                    !after};
    }
    if (!texture.keys.empty() && is_like_array(before) && is_like_array(after)) {
        if (before && after && same(*before, *after)) return {};
        const auto old = entries_of(before, texture.keys);
        const auto fresh = entries_of(after, texture.keys);
        if (old && fresh && (!old->empty() || !fresh->empty()))
            return {compare_entries(*old, *fresh, entry_texture(texture)), !before, !after};
    }
    return compare_leaves(before, after);
}

FieldSet fields_in(const json::object& object, const Shape* shape, Level level);

// Enters one value: the fields below it, or the value as a field of its own.
void enter_fields(FieldSet& set, const std::string& name, const json::value& value,
                  const Texture& texture, Level level) {
    const json::object* object = value.if_object();
    if (object && !object->empty() && !texture.is_whole)
        return enter(set, name, fields_in(*object, texture.shape, level), false);
    const auto entries =
        value.is_array() ? entries_of(&value, texture.keys) : std::optional<Entries>{};
    if (texture.keys.empty() || !entries) return enter(set, name, {}, true);
    FieldSet inside;
    const Texture each = entry_texture(texture);
    for (const auto& [entry, content] : *entries) {
        const bool has_fields = content->is_object() && !each.is_whole;
        FieldSet fields =
            has_fields ? fields_in(content->get_object(), each.shape, Level::Inside) : FieldSet{};
        enter(inside, entry, std::move(fields), true);
    }
    enter(set, name, std::move(inside), false);
}

FieldSet fields_in(const json::object& object, const Shape* shape, Level level) {
    FieldSet set;
    for (const auto& [key, value] : object)
        if (is_tracked(level, key))
            enter_fields(set, field_name(key), value, texture_of(field_of(shape, key)),
                         below(level, key));
    return set;
}

const FieldSet* node_at(const FieldSet* set, std::string_view name) {
    const json::value* node = set ? set->if_contains(name) : nullptr;
    return node ? node->if_object() : nullptr;
}

bool is_empty(const json::value& value) {
    if (const json::object* object = value.if_object()) return object->empty();
    return value.is_array() && value.get_array().empty();
}

void prune_value(json::value& value, const FieldSet& last, const FieldSet* kept,
                 const Texture& texture);

// Whether the value is to go; if not, what is in it may still have to.
bool is_pruned(json::value& value, const FieldSet& last, const FieldSet* kept,
               const Texture& texture) {
    if (is_member(last) && !kept) return true;
    if (is_empty(value)) return false;
    prune_value(value, last, kept, texture);
    return is_empty(value) && !(kept && is_member(*kept));
}

void prune_object(json::object& object, const FieldSet& last, const FieldSet* kept,
                  const Shape* shape) {
    for (const auto& [name, node] : last) {
        const std::string_view key =
            std::string_view{name}.substr(std::min<std::size_t>(2, name.size()));
        json::value* value = name.starts_with("f:") ? object.if_contains(key) : nullptr;
        if (value && is_pruned(*value, node.get_object(), node_at(kept, name),
                               texture_of(field_of(shape, key))))
            erase_member(object, key);
    }
}

void prune_value(json::value& value, const FieldSet& last, const FieldSet* kept,
                 const Texture& texture) {
    if (json::object* object = value.if_object())
        return prune_object(*object, last, kept, texture.shape);
    json::array* list = value.if_array();
    if (!list || texture.keys.empty()) return;
    erase_entries(*list, [&](json::value& entry) {
        const auto name = entry_name(entry, texture.keys);
        const FieldSet* node = name ? node_at(&last, *name) : nullptr;
        return node && is_pruned(entry, *node, node_at(kept, *name), entry_texture(texture));
    });
}

}  // namespace

Texture texture_of(const Field* field) {
    if (!field) return {};
    return {field->shape, field->apply_keys, field->is_whole};
}

Texture entry_texture(const Texture& list) {
    return {list.shape, {}, list.shape && list.shape->is_whole};
}

std::optional<std::string> entry_name(const json::value& entry, std::string_view keys) {
    if (keys == "*") {
        if (entry.is_structured()) return {};
        return "v:" + json::serialize(entry);
    }
    const json::object* object = entry.if_object();
    if (!object) return {};
    std::string name;
    for (const std::string_view key : parts_of(keys, ',')) {
        const json::value* found = object->if_contains(key);
        const json::value value = found ? *found : default_of_key(key);
        if (value.is_null() || value.is_structured()) return {};
        name += (name.empty() ? "\"" : ",\"") + std::string{key} + "\":" + json::serialize(value);
    }
    return "k:{" + name + "}";
}

FieldSet fields_of(const json::object& document) {
    return fields_in(document, &shape_of(document), Level::Document);
}

Difference difference_of(const json::object& before, const json::object& after) {
    return compare_objects(before, after, true, &shape_of(after), Level::Document);
}

void prune(json::object& document, const FieldSet& last, const FieldSet& kept) {
    prune_object(document, last, &kept, &shape_of(document));
}

}  // namespace sluice::sim
