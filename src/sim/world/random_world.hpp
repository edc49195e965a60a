// A world drawn from a seed: sets, hooks, people who change their minds, and bad luck. First
// anything may happen and nothing may be ungated; then the faults stop, everybody agrees, and all
// must come to a good end.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/time.hpp"

namespace sluice::sim {

struct RandomOutcome {
    std::vector<std::string> problems;  // empty: all is well
    std::vector<std::string> history;   // what was done to the world, in order
    std::set<std::string> tested;
    int injected = 0;
    int writes = 0;
    Duration simulated{0};
};

RandomOutcome play_random_world(std::uint64_t seed);

}  // namespace sluice::sim
