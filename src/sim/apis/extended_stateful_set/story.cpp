// The stories of ExtendedStatefulSet: a version beside the one before it, and a canary that fails.
#include "sim/demo/story.hpp"

#include "sim/api/state.hpp"
#include "sim/apis/extended_stateful_set/api.hpp"
#include "sim/apis/extended_stateful_set/objects.hpp"
#include "sim/promises/history.hpp"

namespace sluice::sim::extended_stateful_set {

using namespace demo;
namespace {

void set_up(World& world) {
    create(world, name, {{"image", "app:1.0"}, {"canary-time", "5s"}, {"deadline", "20s"}});
}

// Of each version its pods, the new ones first.
void cast(const World& world, const std::string& space, const std::string& object, Scene& scene) {
    const ObjectPtr found = world.cluster.api().find(extended_sets, space, object);
    if (!found) return;
    SetSeen& set = scene.set;
    set.kind = "ExtendedStatefulSet";
    set.ns = space;
    set.name = object;
    set.image = text_at(found->object(), "/spec/template/spec/template/spec/containers/0/image");
    set.replicas = number_at(found->object(), "/spec/template/spec/replicas", 1);
    set.partition = set.replicas - number_at(found->object(), "/status/exposed");
    set.has_partition = false;
    set.current_revision = fmt::format("v{}", number_at(found->object(), "/status/currentVersion"));
    set.update_revision = fmt::format("v{}", number_at(found->object(), "/status/updateVersion"));
    std::int64_t index = 0;
    for (const ObjectPtr& version : versions_of(world.cluster.api(), found->object()))
        for (const ObjectPtr& pod : pods_of(world.cluster.api(), version->object())) {
            PodSeen seen{.name = name_in(pod->object()), .index = index++};
            read_pod(seen, pod->object(), scene.now);
            seen.revision = fmt::format("v{}", version_of(version->object()));
            scene.pods.insert(scene.pods.begin(), std::move(seen));
        }
}

bool is_step(const Change& change) {
    return change.place.resource == extended_sets &&
           number_at(change.object->object(), "/status/exposed") >
               number_at(change.before->object(), "/status/exposed");
}

bool is_ready(const World&, const Scene& scene) {
    return scene.set.phase == "Ready";
}

constexpr Step upgrade_steps[] = {
    {is_ready, 4s, "You apply another template: version 2.", "kubectl -n shop apply -f db.yaml",
     [](World& world) { return extended_stateful_set::roll_out(world, name, "app:1.1"); }},
};

constexpr Step failure_steps[] = {
    {is_ready, 4s, "You apply a template whose pods crash.", "kubectl -n shop apply -f db.yaml",
     [](World& world) { return extended_stateful_set::roll_out(world, name, "app:1.1", "crash"); }},
    {[](const World&, const Scene& scene) { return scene.set.reason == "RolledBack"; }, 4s,
     "You apply one that works: version 3.", "kubectl -n shop apply -f db.yaml",
     [](World& world) { return extended_stateful_set::roll_out(world, name, "app:1.2"); }},
};

constexpr Story table[] = {
    {.api = "extendedstatefulset",
     .title = "a version beside the one before it",
     .reporter = {extended_sets, name},
     .cast = cast,
     .away_most = 0,
     .is_step = is_step,
     .ends = "Idle",
     .set_up = set_up,
     .steps = upgrade_steps,
     .next_command = "sluice demo --api extendedstatefulset --fail",
     .next_shows = "a canary that fails"},
    {.api = "extendedstatefulset",
     .fails = true,
     .title = "a canary that fails",
     .reporter = {extended_sets, name},
     .cast = cast,
     .away_most = 0,
     .is_step = is_step,
     .ends = "Idle",
     .set_up = set_up,
     .steps = failure_steps,
     .next_command = "sluice demo --api extendedstatefulset",
     .next_shows = "a version beside the one before it"},
};

}  // namespace

std::span<const Story> stories() {
    return table;
}

}  // namespace sluice::sim::extended_stateful_set
