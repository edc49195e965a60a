// The row of AnalysisRun, which measures and moves no pods: what the registry needs of this folder.
#pragma once

#include "sim/apis/registry.hpp"

namespace sluice::sim::analysis {

inline constexpr std::string_view judged[] = {"analysisruns.argoproj.io", "jobs.batch"};

std::span<const Action> actions();
std::span<const Expectation> expectations();
std::vector<std::unique_ptr<Observer>> promises(const Inspection& inspection);

}  // namespace sluice::sim::analysis
