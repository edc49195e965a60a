#include "sim/actors/namespace_controller.hpp"

namespace sluice::sim {
namespace {

const std::string user = "system:serviceaccount:kube-system:namespace-controller";

}  // namespace

NamespaceController::NamespaceController(Surroundings at)
    : at_(at),
      turns_(at, at.options.pace.controller_least, at.options.pace.controller_most,
             [this](const Key& key) { return turn(key.name); }) {}

void NamespaceController::on_change(const Change& change) {
    const bool is_gone = change.type == Change::Type::Deleted;
    if (change.place.resource != "namespaces") {
        if (is_gone && !leaving_.empty() && leaving_.contains(change.place.ns))
            turns_.add({{}, change.place.ns});
        return;
    }
    if (is_gone) {
        leaving_.erase(change.place.name);
    } else if (is_terminating(change.object->object())) {
        leaving_.insert(change.place.name);
        turns_.add({{}, change.place.name});
    }
}

bool NamespaceController::turn(const std::string& ns) {
    const ObjectPtr space = at_.api.find("namespaces", {}, ns);
    if (!space || !is_terminating(space->object())) return true;
    bool is_empty = true;
    std::set<std::string> seen;  // a kind can be served in several versions
    for (const Resource* resource : at_.api.resources()) {
        const std::string id = resource->id();
        if (!resource->namespaced || !seen.insert(id).second) continue;
        for (const ObjectPtr& object : at_.api.list(id, ns)) {
            if (!is_terminating(object->object()))
                at_.api.remove(id, ns, std::string{name_of(object->object())}, user, at_.now());
        }
        is_empty &= at_.api.list(id, ns).empty();
    }
    if (!is_empty) return true;  // the end of what is left brings the next turn
    json::object free = space->object();
    object_in(free, "/spec").erase("finalizers");
    return went(at_.api.update(std::move(free), user, at_.now()));
}

}  // namespace sluice::sim
