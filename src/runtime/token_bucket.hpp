// So many requests a second on average, and a burst on top. Nobody waits inside it: who finds it
// empty is told when to come back.
#pragma once

#include <algorithm>

#include "base/time.hpp"

namespace sluice::runtime {

class TokenBucket {
  public:
    TokenBucket(double per_second, double burst)
        : per_second_(per_second), burst_(burst), tokens_(burst) {}

    bool has_tokens(Instant now) {
        refill(now);
        return tokens_ >= 1;
    }
    // May go below zero: one piece of work is never cut in half.
    void take(double tokens) { tokens_ -= tokens; }
    Instant refilled_at(Instant now) const {
        const double missing = std::max(0.0, 1 - tokens_);
        return now + Duration{static_cast<std::int64_t>(missing / per_second_ * 1000) + 1};
    }

  private:
    void refill(Instant now) {
        if (now > last_) {
            const double passed = static_cast<double>((now - last_).count()) / 1000;
            tokens_ = std::min(burst_, tokens_ + passed * per_second_);
        }
        last_ = std::max(last_, now);
    }

    double per_second_;
    double burst_;
    double tokens_;
    Instant last_;
};

}  // namespace sluice::runtime
