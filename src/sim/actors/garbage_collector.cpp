// Deletes what lost its last owner, and carries out the two deletions that wait for dependents:
// foreground (they go first) and orphan (they lose the reference).
#include <algorithm>

#include "sim/actors/controller.hpp"

namespace sluice::sim {
namespace {

const std::string collector_user = "system:serviceaccount:kube-system:generic-garbage-collector";
const std::string foreground = "foregroundDeletion";
const std::string orphan = "orphan";

const json::array& references(const json::object& object) {
    return children(metadata(object), "ownerReferences");
}

class GarbageCollector final : public Controller {
  public:
    GarbageCollector(Surroundings at, const OwnerIndex& owners) : Controller(at), owners_(owners) {}

    void on_change(const Change& change) override {
        const json::object& object = change.object->object();
        const std::string uid{uid_of(object)};
        if (change.type == Change::Type::Deleted) {
            for (const Place& place : owners_.dependents(uid))
                if (const ObjectPtr dependent = at_.api.storage().find(place))
                    queue_.add({{}, std::string{uid_of(dependent->object())}});
            for (const json::value& reference : references(object))
                if (is_in_foreground(reference.get_object()))
                    queue_.add({{}, std::string{text(reference.get_object(), "uid")}});
            return;
        }
        const bool waits = is_terminating(object) &&
                           (has_finalizer(object, foreground) || has_finalizer(object, orphan));
        const bool has_lost =
            std::ranges::any_of(references(object), [&](const json::value& entry) {
                const json::object& reference = entry.get_object();
                return !is_alive(reference, change.place) || is_in_foreground(reference);
            });
        if (waits || has_lost) queue_.add({{}, uid});
    }

  private:
    // An owner lives in the dependent's own namespace, or in none.
    bool is_alive(const json::object& reference, const Place& dependent) const {
        const Place* owner = owners_.find(text(reference, "uid"));
        return owner && (owner->ns.empty() || owner->ns == dependent.ns);
    }

    bool is_in_foreground(const json::object& reference) const {
        const Place* place = owners_.find(text(reference, "uid"));
        const ObjectPtr owner = place ? at_.api.storage().find(*place) : nullptr;
        return owner && is_terminating(owner->object()) &&
               has_finalizer(owner->object(), foreground);
    }

    // The name of the key is a UID.
    bool reconcile(const Key& key) override {
        const Place* found = owners_.find(key.name);
        if (!found) return true;
        const Place place = *found;
        const ObjectPtr object = at_.api.storage().find(place);
        if (!object) return true;
        if (is_terminating(object->object())) return settle_owner(place, object->object());
        return settle_dependent(place, object->object());
    }

    bool settle_owner(const Place& place, const json::object& owner) {
        const std::string uid{uid_of(owner)};
        bool is_settled = true;
        if (has_finalizer(owner, orphan)) {
            for (const Place& at : owners_.dependents(uid)) {
                json::object freed = at_.api.storage().find(at)->object();
                drop_owners(freed,
                            [&](const json::object& entry) { return text(entry, "uid") == uid; });
                is_settled &= went(at_.api.update(std::move(freed), collector_user, at_.now()));
            }
            return is_settled && finish(place, orphan);
        }
        if (!has_finalizer(owner, foreground)) return true;
        bool is_blocked = false;
        for (const Place& at : owners_.dependents(uid)) {
            const ObjectPtr dependent = at_.api.storage().find(at);
            is_blocked |=
                std::ranges::any_of(references(dependent->object()), [&](const auto& entry) {
                    const json::object& reference = entry.get_object();
                    return text(reference, "uid") == uid && is_set(reference, "blockOwnerDeletion");
                });
            queue_.add({{}, std::string{uid_of(dependent->object())}});
        }
        return is_blocked || finish(place, foreground);
    }

    bool finish(const Place& place, const std::string& finalizer) {
        const ObjectPtr owner = at_.api.storage().find(place);
        if (!owner) return true;
        json::object freed = owner->object();
        drop_finalizer(freed, finalizer);
        return went(at_.api.update(std::move(freed), collector_user, at_.now()));
    }

    bool settle_dependent(const Place& place, const json::object& dependent) {
        const json::array& owners = references(dependent);
        if (owners.empty()) return true;
        const auto keeps = [&](const json::value& entry) {
            const json::object& reference = entry.get_object();
            return is_alive(reference, place) && !is_in_foreground(reference);
        };
        const std::string uid{uid_of(dependent)};
        if (std::ranges::none_of(owners, keeps)) {
            const bool has_waiting_owner = std::ranges::any_of(
                owners,
                [&](const json::value& entry) { return is_in_foreground(entry.get_object()); });
            Deletion how{.uid = uid};
            if (has_waiting_owner && owners_.has_dependents(uid)) how.propagation = "Foreground";
            const Response done = at_.api.remove(place.resource, place.ns, place.name,
                                                 collector_user, at_.now(), how);
            return went(done) || done.status == 404 || done.status == 409;
        }
        if (std::ranges::all_of(owners, keeps)) return true;
        json::object freed = dependent;
        drop_owners(freed, [&](const json::object& entry) { return !keeps(json::value(entry)); });
        return went(at_.api.update(std::move(freed), collector_user, at_.now()));
    }

    const OwnerIndex& owners_;
};

}  // namespace

std::unique_ptr<Controller> make_garbage_collector(Surroundings at, const OwnerIndex& owners) {
    return std::make_unique<GarbageCollector>(at, owners);
}

}  // namespace sluice::sim
