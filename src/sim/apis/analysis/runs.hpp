// AnalysisRuns as the API has them, and what may be done to them.
#pragma once

#include "sim/promises/promise.hpp"

namespace sluice::sim::analysis {

bool is_finished(const json::object& run);
bool is_successful(const json::object& run);
// It is over, for as long as its own spec says that it is kept.
bool is_expired(const json::object& run, Instant now);
// A run that an object of another API has made: the promises of that one judge it.
bool is_of_other_api(const json::object& run);
// What an operator may not touch: all but the status and, if it `may_end` it, the word that does.
json::object untouchable(json::object run, bool may_end);

}  // namespace sluice::sim::analysis
