#include "sim/demo/story.hpp"

#include "sim/apis/registry.hpp"

namespace sluice::sim::demo {

std::span<const Story> stories() {
    static const std::vector<Story> all = with_rows_of_apis(std::vector<Story>{}, &Api::stories);
    return all;
}

const Story* find_story(std::string_view api, bool fails) {
    for (const Story& story : stories())
        if (story.api == api && story.fails == fails) return &story;
    return nullptr;
}

bool at_once(const World&, const Scene&) {
    return true;
}

bool has_ended_as(std::string_view reason, const Scene& scene) {
    return scene.set.reason == reason && !is_pending(scene) &&
           count_ready(scene) == scene.set.replicas;
}

bool is_completed(const World&, const Scene& scene) {
    return has_ended_as("RolloutCompleted", scene);
}

bool lowers_gate(const Change& change) {
    if (change.place.resource != "statefulsets.apps") return false;
    const json::object& set = change.object->object();
    return partition_of(set) < partition_of(change.before->object()) &&
           partition_of(set) < number_at(set, "/spec/replicas");
}

}  // namespace sluice::sim::demo
