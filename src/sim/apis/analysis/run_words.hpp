// What can be expected of an AnalysisRun, however it was found.
#pragma once

#include "sim/scenario/words.hpp"

namespace sluice::sim::analysis {

// gone | ended | phase PHASE | measured NUMBER | says TEXT. Null: there is none.
Seen run_seen(const ObjectPtr& run, Words words);

}  // namespace sluice::sim::analysis
