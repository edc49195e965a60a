// AnalysisRuns and the templates that they are made from, as people make them.
#pragma once

#include "sim/world/world.hpp"

namespace sluice::sim::analysis {

inline constexpr const char* runs = "analysisruns.argoproj.io";
inline constexpr const char* templates = "analysistemplates.argoproj.io";

// An AnalysisTemplate, a ClusterAnalysisTemplate or an AnalysisRun with one metric.
struct AnalysisOptions {
    std::string kind = "AnalysisTemplate";
    std::string name = "errors";
    std::string ns = "shop";
    std::string provider = "metric";  // or web, or job
    std::string what = {};            // the query, the URL, or how the Job's pod behaves
    FieldTexts fields = {};           // "interval" "30s"
    FieldTexts args = {};             // an empty value: whoever uses it gives one
};
bool is_field(std::string_view word);
Response create(World& world, const AnalysisOptions& analysis);
// Somebody sets spec.terminate.
Response end_run(World& world, const std::string& name);

}  // namespace sluice::sim::analysis
