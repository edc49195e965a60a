// `sluice sim`: random worlds, one after the other, until the time is up or one goes wrong.
#pragma once

#include <cstdint>
#include <ostream>

namespace sluice::cli {

struct SimOptions {
    std::uint64_t seed = 1;    // of the first world; the next ones count up
    double minutes = 1;        // by the clock on the wall
    std::uint64_t worlds = 0;  // at most so many; 0: as many as there is time for
    bool verbose = false;      // tell what was done to each world
};

// 0: all went well. 1: a promise was broken, and how to see it again was said. `out` gets the
// report.
int run_sim(const SimOptions& options, std::ostream& out);

}  // namespace sluice::cli
