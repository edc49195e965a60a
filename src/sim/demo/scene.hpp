// One moment of a world, as a viewer of the demo sees it: read from the API and nowhere else. What
// people do and what the server answers them is written down by the stage.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/world/world.hpp"

namespace sluice::sim::demo {

struct PodSeen {
    std::string name;
    std::int64_t index = 0;  // its place, from the one that is updated last
    bool exists = false;
    std::string uid = {};
    std::string image = {};
    std::string revision = {};
    std::string state = {};  // as kubectl says it: Running, Pending, Terminating, CrashLoopBackOff
    bool ready = false;
    Duration age{0};
    std::int64_t restarts = 0;
    friend bool operator==(const PodSeen&, const PodSeen&) = default;
};

struct SetSeen {
    std::string kind = "StatefulSet";
    std::string ns;
    std::string name;
    std::string image;
    std::int64_t replicas = 0;
    std::int64_t partition = 0;
    bool has_partition = true;  // false: the number is ours, and no field that people know
    std::string current_revision;
    std::string update_revision;
    // From the annotations sluice.dev/*, or from the status of the object that steers it.
    std::string phase;
    std::string reason;
    std::string message;
    std::string unblock;
    std::string guarantee;
    std::string refused;
    std::optional<Instant> since = {};
};

// Where the gate is, in a noun and a number: "partition 2", or "updated 1 of 3".
struct GatePlace {
    const char* noun;
    std::string number;
};
GatePlace gate_place(const SetSeen& set);

struct EventSeen {
    Instant at;
    bool warns = false;
    std::string name;  // of the event, by which it is told from others
    std::string reason;
    std::string message;
    std::int64_t count = 1;
};

// Somebody did something; what the server had to say to it.
struct UserAction {
    Instant at;
    std::string caption;
    std::string command;
    std::string answer;  // a warning or a refusal; empty: it was done
};

// Something to try next.
struct Hint {
    std::string command;
    std::string shows;
};

// What is told when all is over.
struct Summary {
    Duration took{0};
    std::string gateman;  // who was asked
    int questions = 0;
    int refusals = 0;
    int transitions = 0;  // different ones that were asked about; 0: nobody counts them
    int steps = 0;        // times that a pod was let go
    int writes = 0;       // of the operator: StatefulSets and events
    int serving_least = 0;
    std::vector<std::string> violations;
    std::vector<Hint> try_next;
};

struct Scene {
    std::string title;
    double speed = 1;
    Instant begun;
    Instant now;
    SetSeen set;
    std::vector<PodSeen> pods;              // in the order in which they are updated
    std::vector<EventSeen> events;          // oldest first
    std::optional<UserAction> action = {};  // the last one
    std::optional<Summary> summary = {};
};

// Who reports on the set: an object of a resource, by name; without a name, the set itself.
struct Reporter {
    std::string_view resource = "statefulsets.apps";
    std::string_view name = {};
};

// Fills in the workload and its pods; nothing if it is not there.
using Cast = void (*)(const World& world, const std::string& ns, const std::string& name,
                      Scene& scene);
void cast_set(const World& world, const std::string& ns, const std::string& name, Scene& scene);
void read_pod(PodSeen& seen, const json::object& pod, Instant now);

// The set, its pods, and the events of the set and its reporter.
Scene look(const World& world, const std::string& ns, const std::string& name,
           const Reporter& reporter = {}, Cast cast = cast_set);

// Not what the template says. The image alone tells before the status knows of a new revision.
bool is_old(const PodSeen& pod, const SetSeen& set);
bool is_behind_gate(const PodSeen& pod, const SetSeen& set);
// A pod has to change, or the books of the last change are not closed.
bool is_pending(const Scene& scene);
int count_ready(const Scene& scene);
int count_behind_gate(const Scene& scene);

}  // namespace sluice::sim::demo
