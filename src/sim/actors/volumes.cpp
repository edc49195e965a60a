// Storage: every claim gets a volume of its own, at once, which grows with it; a claim that a pod
// uses is not taken away before the pod is gone; a volume goes with its claim, and a claim whose
// volume somebody has taken away is Lost.
#include <algorithm>
#include <set>

#include "sim/actors/controller.hpp"

namespace sluice::sim {
namespace {

const std::string binder_user = "system:serviceaccount:kube-system:persistent-volume-binder";
const std::string protector = "system:serviceaccount:kube-system:pvc-protection-controller";
const std::string_view protection = "kubernetes.io/pvc-protection";

json::object new_volume(const json::object& claim, const std::string& name) {
    const json::object& spec = child(claim, "spec");
    json::object about{{"apiVersion", "v1"},
                       {"kind", "PersistentVolumeClaim"},
                       {"namespace", key_of(claim).ns},
                       {"name", name_of(claim)},
                       {"uid", uid_of(claim)}};
    json::object volume_spec{{"accessModes", children(spec, "accessModes")},
                             {"capacity", child(child(spec, "resources"), "requests")},
                             {"claimRef", std::move(about)},
                             {"persistentVolumeReclaimPolicy", "Delete"},
                             {"storageClassName", text(spec, "storageClassName")},
                             {"csi", {{"driver", "sim.sluice.dev"}, {"volumeHandle", name}}}};
    return {{"apiVersion", "v1"},
            {"kind", "PersistentVolume"},
            {"metadata", {{"name", name}}},
            {"spec", std::move(volume_spec)}};
}

class Volumes final : public Controller {
  public:
    using Controller::Controller;

    void on_change(const Change& change) override {
        const Key key{change.place.ns, change.place.name};
        const bool is_gone = change.type == Change::Type::Deleted;
        if (change.place.resource == "pods" && is_gone && !leaving_.empty()) {
            for (const Key& claim : leaving_)
                if (claim.ns == key.ns) queue_.add(claim);
            return;
        }
        if (change.place.resource == "persistentvolumes" && is_gone) {
            const json::object& about = child(child(change.object->object(), "spec"), "claimRef");
            queue_.add({std::string{text(about, "namespace")}, std::string{text(about, "name")}});
            return;
        }
        if (change.place.resource != "persistentvolumeclaims") return;
        const json::object& claim = change.object->object();
        if (is_gone) {
            leaving_.erase(key);
            const std::string volume{text(child(claim, "spec"), "volumeName")};
            if (volume.empty()) return;
            at_.timeline.after(at_.options.pace.controller_most, [this, volume] {
                at_.api.remove("persistentvolumes", {}, volume, binder_user, at_.now());
            });
            return;
        }
        if (is_pending(claim) || wants_more(claim) || is_terminating(claim)) queue_.add(key);
    }

  private:
    bool reconcile(const Key& key) override {
        const ObjectPtr claim = at_.api.find("persistentvolumeclaims", key.ns, key.name);
        if (!claim) return true;
        if (is_terminating(claim->object())) return let_go(claim);
        if (is_pending(claim->object())) return bind(claim);
        if (is_bound(claim->object()) && !volume_of(claim->object())) return lose(claim->object());
        return !wants_more(claim->object()) || grow(claim->object());
    }

    ObjectPtr volume_of(const json::object& claim) const {
        return at_.api.find("persistentvolumes", {},
                            std::string{text(child(claim, "spec"), "volumeName")});
    }

    bool lose(json::object claim) {
        claim["status"] = {{"phase", "Lost"}};
        return went(at_.api.update(std::move(claim), binder_user, at_.now(), "status"));
    }

    static bool is_pending(const json::object& claim) {
        const std::string_view phase = text(child(claim, "status"), "phase");
        return phase.empty() || phase == "Pending";
    }

    static bool is_bound(const json::object& claim) {
        return text(child(claim, "status"), "phase") == "Bound";
    }
    static bool wants_more(const json::object& claim) {
        return is_bound(claim) && text_at(claim, "/status/capacity/storage") !=
                                      text_at(claim, "/spec/resources/requests/storage");
    }

    bool grow(json::object claim) {
        const json::value size = child(child(child(claim, "spec"), "resources"), "requests");
        if (const ObjectPtr volume = volume_of(claim)) {
            json::object larger = volume->object();
            object_in(larger, "/spec")["capacity"] = size;
            if (!went(at_.api.update(std::move(larger), binder_user, at_.now()))) return false;
        }
        object_in(claim, "/status")["capacity"] = size;
        return went(at_.api.update(std::move(claim), binder_user, at_.now(), "status"));
    }

    bool bind(const ObjectPtr& claim) {
        const json::object& object = claim->object();
        const Key key = key_of(object);
        const std::string volume = "pvc-" + std::string{uid_of(object)};
        if (!at_.api.find("persistentvolumes", {}, volume)) {
            if (!went(at_.api.create(new_volume(object, volume), binder_user, at_.now())))
                return false;
            json::object made = at_.api.find("persistentvolumes", {}, volume)->object();
            made["status"] = {{"phase", "Bound"}};
            at_.api.update(std::move(made), binder_user, at_.now(), "status");
        }
        json::object named = object;
        object_in(named, "/spec")["volumeName"] = volume;
        if (!has_finalizer(named, protection))
            array_in(named, "/metadata/finalizers").push_back(json::value(protection));
        if (!went(at_.api.update(std::move(named), binder_user, at_.now()))) return false;
        json::object bound = at_.api.find("persistentvolumeclaims", key.ns, key.name)->object();
        const json::object& spec = child(bound, "spec");
        json::object status{{"phase", "Bound"},
                            {"accessModes", children(spec, "accessModes")},
                            {"capacity", child(child(spec, "resources"), "requests")}};
        bound["status"] = std::move(status);
        return went(at_.api.update(std::move(bound), binder_user, at_.now(), "status"));
    }

    bool is_in_use(const Key& claim) const {
        const auto uses = [&](const json::value& volume) {
            return text(child(volume.get_object(), "persistentVolumeClaim"), "claimName") ==
                   claim.name;
        };
        // No kubelet starts a pod whose claim is on its way out, so those without a node do not
        // count.
        return std::ranges::any_of(at_.api.list("pods", claim.ns), [&](const ObjectPtr& pod) {
            if (text(child(pod->object(), "spec"), "nodeName").empty()) return false;
            return std::ranges::any_of(children(child(pod->object(), "spec"), "volumes"), uses);
        });
    }

    bool let_go(const ObjectPtr& claim) {
        const Key key = key_of(claim->object());
        if (!has_finalizer(claim->object(), protection)) return true;
        if (is_in_use(key)) {
            leaving_.insert(key);
            return true;
        }
        json::object free = claim->object();
        drop_finalizer(free, protection);
        return went(at_.api.update(std::move(free), protector, at_.now()));
    }

    std::set<Key> leaving_;  // claims that wait for the end of their pods
};

}  // namespace

std::unique_ptr<Controller> make_volume_controller(Surroundings at) {
    return std::make_unique<Volumes>(at);
}

}  // namespace sluice::sim
