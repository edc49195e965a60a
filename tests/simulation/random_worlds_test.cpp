// Random worlds: nothing is ungated while anything may happen, and all ends well when it stops.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <mutex>

#include "sim/world/random_world.hpp"
#include "tests/parallel.hpp"

namespace sluice::sim {
namespace {

#ifdef SLUICE_SANITIZED
constexpr std::uint64_t worlds_by_default = 6;
#else
constexpr std::uint64_t worlds_by_default = 400;
#endif

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
    const char* given = std::getenv(variable);
    return given ? std::strtoull(given, nullptr, 10) : otherwise;
}

TEST(RandomWorlds, KeepEveryPromiseAndEndWell) {
    std::mutex lock;
    Duration simulated{0};
    int injected = 0;
    const std::uint64_t first = number_from("SLUICE_SEED", 1);
    const std::uint64_t worlds = number_from("SLUICE_WORLDS", worlds_by_default);
    testing::in_parallel("worlds", worlds, [&](std::size_t number) {
        const std::uint64_t seed = first + number;
        const RandomOutcome outcome = play_random_world(seed);
        const std::scoped_lock held{lock};
        simulated += outcome.simulated;
        injected += outcome.injected;
        EXPECT_TRUE(outcome.problems.empty())
            << outcome.problems.front() << "\nagain: build/release/sluice sim --seed " << seed
            << " --worlds 1";
    });
    EXPECT_GT(injected, 0) << "faults must have happened";
    std::cout << simulated / 1h << " simulated hours, " << injected << " faults injected\n";
}

TEST(RandomWorlds, TheSameSeedIsTheSameWorld) {
    for (const std::uint64_t seed : {3u, 4u}) {
        const RandomOutcome first = play_random_world(seed);
        const RandomOutcome second = play_random_world(seed);
        EXPECT_EQ(first.history, second.history);
        EXPECT_EQ(first.writes, second.writes);
        EXPECT_EQ(first.simulated, second.simulated);
        EXPECT_EQ(first.injected, second.injected);
    }
}

}  // namespace
}  // namespace sluice::sim
