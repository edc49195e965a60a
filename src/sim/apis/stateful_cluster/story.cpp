// The stories of StatefulCluster: an update in which no identity is used again, and a node that is
// lost.
#include "sim/demo/story.hpp"

#include <algorithm>

#include "sim/api/state.hpp"
#include "sim/apis/stateful_cluster/api.hpp"
#include "sim/apis/stateful_cluster/objects.hpp"

namespace sluice::sim::stateful_cluster {

using namespace demo;
namespace {

Response set_image(World& world, const char* image) {
    return world.merge(clusters, ns, name, field_patch(fields(), "image", image));
}

void set_up(World& world) {
    create(world, name, {{"image", "app:1.0"}, {"tolerance", "5s"}}, "data");
}

// A member in its place; while its pod waits for another one to be gone, that one is seen.
PodSeen member_seen(const World& world, const json::object& member, std::int64_t index,
                    Instant now) {
    PodSeen seen{.name = text_at(member, "/name"), .index = index};
    for (const char* pod : {"/name", "/after"})
        if (const ObjectPtr found = world.cluster.api().find("pods", ns, text_at(member, pod));
            found && !seen.exists) {
            seen.name = text_at(member, pod);
            read_pod(seen, found->object(), now);
        }
    return seen;
}

void cast(const World& world, const std::string& space, const std::string& cluster, Scene& scene) {
    const ObjectPtr found = world.cluster.api().find(clusters, space, cluster);
    if (!found) return;
    const json::object& object = found->object();
    const json::array& members = array_at(object, "/status/members");
    SetSeen& set = scene.set;
    set.kind = "StatefulCluster";
    set.ns = space;
    set.name = cluster;
    set.image = text_at(object, "/spec/template/spec/containers/0/image");
    set.replicas = number_at(object, "/spec/replicas", 1);
    set.partition = set.replicas - number_at(object, "/status/exposed");
    set.has_partition = false;
    set.current_revision = text_at(object, "/status/currentRevision");
    set.update_revision = text_at(object, "/status/updateRevision");
    for (auto index = static_cast<std::int64_t>(members.size()) - 1; index >= 0; --index)
        scene.pods.push_back(member_seen(
            world, members.at(static_cast<std::size_t>(index)).get_object(), index, scene.now));
}

bool is_step(const Change& change) {
    return change.place.resource == clusters &&
           number_at(change.object->object(), "/status/exposed") >
               number_at(change.before->object(), "/status/exposed");
}

bool all_are_ready(const World&, const Scene& scene) {
    return scene.set.phase == "Ready" && count_ready(scene) == scene.set.replicas;
}

bool somebody_is_away(const World&, const Scene& scene) {
    return count_ready(scene) < scene.set.replicas;
}

constexpr Step update_steps[] = {
    {at_once, 4s, "Somebody deletes a pod.", "kubectl -n shop delete pod db-...",
     [](World& world) {
         return world.remove(
             "pods", ns,
             text_at(pods_of(world.cluster.api(), ns, name).at(1)->object(), "/metadata/name"));
     }},
    {somebody_is_away, 0s, "", "", [](World&) {}},
    {all_are_ready, 4s, "Its successor has another name. You roll out a new version.",
     "kubectl -n shop patch stc db --type merge -p '...app:1.1...'",
     [](World& world) { return set_image(world, "app:1.1"); }},
};

constexpr Step failure_steps[] = {
    {at_once, 4s, "A node is lost.", "",
     [](World& world) { world.cluster.set_node_ready("node-1", false); }},
    {[](const World&, const Scene& scene) { return scene.set.reason == "MemberLeaving"; }, 4s,
     "The node does not come back: you say so.", "kubectl delete node node-1",
     [](World& world) { return world.remove("nodes", "", "node-1"); }},
};

constexpr Story table[] = {
    {.api = "statefulcluster",
     .title = "identities that are never used again",
     .reporter = {clusters, name},
     .cast = cast,
     .is_step = is_step,
     .set_up = set_up,
     .steps = update_steps,
     .next_command = "sluice demo --api statefulcluster --fail",
     .next_shows = "a node that is lost"},
    {.api = "statefulcluster",
     .fails = true,
     .title = "a node that is lost",
     .reporter = {clusters, name},
     .cast = cast,
     .is_step = is_step,
     .ends = "Idle",
     .set_up = set_up,
     .steps = failure_steps,
     .next_command = "sluice demo --api statefulcluster",
     .next_shows = "identities that are never used again"},
};

}  // namespace

std::span<const Story> stories() {
    return table;
}

}  // namespace sluice::sim::stateful_cluster
