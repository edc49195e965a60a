// The operator's clock: wall time when it was made plus what the kernel has counted since, time
// asleep included. It never jumps when somebody sets the wall clock.
#pragma once

#include <cstdint>

#include "base/time.hpp"

namespace sluice::net {

class Clock {
  public:
    Clock();
    Instant now() const;

  private:
    Instant start_;
    std::int64_t boot_ms_at_start_;
};

// What others mean by the time: dates in answers and certificates. It may be set, and then is
// right.
Instant wall_time();

}  // namespace sluice::net
