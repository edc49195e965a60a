#include "sim/actors/kubelet.hpp"

#include <algorithm>

namespace sluice::sim {
namespace {

const std::string node_controller = "system:serviceaccount:kube-system:node-controller";
const std::string collector = "system:serviceaccount:kube-system:pod-garbage-collector";
// Pods of a node that does not exist are collected after so long.
constexpr Duration quarantine_least = 40s, quarantine_most = 60s;

std::string_view behaviour_of(const json::object& pod) {
    return text(child(metadata(pod), "annotations"), behaviour_annotation);
}

bool is_of_job(const json::object& pod) {
    const json::object* owner = controller_of(pod);
    return owner && text(*owner, "kind") == "Job";
}

}  // namespace

std::unique_ptr<Controller> make_kubelets(Surroundings at) {
    return std::make_unique<Kubelet>(at);
}

bool Kubelet::is_up(const std::string& node) const {
    return is_ready_node(at_.api.find("nodes", {}, node));
}

bool Kubelet::has_other_images(const Life& life, const json::object& pod) {
    const bool is_running = life.stage == Stage::Running || life.stage == Stage::Ready;
    return is_running && life.images != images_of(pod);
}

// A pod is reconciled when it got its node, is to end, behaves differently, or has a gate that
// moved.
void Kubelet::on_change(const Change& change) {
    if (change.place.resource == "nodes") return notice_node(change);
    if (change.place.resource != "pods") return;
    const Key key{change.place.ns, change.place.name};
    if (change.type == Change::Type::Deleted) {
        lives_.erase(key);
        return;
    }
    const json::object& pod = change.object->object();
    const std::string_view node = text(child(pod, "spec"), "nodeName");
    if (node.empty()) return;
    const auto life = lives_.find(key);
    const bool is_known = life != lives_.end() && life->second.uid == uid_of(pod);
    const bool is_gated = !children(child(pod, "spec"), "readinessGates").empty();
    if (!is_known || is_terminating(pod) || life->second.behaviour != behaviour_of(pod) ||
        has_other_images(life->second, pod) || (is_gated && is_readiness_due(pod)))
        queue_.add(key);
}

bool Kubelet::reconcile(const Key& key) {
    const ObjectPtr stored = at_.api.find("pods", key.ns, key.name);
    if (!stored) return true;
    const json::object& pod = stored->object();
    if (text(child(pod, "spec"), "nodeName").empty()) return true;  // another one, not yet ours
    Life& life = lives_[key];
    if (life.uid != uid_of(pod)) {
        life = {.uid = std::string{uid_of(pod)},
                .node = std::string{text(child(pod, "spec"), "nodeName")},
                .behaviour = std::string{behaviour_of(pod)}};
    }
    if (!is_up(life.node)) return true;
    if (is_terminating(pod)) {
        plan_stop(key, life, pod);
    } else if (life.stage == Stage::New) {
        accept(key, life, pod);
    } else if (life.behaviour != behaviour_of(pod)) {
        life.behaviour = behaviour_of(pod);
        behave(key, life, pod);
    } else if (has_other_images(life, pod)) {
        restart(key, life, pod);
    } else if (life.stage == Stage::Ready && is_readiness_due(pod)) {
        json::object status = child(pod, "status");
        set_readiness(status, pod, true, at_.now());
        report(life, pod, std::move(status));
    }
    return true;
}

// The pods of a node that went down stop being ready; those of one that came back live on.
void Kubelet::notice_node(const Change& change) {
    const bool is_gone = change.type == Change::Type::Deleted;
    const bool was_up = is_ready_node(change.before);
    const bool is_up_now = !is_gone && is_ready_node(change.object);
    if (is_gone) collect_later(change.place.name);
    if (was_up == is_up_now || (!change.before && is_up_now)) return;
    const Duration delay =
        draw(at_.options.pace.controller_least, at_.options.pace.controller_most);
    at_.timeline.after(delay, [this, node = change.place.name, is_up_now] {
        if (is_up(node) != is_up_now) return;
        for (auto& [key, life] : lives_) {
            const ObjectPtr pod = at_.api.find("pods", key.ns, key.name);
            if (life.node != node || !pod) continue;
            ++life.plan;
            if (is_up_now) {
                live_on(key, life, pod->object());
            } else {
                json::object lost = child(pod->object(), "status");
                set_condition(lost, {"Ready", false, "NodeNotReady", "Node is not ready"},
                              at_.now());
                at_.api.update(with_status(pod->object(), std::move(lost)), node_controller,
                               at_.now(), "status");
            }
        }
    });
}

// Nobody will ever stop what ran on a node that is gone.
void Kubelet::collect_later(const std::string& node) {
    at_.timeline.after(draw(quarantine_least, quarantine_most), [this, node] {
        if (at_.api.find("nodes", {}, node)) return;
        std::vector<std::pair<Key, std::string>> lost;
        for (const auto& [key, life] : lives_)
            if (life.node == node) lost.emplace_back(key, life.uid);
        for (const auto& [key, uid] : lost)
            at_.api.remove("pods", key.ns, key.name, collector, at_.now(),
                           {.grace = 0, .uid = uid});
    });
}

void Kubelet::live_on(const Key& key, Life& life, const json::object& pod) {
    life.stops_at.reset();
    if (is_terminating(pod)) return plan_stop(key, life, pod);
    const Pace& pace = at_.options.pace;
    life.behaviour = behaviour_of(pod);
    switch (life.stage) {
        case Stage::New: return accept(key, life, pod);
        case Stage::Creating:
        case Stage::Pulling:
        case Stage::BackingOff:
            return plan(key, life, draw(pace.start_least, pace.start_most), &Kubelet::start);
        case Stage::Running:
        case Stage::Ready: return behave(key, life, pod);
        case Stage::Ended: return;
    }
}

void Kubelet::plan(const Key& key, Life& life, Duration delay, Event event) {
    at_.timeline.after(delay, [this, key, uid = life.uid, plan = ++life.plan, event] {
        const auto found = lives_.find(key);
        if (found == lives_.end() || found->second.uid != uid || found->second.plan != plan) return;
        const ObjectPtr pod = at_.api.find("pods", key.ns, key.name);
        if (!pod || is_terminating(pod->object()) || !is_up(found->second.node)) return;
        (this->*event)(key, found->second, pod->object());
    });
}

// What comes next for a pod that runs, or stands still, under the behaviour that it has now.
void Kubelet::behave(const Key& key, Life& life, const json::object& pod) {
    const Pace& pace = at_.options.pace;
    const bool is_running = life.stage == Stage::Running || life.stage == Stage::Ready;
    if (life.stage == Stage::Pulling && life.behaviour != "pull")
        return plan(key, life, draw(pace.start_least, pace.start_most), &Kubelet::start);
    if (!is_running) return;  // it is on its way and will see the behaviour when it gets there
    const Duration reaction = draw(pace.ready_least, pace.ready_most);
    if (life.behaviour == "crash") return plan(key, life, reaction, &Kubelet::crash);
    if (life.behaviour == "fail" || life.behaviour == "succeed")
        return plan(key, life, reaction, &Kubelet::end);
    if (life.behaviour == "unready" && life.stage == Stage::Ready)
        return plan(key, life, reaction, &Kubelet::make_unready);
    // Who is ready stays so, whatever was planned for it before.
    if (life.stage == Stage::Ready) return plan(key, life, reaction, &Kubelet::make_ready);
    plan_ready(key, life, pod);
}

void Kubelet::plan_ready(const Key& key, Life& life, const json::object& pod) {
    const Pace& pace = at_.options.pace;
    const Duration usual = draw(pace.ready_least, pace.ready_most);
    ++life.plan;
    if (life.behaviour == "unready") return;
    const bool is_slow = life.behaviour.starts_with("slow ");
    const auto wish = is_slow ? parse_duration(std::string_view{life.behaviour}.substr(5))
                              : std::optional<Duration>{};
    plan(key, life, wish.value_or(usual), is_of_job(pod) ? &Kubelet::end : &Kubelet::make_ready);
}

// A pod ends after the time that stopping takes, at the latest when its grace is over.
void Kubelet::plan_stop(const Key& key, Life& life, const json::object& pod) {
    const Pace& pace = at_.options.pace;
    const auto deadline = parse_rfc3339(text(metadata(pod), "deletionTimestamp"));
    Instant stop = life.stops_at.value_or(at_.now() + draw(pace.stop_least, pace.stop_most));
    if (deadline) stop = std::min(stop, std::max(*deadline, at_.now()));
    if (life.stops_at && stop >= *life.stops_at) return;
    life.stops_at = stop;
    at_.timeline.at(stop, [this, key, uid = life.uid, stop] {
        const auto found = lives_.find(key);
        if (found == lives_.end() || found->second.uid != uid || found->second.stops_at != stop)
            return;
        const std::string node = found->second.node;
        if (!is_up(node)) return;
        at_.api.remove("pods", key.ns, key.name, "system:node:" + node, at_.now(),
                       {.grace = 0, .uid = uid});
    });
}

}  // namespace sluice::sim
