// How long to wait after the n-th failure in a row: doubling, jittered, capped.
#pragma once

#include <algorithm>

#include "base/dice.hpp"
#include "base/time.hpp"

namespace sluice::runtime {

struct BackoffRange {
    Duration first = 800ms;
    Duration most = 30s;
};

class Backoff {
  public:
    explicit Backoff(BackoffRange range) : range_(range) {}

    void reset() { failures_ = 0; }
    int failures() const { return failures_; }
    // Half fixed, half jitter: never zero, never in step with others.
    Duration next(Dice& dice) {
        constexpr int doublings_max = 20;
        const Duration grown =
            range_.first * (std::int64_t{1} << std::min(failures_, doublings_max));
        const Duration capped = std::min(grown, range_.most);
        ++failures_;
        return dice.between(capped / 2, capped);
    }

  private:
    BackoffRange range_;
    int failures_ = 0;
};

}  // namespace sluice::runtime
