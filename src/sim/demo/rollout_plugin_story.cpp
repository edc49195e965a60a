#include "sim/demo/rollout_plugin_story.hpp"

namespace sluice::sim::demo {
namespace {

constexpr const char* ns = "shop";
constexpr const char* name = "db";
constexpr const char* plugins = "rolloutplugins.argoproj.io";

json::object weight(int percent) {
    return {{"setWeight", percent}};
}

json::object pause(const char* duration) {
    json::object length;
    if (*duration) length["duration"] = duration;
    return {{"pause", std::move(length)}};
}

// One pod, a person, the next pod, three seconds, the last one.
void set_up(World& world) {
    world.set_policies(true);
    world.create_set({.name = name, .ns = ns, .hook = "", .image = "app:1.0"});
    const json::array steps{weight(34), pause(""), weight(67), pause("3s"), weight(100)};
    const json::object spec{
        {"workloadRef",
         json::object{{"apiVersion", "apps/v1"}, {"kind", "StatefulSet"}, {"name", name}}},
        {"plugin", json::object{{"name", "statefulset"}}},
        {"strategy", json::object{{"canary", json::object{{"steps", steps}}}}}};
    world.cluster.api().create(
        json::object{{"apiVersion", "argoproj.io/v1alpha1"},
                     {"kind", "RolloutPlugin"},
                     {"metadata", json::object{{"name", name}, {"namespace", ns}}},
                     {"spec", spec}},
        admin, world.cluster.now());
}

std::optional<Response> command(World& world, json::object status) {
    return world.merge(plugins, ns, name, json::object{{"status", std::move(status)}}, "status");
}

bool at_once(const World&, const Scene&) {
    return true;
}

bool is_paused(const World&, const Scene& scene) {
    return scene.set.reason == "StepPaused";
}

bool is_completed(const World&, const Scene& scene) {
    return scene.set.reason == "RolloutCompleted" && !is_pending(scene) &&
           count_ready(scene) == scene.set.replicas;
}

std::optional<Response> promote(World& world) {
    return command(world, {{"pauseConditions", nullptr}});
}

constexpr Step rollout_steps[] = {
    {at_once, 4s, "You roll out a new version.",
     "kubectl -n shop set image statefulset/db app=app:1.1",
     [](World& world) -> std::optional<Response> { return world.set_image(ns, name, "app:1.1"); }},
    {is_paused, 5s, "One pod runs it. You look at it, and let it go on.",
     "sluice promote -n shop rolloutplugin/db", promote},
};

constexpr Step failure_steps[] = {
    {at_once, 4s, "You roll out a new version.",
     "kubectl -n shop set image statefulset/db app=app:1.1",
     [](World& world) -> std::optional<Response> { return world.set_image(ns, name, "app:1.1"); }},
    {is_paused, 5s, "One pod runs it, and answers slowly. You abort.",
     "sluice abort -n shop rolloutplugin/db",
     [](World& world) -> std::optional<Response> { return command(world, {{"abort", true}}); }},
    {[](const World&, const Scene& scene) { return scene.set.reason == "RolledBack"; }, 4s,
     "You repair it.", "kubectl -n shop set image statefulset/db app=app:1.2",
     [](World& world) -> std::optional<Response> { return world.set_image(ns, name, "app:1.2"); }},
    {is_paused, 4s, "This one is well: you promote it.", "sluice promote -n shop rolloutplugin/db",
     promote},
};

Story told(Story story) {
    story.api = "rolloutplugin";
    story.ns = ns;
    story.set = name;
    story.reporter = {plugins, name};
    story.set_up = set_up;
    story.is_over = is_completed;
    return story;
}

}  // namespace

Story rollout_plugin_story() {
    Story story{};
    story.title = "a rollout that rests until you promote it";
    story.steps = rollout_steps;
    story.next_command = "sluice demo --api rolloutplugin --fail";
    story.next_shows = "a version that you abort";
    return told(story);
}

Story rollout_plugin_failure_story() {
    Story story{};
    story.fails = true;
    story.title = "a version that you abort";
    story.steps = failure_steps;
    story.next_command = "sluice demo --api rolloutplugin";
    story.next_shows = "a rollout that rests until you promote it";
    return told(story);
}

}  // namespace sluice::sim::demo
