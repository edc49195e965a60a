// Storage: every claim gets a volume of its own, at once; a claim that a pod uses is not taken
// away before the pod is gone; a volume goes with its claim.
#pragma once

#include <set>

#include "sim/actors/turns.hpp"

namespace sluice::sim {

class Volumes {
  public:
    explicit Volumes(Surroundings at);
    void on_change(const Change& change);

  private:
    bool turn(const Key& key);
    bool bind(const ObjectPtr& claim);
    bool let_go(const ObjectPtr& claim);
    bool is_in_use(const Key& claim) const;

    Surroundings at_;
    Turns turns_;
    std::set<Key> leaving_;  // claims that wait for the end of their pods
};

}  // namespace sluice::sim
