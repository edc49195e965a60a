// The StatefulSet controller of Kubernetes 1.36: which sets want attention, which pods are whose,
// and a sync of each.
#include <algorithm>

#include "sim/actors/controller.hpp"
#include "sim/actors/recorder.hpp"
#include "sim/actors/statefulset/revisions.hpp"
#include "sim/actors/statefulset/set_sync.hpp"
#include "sim/api/selectors.hpp"

namespace sluice::sim {
namespace {

class StatefulSetController final : public Controller {
  public:
    StatefulSetController(Surroundings at, const OwnerIndex& owners)
        : Controller(at),
          owners_(owners),
          recorder_(at, "statefulset-controller", statefulset_controller) {}

    void on_change(const Change& change) override {
        if (change.place.resource == "pods") return notice_pod(change);
        if (change.place.resource != "statefulsets.apps") return;
        if (change.type == Change::Type::Deleted)
            memory_.by_set.erase(std::string{uid_of(change.object->object())});
        queue_.add({change.place.ns, change.place.name});
    }

  private:
    void notice_pod(const Change& change) {
        const json::object& now = change.object->object();
        notice_owner(now, change.place.ns);
        if (!change.before) return;
        const json::object& before = change.before->object();
        const json::object* old_owner = controller_of(before);
        const json::object* new_owner = controller_of(now);
        if (old_owner && (!new_owner || *old_owner != *new_owner))
            notice_owner(before, change.place.ns);
    }

    // The set that controls the pod, or for an orphan the set whose name it bears.
    void notice_owner(const json::object& pod, const std::string& ns) {
        const json::object* owner = controller_of(pod);
        if (owner && text(*owner, "kind") != "StatefulSet") return;
        Key key{ns, std::string{owner ? text(*owner, "name")
                                      : parent_and_ordinal(name_of(pod)).parent}};
        if (key.name.empty()) return;
        if (!owner && !at_.api.find("statefulsets.apps", ns, key.name)) return;
        queue_.add(key);
    }

    ObjectPtr adopt(const Set& set, const ObjectPtr& orphan) {
        json::object adopted = orphan->object();
        const std::string name{name_of(adopted)};
        add_owner(adopted, controller_reference(set.object()));
        const Response done = at_.api.update(std::move(adopted), statefulset_controller, at_.now());
        return went(done) ? at_.api.find("pods", set.ns, name) : nullptr;
    }

    void release(const ObjectPtr& pod, const Set& set) {
        json::object released = pod->object();
        drop_owners(released, [&](const json::object& reference) {
            return text(reference, "uid") == set.uid;
        });
        at_.api.update(std::move(released), statefulset_controller, at_.now());
    }

    std::vector<SetPod> claim_pods(const Set& set) {
        const json::object& selector = child(set.spec(), "selector");
        const auto is_member = [&](const ObjectPtr& pod) {
            return parent_and_ordinal(name_of(pod->object())).parent == set.name;
        };
        const auto is_selected = [&](const ObjectPtr& pod) {
            return selects(selector, child(metadata(pod->object()), "labels"));
        };
        const bool can_change = !is_terminating(set.object());
        std::vector<SetPod> pods;
        for (const ObjectPtr& pod : owners_.controlled(at_.api, set.uid, "pods")) {
            if (!is_member(pod)) continue;
            if (is_selected(pod))
                pods.emplace_back(pod);
            else if (can_change && !is_terminating(pod->object()))
                release(pod, set);
        }
        if (!can_change) return pods;
        for (const ObjectPtr& orphan : owners_.orphans(at_.api, {"pods", set.ns, set.name + "-"})) {
            if (!is_member(orphan) || !is_selected(orphan) || is_terminating(orphan->object()))
                continue;
            if (const ObjectPtr pod = adopt(set, orphan)) pods.emplace_back(pod);
        }
        return pods;
    }

    bool reconcile(const Key& key) override {
        const ObjectPtr stored = at_.api.find("statefulsets.apps", key.ns, key.name);
        if (!stored) return true;
        const Set set{stored};
        const std::vector<SetPod> pods = claim_pods(set);
        const auto revisions = establish_revisions(at_, owners_, memory_, set);
        if (!revisions) return false;
        const bool is_done = SetSync{at_, recorder_, set, *revisions, pods}.run();
        reconcile_when_available(key, set, pods);
        return truncate_history(at_, set, pods, *revisions) && is_done;
    }

    // Nobody tells when a pod has been ready for long enough.
    void reconcile_when_available(const Key& key, const Set& set, const std::vector<SetPod>& pods) {
        if (set.min_ready == 0s) return;
        std::optional<Instant> next;
        for (const SetPod& pod : pods) {
            const auto from = pod.available_from(set.min_ready);
            if (from && *from > at_.now() && (!next || *from < *next)) next = from;
        }
        if (next) queue_.add_at(key, *next);
    }

    const OwnerIndex& owners_;
    Recorder recorder_;
    RevisionMemory memory_;
};

}  // namespace

std::unique_ptr<Controller> make_statefulset_controller(Surroundings at, const OwnerIndex& owners) {
    return std::make_unique<StatefulSetController>(at, owners);
}

}  // namespace sluice::sim
