// Gives pods a node: the ready one with the fewest pods that the pod's nodeSelector and required
// node affinity allow. A pod whose claims are not bound, or whose ReadWriteOncePod claim another
// pod uses, waits.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "sim/actors/controller.hpp"
#include "sim/actors/pod_status.hpp"

namespace sluice::sim {
namespace {

const std::string user = "system:kube-scheduler";

// The node of a pod that takes up room; empty if there is none.
std::string_view node_of(const ObjectPtr& pod) {
    if (!pod) return {};
    const std::string_view phase = text(child(pod->object(), "status"), "phase");
    if (phase == "Succeeded" || phase == "Failed") return {};
    return text(child(pod->object(), "spec"), "nodeName");
}

std::string_view claim_of(const json::value& volume) {
    return text(child(volume.get_object(), "persistentVolumeClaim"), "claimName");
}

const json::array& volumes(const json::object& pod) {
    return children(child(pod, "spec"), "volumes");
}

bool fits_expression(const json::object& labels, const json::object& expression) {
    const json::value* label = labels.if_contains(text(expression, "key"));
    const std::string_view how = text(expression, "operator");
    if (how == "Exists") return label;
    if (how == "DoesNotExist") return !label;
    const bool is_listed = label && contains(children(expression, "values"), *label);
    if (how == "In") return is_listed;
    return how == "NotIn" && !is_listed;  // Gt and Lt fit nowhere here
}

// Of several terms one is enough; a term without expressions fits nowhere.
bool fits_affinity(const json::object& labels, const json::object& pod) {
    const json::object& wish = child(child(child(child(pod, "spec"), "affinity"), "nodeAffinity"),
                                     "requiredDuringSchedulingIgnoredDuringExecution");
    const json::array& terms = children(wish, "nodeSelectorTerms");
    return terms.empty() || std::ranges::any_of(terms, [&](const json::value& term) {
               const json::array& all = children(term.get_object(), "matchExpressions");
               return !all.empty() && std::ranges::all_of(all, [&](const json::value& one) {
                   return fits_expression(labels, one.get_object());
               });
           });
}

class Scheduler final : public Controller {
  public:
    explicit Scheduler(Surroundings at)
        : Controller(at, at.options.pace.schedule_least, at.options.pace.schedule_most) {}

    void on_change(const Change& change) override {
        const std::string& resource = change.place.resource;
        const bool is_gone = change.type == Change::Type::Deleted;
        if (resource == "pods") {
            const Key key{change.place.ns, change.place.name};
            count(change);
            if (is_gone) {
                waiting_.erase(key);
                retry(change.place.ns);
            } else if (change.type == Change::Type::Added) {
                queue_.add(key);
            }
        } else if (resource == "persistentvolumeclaims" && !is_gone) {
            retry(change.place.ns);
        } else if (resource == "nodes") {
            retry({});
        }
    }

  private:
    void count(const Change& change) {
        const std::string_view before = node_of(change.before);
        const std::string_view after =
            change.type == Change::Type::Deleted ? std::string_view{} : node_of(change.object);
        if (before == after) return;
        if (!before.empty()) --pods_on_[std::string{before}];
        if (!after.empty()) ++pods_on_[std::string{after}];
    }

    // Those of one namespace, or (empty) all.
    void retry(const std::string& ns) {
        for (auto at = ns.empty() ? waiting_.begin() : waiting_.lower_bound({ns, {}});
             at != waiting_.end() && (ns.empty() || at->ns == ns); ++at)
            queue_.add(*at);
    }

    bool reconcile(const Key& key) override {
        const ObjectPtr pod = at_.api.find("pods", key.ns, key.name);
        waiting_.erase(key);
        if (!pod || !text(child(pod->object(), "spec"), "nodeName").empty() ||
            is_terminating(pod->object()))
            return true;
        std::string why = why_not(pod->object());
        const std::string node = why.empty() ? choose(pod->object()) : "";
        if (!node.empty()) {
            bind(pod, node);
            return true;
        }
        if (why.empty())
            why = "0/" + std::to_string(at_.api.list("nodes").size()) +
                  " nodes are available: none is ready and fits the pod's node affinity/selector.";
        waiting_.insert(key);
        say_unschedulable(pod, why);
        return true;
    }

    // Empty: its claims let it run.
    std::string why_not(const json::object& pod) const {
        const std::string ns = key_of(pod).ns;
        for (const json::value& volume : volumes(pod)) {
            const std::string_view name = claim_of(volume);
            if (name.empty()) continue;
            const ObjectPtr claim = at_.api.find("persistentvolumeclaims", ns, std::string{name});
            if (!claim) return "persistentvolumeclaim \"" + std::string{name} + "\" not found";
            if (is_terminating(claim->object()))
                return "persistentvolumeclaim \"" + std::string{name} + "\" is being deleted";
            const std::string_view phase = text(child(claim->object(), "status"), "phase");
            if (phase == "Lost")
                return fmt::format(
                    "persistentvolumeclaim \"{}\" bound to non-existent persistentvolume \"{}\"",
                    name, text(child(claim->object(), "spec"), "volumeName"));
            if (phase != "Bound") return "pod has unbound immediate PersistentVolumeClaims";
            const json::array& modes = children(child(claim->object(), "spec"), "accessModes");
            if (contains(modes, "ReadWriteOncePod") && is_used_by_another(pod, name))
                return "node has pod using PersistentVolumeClaim with the same name and "
                       "ReadWriteOncePod access mode";
        }
        return {};
    }

    bool is_used_by_another(const json::object& pod, std::string_view claim) const {
        for (const ObjectPtr& other : at_.api.list("pods", key_of(pod).ns)) {
            if (uid_of(other->object()) == uid_of(pod) || node_of(other).empty()) continue;
            if (std::ranges::any_of(volumes(other->object()), [&](const json::value& volume) {
                    return claim_of(volume) == claim;
                }))
                return true;
        }
        return false;
    }

    std::string choose(const json::object& pod) const {
        const json::object& wish = child(child(pod, "spec"), "nodeSelector");
        std::string best;
        int fewest = 0;
        for (const ObjectPtr& node : at_.api.list("nodes")) {
            const json::object& object = node->object();
            const json::object& labels = child(metadata(object), "labels");
            const bool fits = std::ranges::all_of(wish, [&](const auto& entry) {
                const json::value* label = labels.if_contains(entry.key());
                return label && *label == entry.value();
            });
            if (!fits || !fits_affinity(labels, pod)) continue;
            if (!is_ready_node(node) || is_terminating(object)) continue;
            if (is_set(child(object, "spec"), "unschedulable")) continue;
            const auto counted = pods_on_.find(name_of(object));
            const int pods = counted == pods_on_.end() ? 0 : counted->second;
            if (!best.empty() && pods >= fewest) continue;
            best = name_of(object);
            fewest = pods;
        }
        return best;
    }

    void bind(const ObjectPtr& pod, const std::string& node) {
        json::object bound = pod->object();
        object_in(bound, "/spec")["nodeName"] = node;
        at_.api.update(std::move(bound), user, at_.now(), "binding");
    }

    void say_unschedulable(const ObjectPtr& pod, const std::string& why) {
        const json::object* said = condition(child(pod->object(), "status"), "PodScheduled");
        if (said && text(*said, "message") == why) return;
        json::object status = child(pod->object(), "status");
        set_condition(status, {"PodScheduled", false, "Unschedulable", why}, at_.now());
        at_.api.update(with_status(pod->object(), std::move(status)), user, at_.now(), "status");
    }

    std::set<Key> waiting_;
    std::map<std::string, int, std::less<>> pods_on_;
};

}  // namespace

std::unique_ptr<Controller> make_scheduler(Surroundings at) {
    return std::make_unique<Scheduler>(at);
}

}  // namespace sluice::sim
