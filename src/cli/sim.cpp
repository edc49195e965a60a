#include "cli/sim.hpp"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <set>
#include <string>

#include "sim/world/random_world.hpp"

namespace sluice::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct Tally {
    std::uint64_t worlds = 0;
    std::uint64_t faults = 0;
    std::uint64_t writes = 0;
    Duration simulated{0};
    std::set<std::string> tested;
};

void tell_history(const sim::RandomOutcome& outcome, std::ostream& out) {
    for (const std::string& line : outcome.history)
        out << "  " << line << "\n";
}

void tell_failure(std::uint64_t seed, const sim::RandomOutcome& outcome, std::ostream& out) {
    out << fmt::format("world {} went wrong:\n", seed);
    for (const std::string& problem : outcome.problems)
        out << "  " << problem << "\n";
    out << "what was done to it:\n";
    tell_history(outcome, out);
    out << fmt::format("see it again with:\n  sluice sim --seed {} --worlds 1\n", seed);
}

void tell_summary(const Tally& tally, double seconds, std::ostream& out) {
    const double simulated = static_cast<double>(tally.simulated.count()) / 1000;
    out << fmt::format(
        "{} worlds, {:.0f} simulated hours, {} faults injected, {} writes of operators; no promise "
        "was broken\n{:.0f} simulated seconds per second\npromises put to the test: {}\n",
        tally.worlds, simulated / 3600, tally.faults, tally.writes,
        simulated / std::max(seconds, 0.001), fmt::join(tally.tested, " "));
}

}  // namespace

int run_sim(const SimOptions& options, std::ostream& out) {
    const auto begun = Clock::now();
    const auto seconds = [&] {
        return std::chrono::duration<double>(Clock::now() - begun).count();
    };
    Tally tally;
    for (std::uint64_t seed = options.seed;; ++seed) {
        const sim::RandomOutcome outcome = sim::play_random_world(seed);
        ++tally.worlds;
        tally.faults += static_cast<std::uint64_t>(outcome.injected);
        tally.writes += static_cast<std::uint64_t>(outcome.writes);
        tally.simulated += outcome.simulated;
        tally.tested.insert(outcome.tested.begin(), outcome.tested.end());
        if (!outcome.problems.empty()) {
            tell_failure(seed, outcome, out);
            return 1;
        }
        if (options.verbose) {
            out << fmt::format("world {}:\n", seed);
            tell_history(outcome, out);
        }
        if (options.worlds > 0 && tally.worlds >= options.worlds) break;
        if (seconds() >= options.minutes * 60) break;
    }
    tell_summary(tally, seconds(), out);
    return 0;
}

}  // namespace sluice::cli
