// Random worlds: nothing is ungated while anything may happen, and all ends well when it stops.
#include <gtest/gtest.h>

#include <atomic>
#include <iostream>
#include <mutex>
#include <thread>

#include "sim/world/random_world.hpp"

namespace sluice::sim {
namespace {

#ifdef SLUICE_SANITIZED
constexpr std::uint64_t seeds = 6;
#else
constexpr std::uint64_t seeds = 400;
#endif

TEST(RandomWorlds, KeepEveryPromiseAndEndWell) {
    std::atomic<std::uint64_t> next = 1;
    std::mutex lock;
    Duration simulated{0};
    int injected = 0;
    const auto work = [&] {
        for (std::uint64_t seed = next++; seed <= seeds; seed = next++) {
            const RandomOutcome outcome = play_random_world(seed);
            const std::scoped_lock held{lock};
            simulated += outcome.simulated;
            injected += outcome.injected;
            EXPECT_TRUE(outcome.problems.empty())
                << outcome.problems.front() << "\nsee it again with: sluice sim --seed " << seed
                << " --worlds 1";
        }
    };
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
        threads.emplace_back(work);
    for (std::thread& one : threads)
        one.join();
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
