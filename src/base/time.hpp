// Time is passed in. An Instant is milliseconds since the Unix epoch as the operator counts
// them: wall time at the start of the process plus what a steady clock has measured since, so it
// never jumps within one process. Durations are milliseconds.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice {

using Duration = std::chrono::milliseconds;
using namespace std::chrono_literals;

struct Instant {
    std::int64_t ms = 0;

    friend auto operator<=>(Instant, Instant) = default;
    friend Instant operator+(Instant at, Duration by) { return {at.ms + by.count()}; }
    friend Instant operator-(Instant at, Duration by) { return {at.ms - by.count()}; }
    friend Duration operator-(Instant later, Instant earlier) {
        return Duration{later.ms - earlier.ms};
    }
};

// The second that it is in: what is left of it once the API has kept it.
constexpr Instant in_whole_seconds(Instant at) {
    return {at.ms - at.ms % 1000};
}

// RFC 3339 in UTC, whole seconds ("2026-01-31T12:00:00Z"): how Kubernetes prints times.
std::string to_rfc3339(Instant at);
// The same with microseconds, as coordination.k8s.io and events.k8s.io want it.
std::string to_rfc3339_micro(Instant at);
// Accepts both forms, "Z" only; anything else is nothing.
std::optional<Instant> parse_rfc3339(std::string_view text);

// "30s", "5m", "1h30m", "250ms": what people write in flags and documents. No sign, no bare
// number; at most 100 days.
std::optional<Duration> parse_duration(std::string_view text);
// The largest two units that matter: "1h30m", "45s", "250ms".
std::string to_text(Duration duration);

}  // namespace sluice
