// Everything that lives in a cluster beside its API server: the controllers and kubelets, on one
// virtual clock. Deterministic from the seed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/dice.hpp"
#include "base/time.hpp"
#include "sim/api/api_server.hpp"

namespace sluice::sim {

// Things to come, by time; what is due at the same time runs in the order it was set.
class Timeline {
  public:
    explicit Timeline(Instant start) : now_(start) {}
    Instant now() const { return now_; }
    void at(Instant when, std::function<void()> what);
    void after(Duration delay, std::function<void()> what) { at(now_ + delay, std::move(what)); }
    std::optional<Instant> next() const;
    // Runs the next thing, if there is one that is due by `end`; false if not.
    bool run_next(Instant end);
    // Everything up to `end`, and the clock with it.
    void run_until(Instant end);

  private:
    Instant now_;
    std::uint64_t count_ = 0;
    std::map<std::pair<Instant, std::uint64_t>, std::function<void()>> entries_;
};

// How the machines of the cluster behave. Times are drawn between the bounds.
struct Pace {
    Duration controller_least = 5ms, controller_most = 50ms;  // a controller's reaction to a change
    Duration schedule_least = 5ms, schedule_most = 50ms;
    Duration start_least = 500ms, start_most = 2s;  // from bound to running
    Duration ready_least = 500ms, ready_most = 2s;  // from running to ready
    Duration stop_least = 200ms, stop_most = 1s;    // from the delete to the end of the pod
};

// A pod's template can carry the annotation sim.sluice.dev/behaviour: "unready" (runs, never
// ready), "crash" (crash loop), "pull" (image pull back-off), "slow 30s" (ready after that long),
// "fail" and "succeed" (for Jobs; jobs succeed without). A pod can be given another one while it
// lives.
inline const std::string behaviour_annotation = "sim.sluice.dev/behaviour";
// What each of its containers prints, where $PRINTED stands for a text that is written nowhere.
inline const std::string output_annotation = "sim.sluice.dev/output";
inline const std::string printed_secret = "PRINTED-6c04ea";

struct ClusterOptions {
    std::uint64_t seed = 1;
    Instant start{1'790'000'000'000};
    Pace pace = {};
    int nodes = 3;                 // node-0.., one after the other in zone-a, zone-b and zone-c
    bool max_unavailable = false;  // the feature gate MaxUnavailableStatefulSet
    bool tracks_fields = false;    // whether objects carry managedFields
};

class Cluster {
  public:
    explicit Cluster(ClusterOptions options);
    ~Cluster();
    Cluster(const Cluster&) = delete;
    Cluster& operator=(const Cluster&) = delete;

    ApiServer& api() { return api_; }
    const ApiServer& api() const { return api_; }
    Timeline& timeline() { return timeline_; }
    Instant now() const { return timeline_.now(); }
    Dice& dice() { return dice_; }
    void run_for(Duration length) { timeline_.run_until(now() + length); }

    // A node that is down takes no pods, and its pods become unready.
    void set_node_ready(const std::string& node, bool ready);
    // The StatefulSet controller stops working, or goes on.
    void set_controllers_running(bool running);

  private:
    class Actors;
    ClusterOptions options_;
    Timeline timeline_;
    Dice dice_;
    ApiServer api_;
    std::unique_ptr<Actors> actors_;
};

}  // namespace sluice::sim
