// The stories of RolloutPlugin, weight by weight, with pauses that a person ends: a rollout that is
// promoted, and a version that is aborted.
#include "sim/demo/story.hpp"
#include "sim/apis/rollout_plugin/api.hpp"
#include "sim/apis/rollout_plugin/objects.hpp"

namespace sluice::sim::rollout_plugin {

using namespace demo;
namespace {

// One pod, a person, the next pod, three seconds, the last one.
void set_up(World& world) {
    world.create_set({.name = name, .ns = ns, .image = "app:1.0"});
    create(world, {.name = name,
                   .ns = ns,
                   .target = name,
                   .fields = {{"steps", "34 pause 67 pause=3s 100"}}});
}

bool is_paused(const World&, const Scene& scene) {
    return scene.set.reason == "StepPaused";
}

Response promote(World& world) {
    return command(world, ns, name, {{"pauseConditions", nullptr}});
}

constexpr Step rollout_steps[] = {
    roll_out,
    {is_paused, 5s, "One pod runs it. You look at it, and let it go on.",
     "sluice promote -n shop rolloutplugin/db", promote},
};

constexpr Step failure_steps[] = {
    roll_out,
    {is_paused, 5s, "One pod runs it, and answers slowly. You abort.",
     "sluice abort -n shop rolloutplugin/db",
     [](World& world) { return command(world, ns, name, {{"abort", true}}); }},
    {[](const World&, const Scene& scene) { return scene.set.reason == "RolledBack"; }, 4s,
     "You repair it.", "kubectl -n shop set image statefulset/db app=app:1.2",
     [](World& world) { return world.set_image(ns, name, "app:1.2"); }},
    {is_paused, 4s, "This one is well: you promote it.", "sluice promote -n shop rolloutplugin/db",
     promote},
};

constexpr Story table[] = {
    {.api = "rolloutplugin",
     .title = "a rollout that rests until you promote it",
     .reporter = {plugins, name},
     .set_up = set_up,
     .steps = rollout_steps,
     .next_command = "sluice demo --api rolloutplugin --fail",
     .next_shows = "a version that you abort"},
    {.api = "rolloutplugin",
     .fails = true,
     .title = "a version that you abort",
     .reporter = {plugins, name},
     .set_up = set_up,
     .steps = failure_steps,
     .next_command = "sluice demo --api rolloutplugin",
     .next_shows = "a rollout that rests until you promote it"},
};

}  // namespace

std::span<const Story> stories() {
    return table;
}

}  // namespace sluice::sim::rollout_plugin
