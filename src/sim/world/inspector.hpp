// Shows what happens in a world to all promises, the general ones and those of every API, and keeps
// what they found. The names are those of docs/simulation.md.
#pragma once

#include "sim/promises/promise.hpp"
#include "sim/world/operator_host.hpp"

namespace sluice::sim {

class Inspector {
  public:
    // `skew`: how far the clock of an operator may be off.
    Inspector(Cluster& cluster, Egress& egress, Duration skew = Duration{0});
    Inspector(const Inspector&) = delete;
    Inspector& operator=(const Inspector&) = delete;

    // Shows the promises what an operator's process does.
    HostWitness witness();
    // The run is over, and this operator has had time to settle.
    void end(const OperatorHost& host);

    // Empty if every promise was kept.
    const std::vector<std::string>& violations() const { return findings_.violations; }
    const std::set<std::string>& tested() const { return findings_.tested; }
    // What operators have written since the world began, leases left out.
    int writes() const { return history_.writes(); }
    // Times at which an operator closed a gate again.
    const std::vector<Instant>& corrections() const { return history_.corrections(); }

  private:
    void on_change(const Change& change);
    static bool begins_to_go(const Change& change);
    void on_set_write(const Change& change);
    template <class... Seen, class... Given>
    void show(void (Observer::*event)(Seen...), Given&&... given) {
        for (const auto& one : observers_)
            (one.get()->*event)(given...);
    }

    History history_;
    Findings findings_;
    Observers observers_;
};

}  // namespace sluice::sim
