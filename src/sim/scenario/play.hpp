// Plays scenarios: once as they are written, and then with everything that can go wrong.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"
#include "sim/world/world.hpp"

namespace sluice::sim {

// Sets the faults of a run up before it begins.
using Disturb = std::function<void(Faults&)>;

struct Outcome {
    std::vector<std::string> problems;  // empty: all is well
    std::set<std::string> tested;       // promises that were put to the test
    int exchanges = 0;
    int batches = 0;
    int injected = 0;
    Duration simulated{0};
};

// `is_quiet`: nothing is disturbed, so that everything must be seen in time.
Outcome play(
    const Scenario& scenario, std::uint64_t seed, bool is_quiet = true,
    const Disturb& disturb = [](Faults&) {});

struct Exploration {
    int runs = 0;
    int injected = 0;
    Duration simulated{0};
    std::set<std::string> tested;
    std::vector<std::string> problems;  // each with what was done to the world
};

struct Depth {
    int crash_stride = 1;  // every n-th exchange
    int event_stride = 1;  // every n-th batch
    int pairs = 20;        // of faults, drawn from the seed
    int points_max = 250;  // exchanges and batches; longer timelines are sampled evenly
};

// A crash before and after every exchange, the same with a stale view behind it, lost, repeated and
// late events at every batch, and pairs of faults.
Exploration explore(const Scenario& scenario, std::uint64_t seed, const Depth& depth);

}  // namespace sluice::sim
