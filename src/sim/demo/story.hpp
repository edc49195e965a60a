// The stories that the demo plays, those of all APIs: what stands on the stage at first, and
// what people do to it, step by step. A story says nothing of what Sluice will do; that is seen.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "sim/demo/scene.hpp"

namespace sluice::sim::demo {

// Happens `after` so long from the moment at which `once` holds and the step before is done.
struct Step {
    bool (*once)(const World& world, const Scene& scene);
    Duration after;
    std::string_view caption;  // empty: nobody tells the viewer, it only happens
    std::string_view command;  // what a person would type
    // What the server says to it, where it is asked at all.
    std::variant<Response (*)(World& world), void (*)(World& world)> act;
};

// What was asked before pods were let go, and what came of it.
struct Questions {
    int asked = 0;
    int refused = 0;
    int transitions = 0;  // different ones that were asked about; 0: nobody counts them
};

// Moments that many stories wait for.
bool at_once(const World& world, const Scene& scene);
bool is_completed(const World& world, const Scene& scene);  // the rollout, and all pods are ready
bool has_ended_as(std::string_view reason, const Scene& scene);  // the same with another reason

// The operator moves the gate of a StatefulSet past one more pod.
bool lowers_gate(const Change& change);

// The workload that all stories are about.
inline constexpr const char* ns = "shop";
inline constexpr const char* name = "db";

// What most of them begin with.
inline constexpr Step roll_out{at_once, 4s, "You roll out a new version.",
                               "kubectl -n shop set image statefulset/db app=app:1.1",
                               [](World& world) { return world.set_image(ns, name, "app:1.1"); }};

struct Story {
    std::string_view api;
    bool fails = false;  // the one for --fail
    std::string_view title;
    Reporter reporter = {};                               // who says how it goes
    Cast cast = cast_set;                                 // what stands on the stage
    int away_most = 1;                                    // pods that do not serve at a time
    bool (*is_step)(const Change& change) = lowers_gate;  // a pod is let go by this
    std::string_view ends = "RolloutCompleted";           // the reason that is told at the end
    std::string_view gateman = {};  // who is asked, as the summary calls it; empty: nobody
    Questions (*questions)(const World& world) = nullptr;  // null: nobody is asked
    void (*set_up)(World& world);                          // once the policies are there
    std::span<const Step> steps;  // it is over once all are done and the rollout is completed
    // What to try when it is over, beside what everybody should.
    std::string_view next_command;
    std::string_view next_shows;
};

std::span<const Story> stories();
const Story* find_story(std::string_view api, bool fails);

}  // namespace sluice::sim::demo
