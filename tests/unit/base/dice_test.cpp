#include "base/dice.hpp"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(Dice, TheSameSeedGivesTheSameThrows) {
    Dice one{42}, other{42}, stranger{43};
    bool differs = false;
    for (int i = 0; i < 100; ++i) {
        const std::uint64_t thrown = one.roll();
        EXPECT_EQ(thrown, other.roll());
        differs = differs || thrown != stranger.roll();
    }
    EXPECT_TRUE(differs);
}

TEST(Dice, AThrowLiesBetweenItsBoundsAndReachesBoth) {
    Dice dice{7};
    bool least = false, most = false;
    for (int i = 0; i < 1000; ++i) {
        const Duration thrown = dice.between(10ms, 13ms);
        EXPECT_GE(thrown, 10ms);
        EXPECT_LE(thrown, 13ms);
        least = least || thrown == 10ms;
        most = most || thrown == 13ms;
    }
    EXPECT_TRUE(least && most);
}

TEST(Dice, EqualBoundsLeaveNoChoice) {
    Dice dice{7};
    EXPECT_EQ(dice.between(5s, 5s), Duration{5s});
}

}  // namespace
}  // namespace sluice
