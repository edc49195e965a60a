// The times of a range query: now(), now() - duration("5m"), now() + duration("1h") and
// date("2026-01-31T12:00:00Z"), with either kind of quotes. What now() is, is passed in. Anything
// else is refused.
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"

namespace sluice::api::analysis {

// The Error completes the sentence `<field> ...`.
Result<Instant> time_at(std::string_view expression, Instant now);

}  // namespace sluice::api::analysis
