// Deletes what lost its last owner, and carries out the two deletions that wait for dependents:
// foreground (they go first) and orphan (they lose the reference).
#pragma once

#include "sim/actors/kinship.hpp"
#include "sim/actors/turns.hpp"

namespace sluice::sim {

class GarbageCollector {
  public:
    GarbageCollector(Surroundings at, const Kinship& kinship);
    // Told after the kinship.
    void on_change(const Change& change);

  private:
    bool turn(const std::string& uid);
    bool settle_owner(const Place& place, const json::object& owner);
    bool settle_dependent(const Place& place, const json::object& dependent);
    bool finish(const Place& place, const std::string& finalizer);
    bool is_alive(const json::object& reference, const Place& dependent) const;
    bool is_in_foreground(const json::object& reference) const;

    Surroundings at_;
    const Kinship& kinship_;
    Turns turns_;  // by UID: the name of the key
};

}  // namespace sluice::sim
