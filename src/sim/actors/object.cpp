#include "sim/actors/object.hpp"

#include <algorithm>

namespace sluice::sim {
namespace {

// Takes entries out of a list; one with nothing in it goes with them.
void drop(json::object& from, std::string_view key, const auto& which) {
    json::array kept;
    for (const json::value& entry : children(from, key))
        if (!which(entry)) kept.push_back(entry);
    if (kept.empty())
        from.erase(key);
    else
        from[key] = std::move(kept);
}

}  // namespace

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
    return contains(children(metadata(object), "finalizers"), json::value(finalizer));
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
    array_in(object, "/metadata/ownerReferences").push_back(std::move(reference));
}

void drop_owners(json::object& object, const std::function<bool(const json::object&)>& which) {
    drop(object_in(object, "/metadata"), "ownerReferences",
         [&](const json::value& entry) { return which(entry.get_object()); });
}

void drop_finalizer(json::object& object, std::string_view finalizer) {
    drop(object_in(object, "/metadata"), "finalizers",
         [&](const json::value& entry) { return entry == json::value(finalizer); });
}

json::object with_status(const json::object& object, json::object status) {
    return {{"apiVersion", text(object, "apiVersion")},
            {"kind", text(object, "kind")},
            {"metadata", metadata(object)},
            {"status", std::move(status)}};
}

}  // namespace sluice::sim
