// The strategic merge patch. Lists that have a key are merged entry by entry; what the patch names
// comes in the patch's order, what only the server has keeps its own.
#include <string_view>

#include "sim/api/list_order.hpp"
#include "sim/api/refusals.hpp"
#include "sim/api/shapes.hpp"

namespace sluice::sim {
namespace {

constexpr std::string_view directive = "$patch";
constexpr std::string_view retain_keys = "$retainKeys";
constexpr std::string_view delete_prefix = "$deleteFromPrimitiveList";
constexpr std::string_view order_prefix = "$setElementOrder";

using Merged = std::expected<json::object, PatchRefused>;
using List = std::expected<json::array, PatchRefused>;
using Done = std::expected<void, PatchRefused>;

bool is_directive(std::string_view key) {
    return key == directive || key == retain_keys || key.starts_with(delete_prefix) ||
           key.starts_with(order_prefix);
}

// The list that "$setElementOrder/containers" is about.
std::string list_of(std::string_view key, std::string_view prefix) {
    if (key.size() <= prefix.size() || key[prefix.size()] != '/') return {};
    return std::string{key.substr(prefix.size() + 1)};
}

// A value that comes new into the document: directives in it have nothing to be about.
json::value plain(const json::value& value) {
    if (const json::array* array = value.if_array()) {
        json::array kept;
        for (const json::value& entry : *array) {
            const json::object* object = entry.if_object();
            if (!object || !object->contains(directive)) kept.push_back(plain(entry));
        }
        return kept;
    }
    const json::object* object = value.if_object();
    if (!object) return value;
    json::object kept;
    for (const auto& [key, member] : *object)
        if (!member.is_null() && !is_directive(key)) kept.emplace(key, plain(member));
    return kept;
}

bool is_same_type(const json::value& left, const json::value& right) {
    return left.kind() == right.kind() || (left.is_number() && right.is_number());
}

std::unexpected<PatchRefused> no_merge_key(const json::value& entry, std::string_view key) {
    return internal_error("map: " + go_text(entry) +
                          " does not contain declared merge key: " + std::string{key});
}

std::unexpected<PatchRefused> unknown_patch_type(const json::value& type,
                                                 const json::value& entry) {
    return internal_error("unknown patch type: " + go_text(type) + " in map: " + go_text(entry));
}

// All entries of both lists are objects, or all are plain values of one type.
Done have_one_type(const json::array& left, const json::array& right) {
    const json::value* first = nullptr;
    for (const json::array* list : {&left, &right}) {
        for (const json::value& entry : *list) {
            if (entry.is_array()) return unprocessable();
            if (first && !is_same_type(*first, entry))
                return internal_error("list element types are not identical");
            first = &entry;
        }
    }
    return {};
}

Merged merge(json::object original, const json::object& patch, const Shape* shape);

// Takes the entries with a directive out of the patch, and does what they say to the original.
Done obey_entries(json::array& original, json::array& patch, std::string_view key) {
    json::array ordinary;
    std::unordered_set<std::string> deleted;
    bool replaces = false;
    for (const json::value& entry : patch) {
        const json::value* type = entry.get_object().if_contains(directive);
        if (!type) {
            ordinary.push_back(entry);
        } else if (*type == "delete") {
            const auto identity = identity_of(entry, key);
            if (!identity) return no_merge_key(entry, key);
            deleted.insert(*identity);
        } else if (*type == "replace") {
            replaces = true;
        } else {
            return unknown_patch_type(*type, entry);
        }
    }
    erase_entries(original, [&](const json::value& entry) {
        const auto identity = identity_of(entry, key);
        return identity && deleted.contains(*identity);
    });
    if (replaces) original = plain(std::exchange(ordinary, {})).get_array();
    patch = std::move(ordinary);
    return {};
}

List merge_objects(json::array original, json::array patch, const Field& field) {
    const std::string_view key = field.merge_key;
    if (auto done = obey_entries(original, patch, key); !done) return std::unexpected{done.error()};
    json::array merged = original;
    Places places = places_of(merged, key);
    for (const json::value& entry : patch) {
        const auto identity = identity_of(entry, key);
        if (!identity) return no_merge_key(entry, key);
        const auto [at, is_new] = places.try_emplace(*identity, merged.size());
        if (is_new) {
            merged.push_back(plain(entry));
            continue;
        }
        json::value& current = merged[at->second];
        auto changed = merge(std::move(current.get_object()), entry.get_object(), field.shape);
        if (!changed) return std::unexpected{changed.error()};
        // Whatever the patch made of the entry, it stays the one with this key.
        current = std::move(*changed);
    }
    return in_order(std::move(merged), patch, original, key);
}

List merge_lists(const json::array& original, const json::array& patch, const Field* field) {
    if (!field || field->merge_key.empty()) return plain(patch).get_array();
    if (original.empty() && patch.empty()) return original;
    if (auto done = have_one_type(original, patch); !done) return std::unexpected{done.error()};
    const bool has_objects = (original.empty() ? patch : original).front().is_object();
    if (has_objects != (field->merge_key != "*"))
        return internal_error("expected a map[string]interface {}, but received a " +
                              std::string{go_type((original.empty() ? patch : original).front())});
    if (has_objects) return merge_objects(original, patch, *field);
    json::array both = original;
    both.insert(both.end(), patch.begin(), patch.end());
    return in_order(without_repetition(std::move(both)), patch, original, {});
}

// The entries that the patch names come in the order that its $setElementOrder asks for.
Done follow_order(const json::array& patch, const json::array& order, std::string_view key) {
    std::size_t next = 0;
    for (const json::value& entry : patch) {
        const json::object* object = entry.if_object();
        if (object && object->contains(directive)) continue;
        const auto identity = identity_of(entry, key);
        while (next < order.size() && identity_of(order[next], key) != identity)
            ++next;
        if (next++ == order.size())
            return internal_error("The order in patch list:\n" + go_text(patch) +
                                  "\n doesn't match $setElementOrder list:\n" + go_text(order) +
                                  "\n");
    }
    return {};
}

// What "$setElementOrder/containers" and the patch of that list make of it together.
Done merge_ordered(json::object& original, json::object& patch, const Shape* shape,
                   std::string_view directive_key, const json::value& wanted) {
    const std::string name = list_of(directive_key, order_prefix);
    if (name.empty() || !wanted.is_array())
        return bad_patch("invalid patch format of setElementOrder list");
    const json::array& order = wanted.get_array();
    const json::value* theirs = original.if_contains(name);
    const json::value* ours = patch.if_contains(name);
    if (!theirs && !ours) return {};
    if ((theirs && !theirs->is_array()) || (ours && !ours->is_array()))
        return internal_error("expected a []interface {}, but received a map[string]interface {}");

    const Field* field = field_of(shape, name);
    const bool is_keyed = field && !field->merge_key.empty() && field->merge_key != "*";
    const std::string_view key = is_keyed ? field->merge_key : std::string_view{};
    const json::array live = theirs ? theirs->get_array() : json::array{};
    const json::array asked = ours ? ours->get_array() : json::array{};
    if (auto done = follow_order(asked, order, key); !done) return done;
    auto merged = ours ? merge_lists(live, asked, field) : List{live};
    if (!merged) return std::unexpected{merged.error()};
    original[name] = in_order(std::move(*merged), order, live, key);
    patch.erase(name);
    return {};
}

Done retain(json::object& original, const json::object& patch, const json::value& kept) {
    if (!kept.is_array()) return bad_patch("invalid patch format of retainKeys");
    const Places names = places_of(kept.get_array(), {});
    const auto is_kept = [&](std::string_view key) { return names.contains(quoted(key)); };
    for (const auto& [key, value] : patch)
        if (!value.is_null() && !is_directive(key) && !is_kept(key))
            return bad_patch("invalid patch format of retainKeys");
    json::object left;
    for (const auto& [key, value] : original)
        if (is_kept(key)) left.emplace(key, value);
    original = std::move(left);
    return {};
}

Done merge_member(json::object& original, std::string_view key, const json::value& wanted,
                  const Shape* shape) {
    json::value* current = original.if_contains(key);
    if (wanted.is_null()) {
        erase_member(original, key);
        return {};
    }
    const Field* field = field_of(shape, key);
    const bool is_replaced = !current || current->kind() != wanted.kind() ||
                             !wanted.is_structured() || (field && field->is_replaced);
    if (is_replaced) {
        original[key] = plain(wanted);
        return {};
    }
    const auto put = [&](auto merged) -> Done {
        if (!merged) return std::unexpected{merged.error()};
        *current = std::move(*merged);
        return {};
    };
    if (json::array* list = current->if_array())
        return put(merge_lists(*list, wanted.get_array(), field));
    return put(merge(std::move(current->get_object()), wanted.get_object(),
                     field ? field->shape : nullptr));
}

Done delete_from(json::object& original, std::string_view key, const json::value& unwanted) {
    const std::string name = list_of(key, delete_prefix);
    if (name.empty()) return bad_patch("invalid patch format of primitive list");
    json::value* current = original.if_contains(name);
    if (unwanted.is_null()) {
        erase_member(original, name);
        return {};
    }
    if (!current || !current->is_array() || !unwanted.is_array()) return {};
    const Places gone = places_of(unwanted.get_array(), {});
    erase_entries(current->get_array(),
                  [&](const json::value& entry) { return gone.contains(*identity_of(entry, {})); });
    return {};
}

Merged merge(json::object original, const json::object& wanted, const Shape* shape) {
    if (const json::value* type = wanted.if_contains(directive)) {
        if (*type == "replace") return plain(wanted).get_object();
        if (*type == "delete") return json::object{};
        return unknown_patch_type(*type, wanted);
    }
    if (const json::value* kept = wanted.if_contains(retain_keys))
        if (auto done = retain(original, wanted, *kept); !done)
            return std::unexpected{done.error()};
    json::object patch = wanted;
    patch.erase(retain_keys);
    for (const auto& [key, value] : wanted) {
        if (!key.starts_with(order_prefix)) continue;
        if (auto done = merge_ordered(original, patch, shape, key, value); !done)
            return std::unexpected{done.error()};
        patch.erase(key);
    }
    for (const auto& [key, value] : patch) {
        auto done = key.starts_with(delete_prefix) ? delete_from(original, key, value)
                                                   : merge_member(original, key, value, shape);
        if (!done) return std::unexpected{done.error()};
    }
    return original;
}

}  // namespace

Patched strategic_merge_patch(const json::object& document, const json::value& patch) {
    if (auto refused = too_deep(document, patch)) return std::unexpected{*refused};
    const json::object* wanted = patch.if_object();
    if (!wanted)
        return bad_patch("json: cannot unmarshal " + std::string{go_type(patch)} +
                         " into Go value of type map[string]interface {}");
    return merge(document, *wanted, &shape_of(document));
}

}  // namespace sluice::sim
