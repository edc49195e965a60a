// Server-side apply: the merge of what a manager applies, and what it has to answer for.
#include <fmt/format.h>
#include <algorithm>
#include <unordered_map>

#include "sim/api/field_walk.hpp"
#include "sim/api/list_order.hpp"
#include "sim/api/managed_fields.hpp"
#include "sim/api/refusals.hpp"

namespace sluice::sim {
namespace {

using Checked = std::optional<std::string>;

// Whether every entry of a keyed list has its keys, and no two the same; else what is wrong.
Checked fault_of(const json::value& value, const Texture& texture, const std::string& path);

Checked fault_of_object(const json::object& object, const Shape* shape, const std::string& path) {
    for (const auto& [key, value] : object)
        if (auto fault =
                fault_of(value, texture_of(field_of(shape, key)), path + "." + std::string{key}))
            return fault;
    return {};
}

std::string missing_key(const json::value& entry, std::string_view keys) {
    const json::object* object = entry.if_object();
    if (keys == "*" || !object) return "not an entry of this list";
    std::string key{keys.substr(0, keys.find(','))};
    if (object->contains(key)) key = keys.substr(keys.find(',') + 1);
    return "associative list with keys has an element that omits key field " + quoted(key) +
           " (and doesn't have default value)";
}

Checked fault_of(const json::value& value, const Texture& texture, const std::string& path) {
    if (texture.is_whole) return {};
    if (const json::object* object = value.if_object())
        return fault_of_object(*object, texture.shape, path);
    const json::array* list = value.if_array();
    if (!list || texture.keys.empty()) return {};
    std::unordered_map<std::string, const json::value*> seen;
    for (std::size_t i = 0; i < list->size(); ++i) {
        const json::value& entry = (*list)[i];
        const auto name = entry_name(entry, texture.keys);
        if (!name)
            return path + ": element " + std::to_string(i) + ": " +
                   missing_key(entry, texture.keys);
        const std::string step = path_step(*name);
        if (!seen.emplace(*name, &entry).second)
            return fmt::format("{}: duplicate entries for key {}", path, step);
        if (auto fault = fault_of(entry, entry_texture(texture), path + step)) return fault;
    }
    return {};
}

json::value merged(const json::value* live, const json::value& applied, const Texture& texture);

json::object merged_objects(json::object live, const json::object& applied, const Shape* shape) {
    for (const auto& [key, value] : applied) {
        if (value.is_null()) {
            erase_member(live, key);
            continue;
        }
        json::value result = merged(live.if_contains(key), value, texture_of(field_of(shape, key)));
        live[key] = std::move(result);
    }
    return live;
}

struct Named {
    std::string name;
    const json::value* value;
};

std::vector<Named> named_entries(const json::array& list, std::string_view keys) {
    std::vector<Named> entries;
    for (const json::value& entry : list)
        if (auto name = entry_name(entry, keys)) entries.push_back({std::move(*name), &entry});
    return entries;
}

// Where each entry stands first.
std::unordered_map<std::string_view, std::size_t> index_of(const std::vector<Named>& entries) {
    std::unordered_map<std::string_view, std::size_t> index;
    for (std::size_t i = 0; i < entries.size(); ++i)
        index.try_emplace(entries[i].name, i);
    return index;
}

// What is applied keeps its order among itself; what only the live list has stays before the entry
// that it stood before.
json::array merged_lists(const json::array& live, const json::array& applied,
                         const Texture& texture) {
    const std::vector<Named> theirs = named_entries(live, texture.keys);
    const std::vector<Named> ours = named_entries(applied, texture.keys);
    const auto their_places = index_of(theirs);
    const auto our_places = index_of(ours);
    const Texture each = entry_texture(texture);
    json::array result;
    std::size_t next = 0;
    const auto take_foreign = [&](std::size_t end) {
        for (; next < end; ++next)
            if (!our_places.contains(theirs[next].name)) result.push_back(*theirs[next].value);
    };
    for (const Named& our : ours) {
        while (next < theirs.size() && !our_places.contains(theirs[next].name))
            result.push_back(*theirs[next++].value);
        const auto match = their_places.find(our.name);
        const bool is_new = match == their_places.end();
        if (!is_new) take_foreign(std::max(next, match->second));
        result.push_back(merged(is_new ? nullptr : theirs[match->second].value, *our.value, each));
    }
    take_foreign(theirs.size());
    return result;
}

json::value merged(const json::value* live, const json::value& applied, const Texture& texture) {
    if (texture.is_whole) return applied;
    if (const json::object* object = applied.if_object()) {
        const bool has_fields = live && live->is_object();
        return merged_objects(has_fields ? live->get_object() : json::object{}, *object,
                              texture.shape);
    }
    if (applied.is_array() && !texture.keys.empty()) {
        const bool has_entries = live && live->is_array();
        return merged_lists(has_entries ? live->get_array() : json::array{}, applied.get_array(),
                            texture);
    }
    return applied;
}

std::string described(const ManagedEntry& entry) {
    std::string text = quoted(entry.manager);
    if (!entry.subresource.empty()) text += " with subresource " + quoted(entry.subresource);
    return entry.applies ? text : text + " using " + entry.api_version;
}

struct Conflict {
    std::string manager;
    std::string path;
};

std::unexpected<PatchRefused> conflict(const std::vector<Conflict>& conflicts) {
    PatchRefused refused{409, "Conflict", ""};
    for (const auto& [manager, path] : conflicts)
        refused.causes.push_back(json::object{{"reason", "FieldManagerConflict"},
                                              {"message", "conflict with " + manager},
                                              {"field", path}});
    if (conflicts.size() == 1) {
        refused.message = "Apply failed with 1 conflict: conflict with " +
                          conflicts.front().manager + ": " + conflicts.front().path;
        return std::unexpected{std::move(refused)};
    }
    refused.message = "Apply failed with " + std::to_string(conflicts.size()) + " conflicts: ";
    std::string_view last;
    for (const auto& [manager, path] : conflicts) {
        if (manager != last)
            refused.message += (last.empty() ? "" : "\n") + ("conflicts with " + manager) + ":";
        refused.message += "\n- " + path;
        last = manager;
    }
    return std::unexpected{std::move(refused)};
}

// Who owned what before: an object that nobody's writes were counted of belongs to nobody's name.
std::vector<ManagedEntry> owners_of(const json::object& live, const Apply& apply) {
    auto entries = managed_entries(live);
    if (!entries.empty() || live.empty()) return entries;
    const Apply first{.manager = "before-first-apply", .at = apply.at};
    return after_update({}, difference_of({}, live).written, {}, text_at(live, "/apiVersion"),
                        first);
}

std::vector<Conflict> conflicts_of(const std::vector<ManagedEntry>& others,
                                   const FieldSet& written) {
    std::vector<Conflict> conflicts;
    for (const ManagedEntry& entry : others)
        for (std::string& path : common_paths(sorted(entry.fields), written))
            conflicts.push_back({described(entry), std::move(path)});
    std::ranges::sort(conflicts, {}, &Conflict::manager);
    return conflicts;
}

}  // namespace

Patched server_side_apply(const json::object& live, const json::object& applied,
                          const Apply& apply) {
    if (auto refused = too_deep(live, applied)) return std::unexpected{*refused};
    const json::value* sent = find(applied, "/metadata/managedFields");
    if (sent && !sent->is_null()) return bad_patch("metadata.managedFields must be nil");
    const Shape& shape = shape_of(applied);
    const std::string api_version = text_at(applied, "/apiVersion");
    if (auto fault = fault_of_object(applied, &shape, ""))
        return internal_error("failed to create typed patch object (" +
                              text_at(applied, "/metadata/namespace") + "/" +
                              text_at(applied, "/metadata/name") + "; " + api_version +
                              ", Kind=" + text_at(applied, "/kind") + "): " + *fault);

    auto others = owners_of(live, apply);
    ManagedEntry own{apply.manager, true, api_version, {}, {}, apply.subresource};
    const auto is_own = [&](const ManagedEntry& entry) {
        return entry.applies && entry.manager == own.manager &&
               entry.subresource == own.subresource;
    };
    const auto last = std::ranges::find_if(others, is_own);
    const ManagedEntry before = last == others.end() ? ManagedEntry{} : *last;
    std::erase_if(others, is_own);
    own.fields = fields_of(applied);

    json::object result = merged_objects(live, applied, &shape);
    FieldSet kept = own.fields;
    for (const ManagedEntry& entry : others)
        if (entry.applies) kept = united(std::move(kept), entry.fields);
    prune(result, before.fields, kept);

    const Difference difference = difference_of(live, result);
    const auto conflicts = conflicts_of(others, difference.written);
    if (!conflicts.empty() && !apply.force) return conflict(conflicts);
    for (ManagedEntry& entry : others)
        entry.fields =
            without(without(std::move(entry.fields), difference.written), difference.removed);
    std::erase_if(others, [](const ManagedEntry& entry) { return entry.fields.empty(); });

    own.time = difference.empty() ? before.time : to_rfc3339(apply.at);
    if (!own.fields.empty()) others.push_back(std::move(own));
    set_managed_entries(result, std::move(others));
    return result;
}

}  // namespace sluice::sim
