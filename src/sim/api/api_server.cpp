#include "sim/api/api_server.hpp"

#include <fmt/format.h>

#include <ranges>

#include "sim/api/answers.hpp"
#include "sim/api/handling.hpp"
#include "sim/api/selectors.hpp"
#include "sim/api/writing.hpp"

namespace sluice::sim {
namespace {

ObjectPtr bookmark(const Watch& watch, std::uint64_t version, bool ends_initial) {
    json::object object{{"kind", "Bookmark"},
                        {"apiVersion", watch.api_version},
                        {"metadata", json::object{{"resourceVersion", std::to_string(version)}}}};
    if (ends_initial) set(object, "/metadata/annotations/k8s.io~1initial-events-end", "true");
    return std::make_shared<const Stored>(std::move(object));
}

bool is_selected(const Watch& watch, const ObjectPtr& object) {
    return object && matches_labels(object->object(), watch.label_selector).value_or(false) &&
           matches_fields(object->object(), watch.field_selector).value_or(false);
}

// Who leaves a selection is shown as it was when it still belonged to it.
ObjectPtr left(const Change& change) {
    json::object last = change.before->object();
    set(last, "/metadata/resourceVersion", std::to_string(change.version));
    return std::make_shared<const Stored>(std::move(last));
}

}  // namespace

ApiServer::ApiServer(std::uint64_t seed, bool tracks_fields)
    : dice_(seed), tracks_fields_(tracks_fields) {}

Response ApiServer::serve(const Request& request, Instant now) {
    return Handling{*this, request, now}.answer();
}

std::string ApiServer::next_uid() {
    const std::uint64_t high = dice_.roll();
    const std::uint64_t low = dice_.roll();
    return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", high >> 32, high >> 16 & 0xffff,
                       high & 0xfff, (low >> 48 & 0x3fff) | 0x8000, low & 0xffffffffffff);
}

std::string ApiServer::next_suffix() {
    constexpr std::string_view alphabet = "bcdfghjklmnpqrstvwxz2456789";
    std::string suffix;
    std::uint64_t random = dice_.roll();
    for (int i = 0; i < 5; ++i, random /= alphabet.size())
        suffix += alphabet[random % alphabet.size()];
    return suffix;
}

void ApiServer::learn_definition(const std::string& name) {
    if (const ObjectPtr found = find(custom_definitions, {}, name))
        custom_[name] = resources_of(found->object());
    else
        custom_.erase(name);
}

std::vector<const Resource*> ApiServer::resources() const {
    std::vector<const Resource*> all;
    for (const Resource& one : built_in_resources())
        all.push_back(&one);
    for (const Resource& one : custom_ | std::views::values | std::views::join)
        all.push_back(&one);
    return all;
}

const Resource* ApiServer::resource(const std::string& id) const {
    if (const Resource* found = built_in_resource(id)) return found;
    for (const Resource& one : custom_ | std::views::values | std::views::join)
        if (one.id() == id) return &one;
    return nullptr;
}

const Resource* ApiServer::resource_for(const json::object& object) const {
    const std::string version = text_at(object, "/apiVersion");
    const std::string kind = text_at(object, "/kind");
    if (const Resource* found = built_in_kind(version, kind)) return found;
    for (const Resource& one : custom_ | std::views::values | std::views::join)
        if (one.kind == kind && one.api_version() == version) return &one;
    return nullptr;
}

ObjectPtr ApiServer::find(const std::string& resource, const std::string& ns,
                          const std::string& name) const {
    return storage_.find({resource, ns, name});
}

std::vector<ObjectPtr> ApiServer::list(const std::string& resource, const std::string& ns) const {
    return storage_.list(resource, ns);
}

void ApiServer::on_change(std::function<void(const Change&)> listener) {
    storage_.listeners.push_back(std::move(listener));
}

Response ApiServer::create(json::object object, const std::string& user, Instant now) {
    const Resource* resource = resource_for(object);
    if (!resource) return no_such_path();
    const std::string ns = text_at(object, "/metadata/namespace");
    return Writing{*this, *resource, user, now}.create(ns, std::move(object));
}

Response ApiServer::update(json::object object, const std::string& user, Instant now,
                           const std::string& subresource) {
    const Resource* resource = resource_for(object);
    if (!resource) return no_such_path();
    const std::string name = text_at(object, "/metadata/name");
    const ObjectPtr before =
        storage_.find({storage_id(*resource), text_at(object, "/metadata/namespace"), name});
    if (!before) return not_found(*resource, name);
    return Writing{*this, *resource, user, now}.update(before, std::move(object), subresource);
}

Response ApiServer::remove(const std::string& id, const std::string& ns, const std::string& name,
                           const std::string& user, Instant now, const Deletion& how) {
    const Resource* found = resource(id);
    if (!found) return no_such_path();
    const ObjectPtr before = storage_.find({id, ns, name});
    if (!before) return not_found(*found, name);
    return Writing{*this, *found, user, now}.remove(before, how);
}

std::vector<WatchedEvent> ApiServer::watch_events(Watch& watch) const {
    std::vector<WatchedEvent> events = whole_events(watch);
    for (WatchedEvent& event : events)
        if (watch.as_metadata && event.type != "ERROR")
            event.object = std::make_shared<const Stored>(metadata_of(event.object->object()));
    return events;
}

std::vector<WatchedEvent> ApiServer::whole_events(Watch& watch) const {
    std::vector<WatchedEvent> events;
    if (watch.sends_initial) {
        for (const ObjectPtr& one : storage_.list(watch.resource, watch.ns))
            if (is_selected(watch, one)) events.push_back({"ADDED", one});
        watch.version = storage_.version();
        watch.sends_initial = false;
        if (watch.bookmarks) events.push_back({"BOOKMARK", bookmark(watch, watch.version, true)});
        return events;
    }
    if (storage_.is_compacted(watch.version)) {
        Response old = gone(
            fmt::format("too old resource version: {} ({})", watch.version, storage_.version()));
        return {{"ERROR", std::make_shared<const Stored>(old.body.get_object())}};
    }
    storage_.for_changes_after(watch.version, [&](const Change& change) {
        if (change.place.resource != watch.resource) return;
        if (!watch.ns.empty() && change.place.ns != watch.ns) return;
        const bool is_deleted = change.type == Change::Type::Deleted;
        const bool was = is_selected(watch, change.before);
        const bool is = !is_deleted && is_selected(watch, change.object);
        if (is) events.push_back({was ? "MODIFIED" : "ADDED", change.object});
        if (was && !is && is_deleted) events.push_back({"DELETED", change.object});
        if (was && !is && !is_deleted) events.push_back({"DELETED", left(change)});
    });
    watch.version = storage_.version();
    return events;
}

}  // namespace sluice::sim
