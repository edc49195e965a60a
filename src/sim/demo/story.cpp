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

bool is_completed(const World&, const Scene& scene) {
    return scene.set.reason == "RolloutCompleted" && !is_pending(scene) &&
           count_ready(scene) == scene.set.replicas;
}

}  // namespace sluice::sim::demo
