// Random worlds: nothing is ungated while anything may happen, and all ends well when it stops.
#include <gtest/gtest.h>

#include <iostream>
#include <mutex>

#include "sim/world/random_world.hpp"
#include "tests/parallel.hpp"

namespace sluice::sim {
namespace {

#ifdef SLUICE_SANITIZED
constexpr std::uint64_t seeds = 6;
#else
constexpr std::uint64_t seeds = 400;
#endif

TEST(RandomWorlds, KeepEveryPromiseAndEndWell) {
    std::mutex lock;
    Duration simulated{0};
    int injected = 0;
    testing::in_parallel(seeds, [&](std::size_t number) {
        const std::uint64_t seed = number + 1;
        const RandomOutcome outcome = play_random_world(seed);
        const std::scoped_lock held{lock};
        simulated += outcome.simulated;
        injected += outcome.injected;
        EXPECT_TRUE(outcome.problems.empty())
            << outcome.problems.front() << "\nsee it again with: sluice sim --seed " << seed
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
