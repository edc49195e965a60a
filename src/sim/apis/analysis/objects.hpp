// AnalysisRuns and the templates that they are made from: how people make them, what may be done to
// a run, and what can be expected of one.
#pragma once

#include "sim/scenario/words.hpp"

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
// The use of a template: "errors,limit=2", with the values of its arguments.
json::object call_of(const std::string& text, bool is_of_cluster);
// Somebody sets spec.terminate.
Response end_run(World& world, const std::string& name);

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
