// The stories of hooks: a rollout that one of them holds up, and a version that does not start.
#include <algorithm>
#include <set>

#include "sim/apis/hooks/hooks.hpp"
#include "sim/apis/hooks/objects.hpp"
#include "sim/apis/pilot/api.hpp"
#include "sim/apis/pilot/objects.hpp"
#include "sim/demo/story.hpp"

namespace sluice::sim::pilot {

using namespace demo;
namespace {

constexpr const char* hook = "shard-check";
constexpr const char* waiting_pod = "db-1";

using Says = hooks::HookRule::Says;

void set_up(World& world) {
    hooks::declare_hook(world, hook, "url: https://shard-check.shop.example/ask\n");
    world.create_set({.name = name, .ns = ns, .labels = {{label, hook}}, .image = "app:1.0"});
}

void set_up_with_moving_shards(World& world) {
    set_up(world);
    world.egress.of<hooks::Hooks>().set_rule(
        {hook, waiting_pod, Says::Refuse, "14 shards are relocating"});
}

// As if a script had typed kubectl, not a person with admin rights.
Response lower_partition(World& world, const std::string& user) {
    const Request request{
        .method = "PATCH",
        .path = "/apis/apps/v1/namespaces/shop/statefulsets/db",
        .content_type = "application/merge-patch+json",
        .body = R"({"spec":{"updateStrategy":{"rollingUpdate":{"partition":0}}}})",
        .user = user};
    return world.cluster.api().serve(request, world.cluster.now());
}

int refusals(const World& world) {
    return static_cast<int>(
        std::ranges::count_if(world.egress.of<hooks::Hooks>().calls(),
                              [](const hooks::HookCall& call) { return !call.allowed; }));
}

constexpr Step rollout_steps[] = {
    roll_out,
    {[](const World& world, const Scene&) { return refusals(world) == 1; }, 4s,
     "A deploy script tries to lower the partition to 0, past the gate.",
     R"(kubectl -n shop patch statefulset db --type merge -p '{"spec":{"updateStrategy":)"
     R"({"rollingUpdate":{"partition":0}}}}')",
     [](World& world) { return lower_partition(world, "deploy-bot"); }},
    {at_once, 4s, "", "",
     [](World& world) {
         world.egress.of<hooks::Hooks>().set_rule(
             {hook, waiting_pod, Says::Refuse, "3 shards are relocating"});
     }},
    {[](const World& world, const Scene&) { return refusals(world) == 2; }, 6s, "", "",
     [](World& world) {
         world.egress.of<hooks::Hooks>().set_rule({hook, waiting_pod, Says::Allow});
     }},
};

constexpr Step failure_steps[] = {
    {at_once, 4s, "You roll out a new version. It does not start, and nobody knows yet.",
     "kubectl -n shop set image statefulset/db app=app:1.1",
     [](World& world) { return world.set_image(ns, name, "app:1.1", "crash"); }},
    {[](const World&, const Scene& scene) { return scene.pods.front().restarts >= 2; }, 5s,
     "You repair it. Nobody has to delete the broken pod.",
     "kubectl -n shop set image statefulset/db app=app:1.2",
     [](World& world) { return world.set_image(ns, name, "app:1.2"); }},
};

Questions questions(const World& world) {
    Questions all;
    std::set<std::string> transitions;
    for (const hooks::HookCall& call : world.egress.of<hooks::Hooks>().calls()) {
        ++all.asked;
        all.refused += call.allowed ? 0 : 1;
        transitions.insert(call.key);
    }
    all.transitions = static_cast<int>(transitions.size());
    return all;
}

constexpr Story table[] = {
    {.api = "pilot",
     .title = "a rollout that waits for its shards",
     .gateman = "The hook",
     .questions = questions,
     .set_up = set_up_with_moving_shards,
     .steps = rollout_steps,
     .next_command = "sluice demo --fail",
     .next_shows = "a version that does not start"},
    {.api = "pilot",
     .fails = true,
     .title = "a new version that does not start",
     .gateman = "The hook",
     .questions = questions,
     .set_up = set_up,
     .steps = failure_steps,
     .next_command = "sluice demo",
     .next_shows = "a rollout that waits for its shards"},
};

}  // namespace

std::span<const Story> stories() {
    return table;
}

}  // namespace sluice::sim::pilot
