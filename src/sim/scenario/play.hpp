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
    std::string what = {};  // for people
    FaultPlan faults = {};  // from the first of its moments on; until then all is as it is written
    Tail tail = tail_of_a_quiet_run;
    bool begins_at(Moment moment) const {
        return moment.kind == Moment::Kind::Exchange ? faults.exchanges.contains(moment.number)
                                                     : faults.batches.contains(moment.number);
    }
};

struct Outcome {
    std::vector<std::string> problems;  // empty: all is well
    std::set<std::string> tested;       // promises that were put to the test
    std::vector<Exchange> exchanges = {};
    int batches = 0;
    int injected = 0;
    Duration simulated{0};
};

// Asked at every moment of a run, until it is disturbed: with what it is from here on. Null: with
// nothing yet.
using Turn = std::function<const Disturbance*(Moment)>;

// What is not disturbed must be seen in time.
Outcome play(const Scenario& scenario, std::uint64_t seed, Turn turn = {});
Outcome play(const Scenario& scenario, std::uint64_t seed, const Disturbance& disturbance);

}  // namespace sluice::sim
