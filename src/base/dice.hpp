// A small source of jitter, seeded from outside: the pure half has no randomness of its own.
#pragma once

#include <cstdint>

#include "base/time.hpp"

namespace sluice {

class Dice {
  public:
    explicit Dice(std::uint64_t seed) : state_(seed) {}

    // splitmix64
    std::uint64_t roll() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }
    // Anywhere from `least` to `most`, both included.
    Duration between(Duration least, Duration most) {
        const auto span = static_cast<std::uint64_t>((most - least).count()) + 1;
        return least + Duration{static_cast<std::int64_t>(roll() % span)};
    }

  private:
    std::uint64_t state_;
};

}  // namespace sluice
