// Plays a scenario: as it is written, or in a world that is disturbed.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"
#include "sim/world/world.hpp"

namespace sluice::sim {

// What follows on the last line of a scenario: time to settle, and then time in which nobody may
// write anything.
struct Tail {
    Duration settling;
    Duration idle;
};
constexpr Tail tail_of_a_quiet_run{1min, 1h};

struct Disturbance {
    std::string what = {};                      // for people
    std::function<void(Faults&)> disturb = {};  // before the world begins; empty: nothing is
    Tail tail = tail_of_a_quiet_run;            // disturbed, and all must be seen in time
};

struct Outcome {
    std::vector<std::string> problems;  // empty: all is well
    std::set<std::string> tested;       // promises that were put to the test
    std::vector<Exchange> exchanges = {};
    int batches = 0;
    int injected = 0;
    Duration simulated{0};
};

Outcome play(const Scenario& scenario, std::uint64_t seed, const Disturbance& disturbance = {});

}  // namespace sluice::sim
