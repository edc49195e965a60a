// Plays a scenario once as it is written, and then with everything that can go wrong.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "sim/scenario/play.hpp"

namespace sluice::sim {

struct Exploration {
    int runs = 0;
    int injected = 0;
    Duration simulated{0};
    std::set<std::string> tested;
    std::vector<std::string> problems;  // each with what was done to the world
};

// How much of it: exchanges and batches beyond these numbers are sampled evenly, at places that
// follow from the seed.
struct Depth {
    int writes_max = 250;
    int reads_max = 250;
    int batches_max = 250;
    int pairs = 20;           // of faults, drawn from the seed
    bool is_patient = false;  // every run has the long tail
};

// For a write: a crash before it and one after it, its request lost and its answer lost. For a read
// there is one crash and one loss, since nobody could tell two of them apart; and one crash only
// for all reads of the same state of the cluster. Each crash once more with a view behind it that
// is some changes old. Every batch of events lost, repeated and late; and pairs of faults.
std::vector<Disturbance> disturbances(const Outcome& plain, std::uint64_t seed, const Depth& depth);

// Plays a scenario once with each of these, each from the beginning; what became of each, in their
// order.
std::vector<Outcome> play_each(const Scenario& scenario, std::uint64_t seed,
                               const std::vector<Disturbance>& all);
using PlayAll = decltype(play_each);

Exploration explore(const Scenario& scenario, std::uint64_t seed, const Depth& depth,
                    PlayAll* play_all = play_each);

}  // namespace sluice::sim
