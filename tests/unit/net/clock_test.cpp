#include "net/clock.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace sluice::net {
namespace {

TEST(ClockTest, starts_at_wall_time) {
    const auto wall = [] {
        const auto since = std::chrono::system_clock::now().time_since_epoch();
        return std::chrono::duration_cast<Duration>(since).count();
    };
    const std::int64_t before = wall();
    const Clock clock;
    EXPECT_GE(clock.now().ms, before);
    EXPECT_LE(clock.now().ms, wall() + 1000);
}

TEST(ClockTest, never_goes_back) {
    const Clock clock;
    Instant last = clock.now();
    for (int i = 0; i < 10'000; ++i) {
        const Instant next = clock.now();
        ASSERT_GE(next, last);
        last = next;
    }
}

}  // namespace
}  // namespace sluice::net
