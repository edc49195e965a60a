// A duration as Go writes it, which is how people write it in Argo's objects: "300ms", "1.5h",
// "2h45m".
#pragma once

#include <optional>
#include <string_view>

#include "base/time.hpp"

namespace sluice {

inline constexpr Duration go_duration_max = std::chrono::days{30};

// No sign, and no number without a unit; longer ones than 30 days are nothing. What is shorter than
// a millisecond is dropped.
std::optional<Duration> parse_go_duration(std::string_view text);

// The same with a sign and without that bound, and "0". At most eight parts, each with a dozen
// digits: no sum of them is too large.
std::optional<std::chrono::nanoseconds> parse_go_nanoseconds(std::string_view text);

}  // namespace sluice
