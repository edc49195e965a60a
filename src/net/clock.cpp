#include "net/clock.hpp"

#include <ctime>

#include "base/assert.hpp"

namespace sluice::net {

namespace {

std::int64_t read_ms(clockid_t id) {
    timespec at{};
    SLUICE_ASSERT(::clock_gettime(id, &at) == 0);
    return std::int64_t{at.tv_sec} * 1000 + at.tv_nsec / 1'000'000;
}

}  // namespace

Clock::Clock() : start_(wall_time()), boot_ms_at_start_(read_ms(CLOCK_BOOTTIME)) {}

Instant Clock::now() const {
    return start_ + Duration{read_ms(CLOCK_BOOTTIME) - boot_ms_at_start_};
}

Instant wall_time() {
    return {read_ms(CLOCK_REALTIME)};
}

}  // namespace sluice::net
