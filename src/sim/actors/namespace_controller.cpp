// Empties a namespace that is being deleted, and lets it go when nothing is left in it.
#include <set>
#include <string>

#include "sim/actors/controller.hpp"

namespace sluice::sim {
namespace {

const std::string namespace_user = "system:serviceaccount:kube-system:namespace-controller";

class NamespaceController final : public Controller {
  public:
    using Controller::Controller;

    void on_change(const Change& change) override {
        const bool is_gone = change.type == Change::Type::Deleted;
        if (change.place.resource != "namespaces") {
            if (is_gone && !leaving_.empty() && leaving_.contains(change.place.ns))
                queue_.add({{}, change.place.ns});
            return;
        }
        if (is_gone) {
            leaving_.erase(change.place.name);
        } else if (is_terminating(change.object->object())) {
            leaving_.insert(change.place.name);
            queue_.add({{}, change.place.name});
        }
    }

  private:
    bool reconcile(const Key& key) override {
        const std::string& ns = key.name;
        const ObjectPtr space = at_.api.find("namespaces", {}, ns);
        if (!space || !is_terminating(space->object())) return true;
        bool is_empty = true;
        std::set<std::string> seen;  // a kind can be served in several versions
        for (const Resource* resource : at_.api.resources()) {
            const std::string id = resource->id();
            if (!resource->namespaced || !seen.insert(id).second) continue;
            for (const ObjectPtr& object : at_.api.list(id, ns)) {
                if (!is_terminating(object->object()))
                    at_.api.remove(id, ns, std::string{name_of(object->object())}, namespace_user,
                                   at_.now());
            }
            is_empty &= at_.api.list(id, ns).empty();
        }
        if (!is_empty) return true;  // the end of what is left brings it here again
        json::object free = space->object();
        object_in(free, "/spec").erase("finalizers");
        return went(at_.api.update(std::move(free), namespace_user, at_.now()));
    }

    std::set<std::string> leaving_;
};

}  // namespace

std::unique_ptr<Controller> make_namespace_controller(Surroundings at) {
    return std::make_unique<NamespaceController>(at);
}

}  // namespace sluice::sim
