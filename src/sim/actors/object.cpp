#include "sim/actors/object.hpp"

#include <algorithm>

namespace sluice::sim {

const json::object& child(const json::object& in, std::string_view key) {
    static const json::object nothing;
    const json::value* at = in.if_contains(key);
    return at && at->is_object() ? at->get_object() : nothing;
}

const json::array& children(const json::object& in, std::string_view key) {
    static const json::array nothing;
    const json::value* at = in.if_contains(key);
    return at && at->is_array() ? at->get_array() : nothing;
}

std::string_view text(const json::object& in, std::string_view key) {
    const json::value* at = in.if_contains(key);
    return at && at->is_string() ? std::string_view{at->get_string()} : std::string_view{};
}

bool is_text(const json::value& value, std::string_view expected) {
    return value.is_string() && std::string_view{value.get_string()} == expected;
}

bool contains(const json::array& in, const json::value& entry) {
    return std::ranges::find(in, entry) != in.end();
}

bool is_set(const json::object& in, std::string_view key) {
    const json::value* at = in.if_contains(key);
    return at && at->is_bool() && at->get_bool();
}

const json::object& metadata(const json::object& object) {
    return child(object, "metadata");
}

std::string_view name_of(const json::object& object) {
    return text(metadata(object), "name");
}

std::string_view uid_of(const json::object& object) {
    return text(metadata(object), "uid");
}

Key key_of(const json::object& object) {
    const json::object& meta = metadata(object);
    return {std::string{text(meta, "namespace")}, std::string{text(meta, "name")}};
}

bool has_finalizer(const json::object& object, std::string_view finalizer) {
    return std::ranges::any_of(children(metadata(object), "finalizers"),
                               [&](const json::value& entry) { return is_text(entry, finalizer); });
}

const json::object* controller_of(const json::object& object) {
    for (const json::value& entry : children(metadata(object), "ownerReferences"))
        if (entry.is_object() && is_set(entry.get_object(), "controller"))
            return &entry.get_object();
    return nullptr;
}

json::object controller_reference(const json::object& owner) {
    return {{"apiVersion", text(owner, "apiVersion")},
            {"kind", text(owner, "kind")},
            {"name", name_of(owner)},
            {"uid", uid_of(owner)},
            {"controller", true},
            {"blockOwnerDeletion", true}};
}

void add_owner(json::object& object, json::object reference) {
    json::value& owners = object_in(object, "/metadata")["ownerReferences"];
    if (!owners.is_array()) owners.emplace_array();
    owners.get_array().push_back(std::move(reference));
}

bool drop_owners(json::object& object, const std::function<bool(const json::object&)>& which) {
    json::object& meta = object_in(object, "/metadata");
    json::array kept;
    for (const json::value& entry : children(meta, "ownerReferences"))
        if (!which(entry.get_object())) kept.push_back(entry);
    if (kept.size() == children(meta, "ownerReferences").size()) return false;
    if (kept.empty())
        meta.erase("ownerReferences");
    else
        meta["ownerReferences"] = std::move(kept);
    return true;
}

void drop_finalizer(json::object& object, std::string_view finalizer) {
    json::object& meta = object_in(object, "/metadata");
    json::array kept;
    for (const json::value& entry : children(meta, "finalizers"))
        if (!is_text(entry, finalizer)) kept.push_back(entry);
    if (kept.empty())
        meta.erase("finalizers");
    else
        meta["finalizers"] = std::move(kept);
}

json::object with_status(const json::object& object, json::object status) {
    return {{"apiVersion", text(object, "apiVersion")},
            {"kind", text(object, "kind")},
            {"metadata", metadata(object)},
            {"status", std::move(status)}};
}

}  // namespace sluice::sim
