// A RolloutPlugin as a plan. Each weight is a step that exposes as many pods as it means, or as
// many hundredths of what a plugin moves; the pauses between two weights are gates before the
// second. After every weight all pods must be ready, those that are exposed on the new revision.
// Behind the last step come all pods.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "api/rollout_plugin/spec.hpp"
#include "engine/plan.hpp"

namespace sluice::api::rollout_plugin {

struct Circumstances {
    PodCount replicas{};
    int step = 0;                          // under way; those before it are behind us
    std::optional<Instant> pause_began{};  // if that step is a pause and has begun
    bool pause_is_over = false;            // somebody ended it
    Instant step_since{};                  // when the step made its last progress
    bool allow_unready = false;            // go on although pods behind the gate are not ready
    bool promotes_fully = false;           // all pods now, whatever the steps say
    std::map<int, engine::Analysis> analyses{};    // by their place, those that were begun
    std::optional<engine::Analysis> background{};  // once it was begun
    bool by_plugin = false;   // no pods say whether a weight is there, but a plugin
    bool is_current = false;  // the plugin has made the revision the current one already
};

// Rounded down, but a weight above 0 is at least one pod: a step of none would prove nothing.
PodCount pods_for(int percent, PodCount replicas);

engine::Plan compile(const Spec& spec, const Circumstances& now);

// When a step that makes no progress is late; nothing: it rests, because somebody wished so, and
// rests are no waiting.
std::optional<Instant> deadline_of(const Spec& spec, const Circumstances& now);

// Tells one list of steps from another: where a rollout stands in the one says nothing of the
// other.
std::uint64_t digest_of(const std::vector<Step>& steps);

// The weight that holds at a step: the highest so far.
int weight_at(const std::vector<Step>& steps, int step);

}  // namespace sluice::api::rollout_plugin
