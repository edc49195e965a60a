#include "sim/demo/scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>

#include "sim/actors/object.hpp"

namespace sluice::sim::demo {
namespace {

// What whoever steers the set says of it: `told` gives the text of a field.
template <class Told>
void read_report(SetSeen& seen, Told told) {
    seen.phase = told("phase");
    seen.reason = told("reason");
    seen.message = told("message");
    seen.unblock = told("unblock");
    seen.guarantee = told("guarantee");
    seen.since = parse_rfc3339(told("since"));
}

SetSeen set_of(const json::object& set) {
    SetSeen seen;
    seen.ns = text_at(set, "/metadata/namespace");
    seen.name = text_at(set, "/metadata/name");
    seen.image = text_at(set, "/spec/template/spec/containers/0/image");
    seen.replicas = number_at(set, "/spec/replicas", 1);
    seen.partition = partition_of(set);
    seen.current_revision = text_at(set, "/status/currentRevision");
    seen.update_revision = text_at(set, "/status/updateRevision");
    const auto note = [&](const std::string& name) {
        return text_at(set, "/metadata/annotations/sluice.dev~1" + name);
    };
    read_report(seen, note);
    seen.refused = note("refused");
    return seen;
}

}  // namespace

GatePlace gate_place(const SetSeen& set) {
    if (set.has_partition) return {"partition", std::to_string(set.partition)};
    const bool is_done = set.current_revision == set.update_revision;
    const std::int64_t reached =
        is_done ? set.replicas : std::max<std::int64_t>(0, set.replicas - set.partition);
    return {"updated", fmt::format("{} of {}", reached, set.replicas)};
}

namespace {

std::string state_of(const json::object& pod) {
    if (is_terminating(pod)) return "Terminating";
    const std::string waiting = text_at(pod, "/status/containerStatuses/0/state/waiting/reason");
    return waiting.empty() ? text_at(pod, "/status/phase") : waiting;
}

EventSeen event_of(const json::object& event) {
    EventSeen seen;
    seen.at = parse_rfc3339(text(event, "eventTime"))
                  .value_or(parse_rfc3339(text(event, "lastTimestamp")).value_or(Instant{}));
    seen.warns = text(event, "type") == "Warning";
    seen.name = name_of(event);
    seen.reason = text(event, "reason");
    seen.message = text(event, "message");
    seen.count = std::max<std::int64_t>(1, number_at(event, "/count", 1));
    return seen;
}

bool is_about(const json::object& event, const std::string& set, const Reporter& reporter) {
    const std::string kind = text_at(event, "/involvedObject/kind");
    const std::string name = text_at(event, "/involvedObject/name");
    if (kind == "StatefulSet") return name == set;
    return kind != "Pod" && !name.empty() && name == reporter.name;
}

std::vector<EventSeen> events_of(const World& world, const std::string& ns, const std::string& name,
                                 const Reporter& reporter) {
    // In the order of their writing: most have a time of whole seconds only.
    std::map<std::uint64_t, EventSeen> events;
    for (const ObjectPtr& one : world.cluster.api().list("events", ns))
        if (is_about(one->object(), name, reporter))
            events.emplace(one->version(), event_of(one->object()));
    const auto sorted = std::views::values(events);
    return {sorted.begin(), sorted.end()};
}

}  // namespace

void read_pod(PodSeen& seen, const json::object& pod, Instant now) {
    const auto made = parse_rfc3339(text(metadata(pod), "creationTimestamp"));
    seen.exists = true;
    seen.uid = uid_of(pod);
    seen.image = text_at(pod, "/spec/containers/0/image");
    seen.revision = text(child(metadata(pod), "labels"), "controller-revision-hash");
    seen.state = state_of(pod);
    seen.ready = has_condition(pod, "Ready") && !is_terminating(pod);
    seen.age = std::max(Duration{0}, now - made.value_or(now));
    seen.restarts = number_at(pod, "/status/containerStatuses/0/restartCount");
}

void cast_set(const World& world, const std::string& ns, const std::string& name, Scene& scene) {
    const ObjectPtr set = world.set(ns, name);
    if (!set) return;
    scene.set = set_of(set->object());
    const std::int64_t first = number_at(set->object(), "/spec/ordinals/start");
    for (std::int64_t index = scene.set.replicas - 1; index >= 0; --index) {
        PodSeen pod{.name = fmt::format("{}-{}", name, first + index), .index = index};
        if (const ObjectPtr found = world.cluster.api().find("pods", ns, pod.name))
            read_pod(pod, found->object(), scene.now);
        scene.pods.push_back(std::move(pod));
    }
}

Scene look(const World& world, const std::string& ns, const std::string& name,
           const Reporter& reporter, Cast cast) {
    Scene scene;
    scene.now = world.cluster.now();
    cast(world, ns, name, scene);
    if (scene.set.name.empty()) return scene;
    if (!reporter.name.empty())
        if (const ObjectPtr object = world.cluster.api().find(std::string{reporter.resource}, ns,
                                                              std::string{reporter.name}))
            read_report(scene.set, [&](const std::string& field) {
                return text_at(object->object(), "/status/" + field);
            });
    scene.events = events_of(world, ns, name, reporter);
    return scene;
}

bool is_old(const PodSeen& pod, const SetSeen& set) {
    return pod.exists && (pod.revision != set.update_revision || pod.image != set.image);
}

bool is_behind_gate(const PodSeen& pod, const SetSeen& set) {
    return pod.index < set.partition;
}

bool is_pending(const Scene& scene) {
    return scene.set.current_revision != scene.set.update_revision ||
           std::ranges::any_of(scene.pods,
                               [&](const PodSeen& pod) { return is_old(pod, scene.set); });
}

int count_ready(const Scene& scene) {
    return static_cast<int>(std::ranges::count_if(scene.pods, &PodSeen::ready));
}

int count_behind_gate(const Scene& scene) {
    return static_cast<int>(std::ranges::count_if(
        scene.pods, [&](const PodSeen& pod) { return is_behind_gate(pod, scene.set); }));
}

}  // namespace sluice::sim::demo
