// The row of AnalysisRun, which measures and moves no pods.
#pragma once

#include "sim/apis/registry.hpp"

namespace sluice::sim::analysis {

Api row();

// What the row is made of.
void promises(Observers& all, const Inspection& inspection);

}  // namespace sluice::sim::analysis
