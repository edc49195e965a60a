#include "sim/demo/story.hpp"

#include "sim/demo/phased_rollout_story.hpp"
#include "sim/demo/pilot_story.hpp"
#include "sim/demo/rollout_plugin_story.hpp"

namespace sluice::sim::demo {

std::span<const Story> stories() {
    static const Story table[] = {
        pilot_story(),          pilot_failure_story(),
        phased_rollout_story(), phased_rollout_failure_story(),
        rollout_plugin_story(), rollout_plugin_failure_story(),
    };
    return table;
}

const Story* find_story(std::string_view api, bool fails) {
    for (const Story& story : stories())
        if (story.api == api && story.fails == fails) return &story;
    return nullptr;
}

}  // namespace sluice::sim::demo
