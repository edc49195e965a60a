// The controllers of a cluster: each sees every change, and reconciles the objects that it queues.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>

#include "sim/actors/cluster.hpp"
#include "sim/actors/object.hpp"
#include "sim/actors/owner_index.hpp"

namespace sluice::sim {

// What every controller works with.
struct Surroundings {
    ApiServer& api;
    Timeline& timeline;
    Dice& dice;
    const ClusterOptions& options;

    Instant now() const { return timeline.now(); }
};

// The objects of one controller that are to be reconciled. An object waits at most once, whatever
// happens to it meanwhile; it is reconciled after a delay drawn from the controller's pace, on the
// API of that moment. What failed is repeated, ever more slowly.
class WorkQueue {
  public:
    using Reconcile = std::function<bool(const Key&)>;  // false: failed, again later

    WorkQueue(Surroundings at, Duration least, Duration most, Reconcile reconcile)
        : at_(at), least_(least), most_(most), reconcile_(std::move(reconcile)) {}
    WorkQueue(const WorkQueue&) = delete;
    WorkQueue& operator=(const WorkQueue&) = delete;

    void add(const Key& key);
    // At that time once more, whatever happens until then. The earliest wish counts.
    void add_at(const Key& key, Instant when);
    // While held, nothing is reconciled; afterwards, all that was missed.
    void hold(bool held);

  private:
    void schedule(const Key& key, Duration delay);
    void take(const Key& key);

    Surroundings at_;
    Duration least_, most_;
    Reconcile reconcile_;
    std::set<Key> waiting_;
    std::map<Key, Instant> later_;
    std::map<Key, int> failures_;
    bool is_held_ = false;
    std::set<Key> missed_;
};

class Controller {
  public:
    explicit Controller(Surroundings at)
        : Controller(at, at.options.pace.controller_least, at.options.pace.controller_most) {}
    Controller(Surroundings at, Duration least, Duration most)
        : at_(at), queue_(at, least, most, [this](const Key& key) { return reconcile(key); }) {}
    virtual ~Controller() = default;

    virtual void on_change(const Change& change) = 0;
    // It stops working, or goes on.
    void hold(bool held) { queue_.hold(held); }

  protected:
    virtual bool reconcile(const Key& key) = 0;  // false: failed, again later

    const Surroundings at_;
    WorkQueue queue_;
};

// The index is told of every change before they are.
std::unique_ptr<Controller> make_statefulset_controller(Surroundings at, const OwnerIndex& owners);
std::unique_ptr<Controller> make_job_controller(Surroundings at, const OwnerIndex& owners);
std::unique_ptr<Controller> make_garbage_collector(Surroundings at, const OwnerIndex& owners);
std::unique_ptr<Controller> make_scheduler(Surroundings at);
std::unique_ptr<Controller> make_volume_controller(Surroundings at);
std::unique_ptr<Controller> make_kubelets(Surroundings at);
std::unique_ptr<Controller> make_namespace_controller(Surroundings at);

}  // namespace sluice::sim
