// Gives pods a node: the ready one with the fewest pods that the pod's nodeSelector allows. A pod
// whose claims are not bound, or whose ReadWriteOncePod claim another pod uses, waits.
#pragma once

#include <map>
#include <set>

#include "sim/actors/turns.hpp"

namespace sluice::sim {

// Whether the node says of itself that it is well.
bool is_ready_node(const ObjectPtr& node);

class Scheduler {
  public:
    explicit Scheduler(Surroundings at);
    void on_change(const Change& change);

  private:
    bool turn(const Key& key);
    void count(const Change& change);
    std::string why_not(const json::object& pod) const;  // empty: its claims let it run
    bool is_used_by_another(const json::object& pod, std::string_view claim) const;
    std::string choose(const json::object& pod) const;
    void bind(const ObjectPtr& pod, const std::string& node);
    void say_unschedulable(const ObjectPtr& pod, const std::string& why);
    void retry(const std::string& ns);  // those of one namespace, or (empty) all

    Surroundings at_;
    Turns turns_;
    std::set<Key> waiting_;
    std::map<std::string, int, std::less<>> pods_on_;
};

}  // namespace sluice::sim
