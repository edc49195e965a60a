// The words about AnalysisRuns and the templates that they are made from: how these are made, and
// what can be expected of them.
#include <fmt/format.h>

#include "sim/apis/analysis/api.hpp"
#include "sim/apis/analysis/objects.hpp"

namespace sluice::sim::analysis {
namespace {

// NAME metric QUERY|web URL|job HOW, and fields of the metric.
Problem create_analysis(World& world, const char* kind, Words words) {
    AnalysisOptions analysis{
        .kind = kind, .name = words[0], .provider = words[1], .what = words[2]};
    const bool known = words[1] == "metric" || words[1] == "web" || words[1] == "job";
    if (!known) return "what is measured is \"metric\", \"web\" or \"job\"";
    for (std::size_t i = 3; i + 1 < words.size(); i += 2) {
        if (words[i] != "arg" && !is_field(words[i]))
            return fmt::format("an analysis has no \"{}\"", words[i]);
        const std::size_t equals = words[i + 1].find('=');
        if (words[i] != "arg")
            analysis.fields[words[i]] = words[i + 1];
        else
            analysis.args[words[i + 1].substr(0, equals)] =
                equals == std::string::npos ? "" : words[i + 1].substr(equals + 1);
    }
    return problem_of(create(world, analysis));
}

constexpr Action action_table[] = {
    {"analysisrun",
     "NAME metric QUERY | web URL [path PATH] [bytes N] | job succeed|fail [success CONDITION] "
     "[failure CONDITION] [interval TIME] [count N] [delay TIME] [failures N] [inconclusive N] "
     "[errors N] "
     "[arg NAME=VALUE] [ttl TIME] [serve true|false]",
     3, [](World& world, Words words) { return create_analysis(world, "AnalysisRun", words); }},
    {"analysistemplate", "as analysisrun; [arg NAME] has no value", 3,
     [](World& world, Words words) { return create_analysis(world, "AnalysisTemplate", words); }},
    {"clusteranalysistemplate", "as analysistemplate", 3,
     [](World& world, Words words) {
         return create_analysis(world, "ClusterAnalysisTemplate", words);
     }},
    {"delete analysistemplate", "NAME", 1,
     [](World& world, Words words) { return world.remove(templates, shop, words[0]); }},
    {"delete analysisrun", "NAME", 1,
     [](World& world, Words words) { return world.remove(runs, shop, words[0]); }},
    {"end analysisrun", "NAME", 1,
     [](World& world, Words words) { return end_run(world, words[0]); }},
    {"serve analysisrun", "NAME", 1,
     [](World& world, Words words) {
         return world.annotate(runs, shop, words[0], "sluice.dev/serve", "true");
     }},
};

constexpr Expectation expectation_table[] = {
    {"run", "NAME gone | ended | phase PHASE | measured NUMBER | says TEXT", 2, true,
     [](const World& world, Words words) {
         return run_seen(world.cluster.api().find(runs, shop, words[0]), words.subspan(1));
     }},
};

constexpr std::string_view judged[] = {runs, "jobs.batch"};

}  // namespace

Seen run_seen(const ObjectPtr& object, Words words) {
    if (words[0] == "gone") return object ? Seen{"it is still there"} : Seen{};
    if (!object) return "it is gone";
    if (words[0] == "ended")
        return has(object->object(), "/spec/terminate") ? Seen{} : Seen{"nobody ended it"};
    if (words.size() < 2) return "an expectation that says too little";
    const json::object& status = object_at(object->object(), "/status");
    if (words[0] == "phase") return unless_same(words[1], text_at(status, "/phase"));
    if (words[0] == "measured")
        return unless_same(words[1], std::to_string(number_at(status, "/metricResults/0/count")));
    return unless_says(joined(words.subspan(1)), text_at(status, "/message"));
}

Api row() {
    return {.name = "analysisrun",
            .judged = judged,
            .actions = [] { return std::span<const Action>{action_table}; },
            .expectations = [] { return std::span<const Expectation>{expectation_table}; },
            .promises = promises};
}

}  // namespace sluice::sim::analysis
