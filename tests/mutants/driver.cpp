// Plays scenarios and random worlds until one promise is broken, and says which ones were. A mutant
// is linked with it; the promise that the mutant breaks must be among them.
#include <iostream>
#include <set>

#include "sim/scenario/explore.hpp"
#include "sim/world/random_world.hpp"
#include "tests/scenario_files.hpp"

namespace sluice::sim {
namespace {

// "S4 at 2026...: ..." and "L5: ..." stand somewhere in a problem; what a scenario did not see is
// L1, and L6 where corrections were counted.
bool is_about(const std::string& problem, const std::string& promise) {
    if (problem.find(" " + promise + " at ") != std::string::npos) return true;
    if (problem.find(promise + ": ") != std::string::npos || problem.starts_with(promise + " "))
        return true;
    if (promise == "L6") return problem.find("corrections a minute") != std::string::npos;
    return promise == "L1" && problem.find(": not within ") != std::string::npos;
}

bool is_broken(const std::vector<std::string>& problems, const std::string& promise) {
    for (const std::string& problem : problems)
        if (is_about(problem, promise)) {
            std::cout << problem << "\n";
            return true;
        }
    return false;
}

bool is_killed(const std::string& promise, const std::vector<std::string>& files) {
    for (const std::string& file : files) {
        const auto scenario = testing::scenario_in(file);
        if (!scenario) {
            std::cout << file << ": " << scenario.error().message << "\n";
            return false;
        }
        if (is_broken(play(*scenario, 1).problems, promise)) return true;
        const Depth some{.writes_max = 12, .reads_max = 6, .batches_max = 8, .pairs = 10};
        if (is_broken(explore(*scenario, 1, some).problems, promise)) return true;
    }
    for (std::uint64_t seed = 1; seed <= 60; ++seed)
        if (is_broken(play_random_world(seed).problems, promise)) return true;
    return false;
}

}  // namespace
}  // namespace sluice::sim

int main(int argc, char** argv) {
    const std::vector<std::string> files(argv + 2, argv + argc);
    return sluice::sim::is_killed(argv[1], files) ? 0 : 1;
}
