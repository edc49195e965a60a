// The stories of PhasedRollout: a rollout that waits for a backup, and a version that is taken
// back.
#include <algorithm>

#include "sim/apis/phased_rollout/api.hpp"
#include "sim/apis/phased_rollout/objects.hpp"
#include "sim/demo/story.hpp"

namespace sluice::sim::phased_rollout {

using namespace demo;
namespace {

std::map<std::string, std::string> check(const std::string& expr) {
    return {{"delay", "2s"}, {"period", "2s"}, {"threshold", "2"}, {"expr", expr}};
}

void set_up(World& world) {
    world.create_set({.name = name, .ns = ns, .image = "app:1.0"});
    create(world, {.name = name, .ns = ns, .target = name, .fields = check("backup_running > 0")});
}

void set_up_with_rollback(World& world) {
    world.create_set({.name = name, .ns = ns, .image = "app:1.0"});
    auto fields = check("errors_per_second > 5");
    fields["delay"] = "1s";
    fields["threshold"] = "1";
    fields["failures"] = "2";
    fields["on-failure"] = "Rollback";
    create(world, {.name = name, .ns = ns, .target = name, .fields = fields});
}

int pods_with(const Scene& scene, std::string_view image) {
    return static_cast<int>(std::ranges::count_if(
        scene.pods, [&](const PodSeen& pod) { return pod.image == image && pod.ready; }));
}

constexpr Step rollout_steps[] = {
    roll_out,
    {[](const World&, const Scene& scene) { return pods_with(scene, "app:1.1") == 1; }, 0s,
     "The nightly backup begins; Prometheus sees it.", "",
     [](World& world) { world.egress.prometheus.set("backup_running", {{"job", "db"}}, 1); }},
    {[](const World&, const Scene& scene) { return scene.set.reason == "CheckFailed"; }, 9s,
     "The backup is done.", "",
     [](World& world) { world.egress.prometheus.forget("backup_running"); }},
};

constexpr Step failure_steps[] = {
    roll_out,
    {[](const World&, const Scene& scene) { return pods_with(scene, "app:1.1") == 2; }, 0s,
     "With two pods on it, errors show.", "",
     [](World& world) { world.egress.prometheus.set("errors_per_second", {{"job", "db"}}, 12); }},
    {[](const World&, const Scene& scene) { return pods_with(scene, "app:1.0") == 2; }, 0s, "", "",
     [](World& world) { world.egress.prometheus.forget("errors_per_second"); }},
    {[](const World&, const Scene& scene) { return scene.set.reason == "RolledBack"; }, 5s,
     "You repair it.", "kubectl -n shop set image statefulset/db app=app:1.2",
     [](World& world) { return world.set_image(ns, name, "app:1.2"); }},
};

Questions questions(const World& world) {
    Questions all;
    for (const MetricCall& call : world.egress.metric_calls()) {
        ++all.asked;
        all.refused += call.reading.kind == engine::MetricAnswer::Kind::NoData ? 0 : 1;
    }
    return all;
}

constexpr Story table[] = {
    {.api = "phasedrollout",
     .title = "a rollout that waits for a backup",
     .reporter = {rollouts, name},
     .gateman = "Prometheus",
     .questions = questions,
     .set_up = set_up,
     .steps = rollout_steps,
     .next_command = "sluice demo --api phasedrollout --fail",
     .next_shows = "a version that is taken back"},
    {.api = "phasedrollout",
     .fails = true,
     .title = "a version that is taken back",
     .reporter = {rollouts, name},
     .gateman = "Prometheus",
     .questions = questions,
     .set_up = set_up_with_rollback,
     .steps = failure_steps,
     .next_command = "sluice demo --api phasedrollout",
     .next_shows = "a rollout that waits for a backup"},
};

}  // namespace

std::span<const Story> stories() {
    return table;
}

}  // namespace sluice::sim::phased_rollout
