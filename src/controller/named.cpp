// What the objects of an API name, and what is known of that: looked at where somebody names it, by
// name and version only.
#include <algorithm>

#include "controller/controller.hpp"
#include "controller/sessions.hpp"

namespace sluice::controller {
namespace {

// What the objects name of what is watched so.
std::vector<model::Ref> names_in(const api::Watch& watch,
                                 const std::vector<model::CustomObject>& objects) {
    std::vector<model::Ref> names;
    const auto* users = std::get_if<model::Users>(&watch.concerns);
    if (!users) return names;
    for (const model::CustomObject& object : objects)
        for (model::Ref& one : users->named_by(object))
            if (one.resource == watch.resource) names.push_back(std::move(one));
    return names;
}

}  // namespace

const runtime::WatchSession* Controller::session_of(const model::Resource* resource,
                                                    const std::string& ns) const {
    const auto found = std::ranges::find_if(sessions_, [&](const runtime::WatchSession& one) {
        return one.scope().resource == resource && one.scope().ns == ns;
    });
    return found == sessions_.end() ? nullptr : &*found;
}

bool Controller::has_room_for_named() const {
    const auto count =
        std::ranges::count_if(sessions_, [](const auto& one) { return is_of_named(one.scope()); });
    return static_cast<std::size_t>(count) < named_sessions_max;
}

void Controller::look_for_named(const Candidate& candidate, const std::string& ns) {
    for (const api::Watch& watch : candidate.api->watches) {
        if (names_in(watch, candidate.objects).empty() || session_of(watch.resource, ns)) continue;
        if (has_room_for_named())
            sessions_.emplace_back(runtime::WatchScope{watch.resource, ns, watch.selector},
                                   settings_.seed + sessions_.size());
    }
}

std::vector<engine::NamedObject> Controller::named_by(const Candidate& candidate) const {
    std::vector<engine::NamedObject> named;
    for (const api::Watch& watch : candidate.api->watches)
        for (model::Ref& ref : names_in(watch, candidate.objects)) {
            engine::NamedObject one{std::move(ref)};
            const runtime::WatchSession* session = session_of(one.ref.resource, one.ref.ns);
            one.is_seen = session && session->is_synced();
            if (!session && !has_room_for_named())
                one.problem = "too many namespaces have objects that name others";
            else if (session && session->is_given_up())
                one.problem = session->last_failure();
            if (auto found = store_.find(one.ref)) {
                one.meta = model::meta_of(*found);
                if (auto* object = std::get_if<model::CustomObject>(&*found))
                    one.owners = std::move(object->status);
            }
            named.push_back(std::move(one));
        }
    return named;
}

}  // namespace sluice::controller
