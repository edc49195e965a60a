// AnalysisRuns as the API has them, what may be done to them, and what can be expected of one.
#pragma once

#include "sim/scenario/words.hpp"

namespace sluice::sim::analysis {

bool is_finished(const json::object& run);
bool is_successful(const json::object& run);
// It is over, for as long as its own spec says that it is kept.
bool is_expired(const json::object& run, Instant now);
// A run that an object of another API has made: the promises of that one judge it.
bool is_of_other_api(const json::object& run);
// What an operator may not touch: all but the status and, if it `may_end` it, the word that does.
json::object untouchable(json::object run, bool may_end);

// gone | ended | phase PHASE | measured NUMBER | says TEXT. Null: there is none.
Seen run_seen(const ObjectPtr& run, Words words);

}  // namespace sluice::sim::analysis
