// Empties a namespace that is being deleted, and lets it go when nothing is left in it.
#pragma once

#include <set>
#include <string>

#include "sim/actors/turns.hpp"

namespace sluice::sim {

class NamespaceController {
  public:
    explicit NamespaceController(Surroundings at);
    void on_change(const Change& change);

  private:
    bool turn(const std::string& ns);

    Surroundings at_;
    Turns turns_;
    std::set<std::string> leaving_;
};

}  // namespace sluice::sim
