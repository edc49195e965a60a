#include "sim/actors/owner_index.hpp"

namespace sluice::sim {
namespace {

bool can_be_adopted(const Place& place) {
    return place.resource == "pods" || place.resource == "controllerrevisions.apps";
}

}  // namespace

void OwnerIndex::on_change(const Change& change) {
    const json::object& after = change.object->object();
    if (change.type == Change::Type::Deleted) {
        leave(change.place, change.before->object());
        return;
    }
    if (change.before) {
        const json::object& before = change.before->object();
        const bool has_same_owners = children(metadata(before), "ownerReferences") ==
                                     children(metadata(after), "ownerReferences");
        if (has_same_owners && uid_of(before) == uid_of(after)) return;
        leave(change.place, before);
    }
    enter(change.place, after);
}

void OwnerIndex::enter(const Place& place, const json::object& object) {
    living_.insert_or_assign(std::string{uid_of(object)}, place);
    for (const json::value& entry : children(metadata(object), "ownerReferences"))
        dependents_[std::string{text(entry.get_object(), "uid")}].insert(place);
    if (can_be_adopted(place) && !controller_of(object)) orphans_.insert(place);
}

void OwnerIndex::leave(const Place& place, const json::object& object) {
    if (const auto found = living_.find(uid_of(object)); found != living_.end())
        living_.erase(found);
    for (const json::value& entry : children(metadata(object), "ownerReferences")) {
        const auto found = dependents_.find(text(entry.get_object(), "uid"));
        if (found == dependents_.end()) continue;
        found->second.erase(place);
        if (found->second.empty()) dependents_.erase(found);
    }
    if (can_be_adopted(place)) orphans_.erase(place);
}

const Place* OwnerIndex::find(std::string_view uid) const {
    const auto found = living_.find(uid);
    return found == living_.end() ? nullptr : &found->second;
}

std::vector<Place> OwnerIndex::dependents(std::string_view uid) const {
    const auto found = dependents_.find(uid);
    if (found == dependents_.end()) return {};
    return {found->second.begin(), found->second.end()};
}

bool OwnerIndex::has_dependents(std::string_view uid) const {
    return dependents_.contains(uid);
}

std::vector<ObjectPtr> OwnerIndex::controlled(const ApiServer& api, std::string_view uid,
                                              std::string_view resource) const {
    std::vector<ObjectPtr> objects;
    const auto found = dependents_.find(uid);
    if (found == dependents_.end()) return objects;
    for (const Place& place : found->second) {
        if (place.resource != resource) continue;
        ObjectPtr object = api.storage().find(place);
        const json::object* controller = object ? controller_of(object->object()) : nullptr;
        if (controller && text(*controller, "uid") == uid) objects.push_back(std::move(object));
    }
    return objects;
}

std::vector<ObjectPtr> OwnerIndex::orphans(const ApiServer& api, const Place& prefix) const {
    std::vector<ObjectPtr> found;
    for (auto at = orphans_.lower_bound(prefix);
         at != orphans_.end() && at->resource == prefix.resource && at->ns == prefix.ns &&
         at->name.starts_with(prefix.name);
         ++at)
        if (ObjectPtr object = api.storage().find(*at)) found.push_back(std::move(object));
    return found;
}

}  // namespace sluice::sim
