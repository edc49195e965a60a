#include "sim/apis/analysis/objects.hpp"

#include <sstream>

namespace sluice::sim::analysis {
namespace {

// A body of so many bytes.
json::value as_filler(const std::string& text) {
    return json::string(static_cast<std::size_t>(number(text)), 'x');
}

// Of the only metric of an analysis.
constexpr WordField metric_fields[] = {
    {"interval", "/interval", as_text},
    {"success", "/successCondition", as_text},
    {"failure", "/failureCondition", as_text},
    {"delay", "/initialDelay", as_text},
    {"count", "/count", as_number},
    {"failures", "/failureLimit", as_number},
    {"inconclusive", "/inconclusiveLimit", as_number},
    {"errors", "/consecutiveErrorLimit", as_number},
    {"start", "/provider/prometheus/rangeQuery/start", as_text},
    {"end", "/provider/prometheus/rangeQuery/end", as_text},
    {"step", "/provider/prometheus/rangeQuery/step", as_text},
    {"path", "/provider/web/jsonPath", as_text},
    {"bytes", "/provider/web/jsonBody/filler", as_filler},
};

// Of an AnalysisRun.
constexpr WordField run_fields[] = {
    {"ttl", "/spec/ttlStrategy/secondsAfterCompletion", as_seconds},
    {"serve", "/metadata/annotations/sluice.dev~1serve", as_text},
};

// A query, a document at a URL, or a Job of one pod.
json::object provider_of(const AnalysisOptions& analysis) {
    if (analysis.provider == "web")
        return {{"web", json::object{{"url", analysis.what}, {"jsonPath", "{$}"}}}};
    if (analysis.provider != "job")
        return {{"prometheus",
                 json::object{{"address", "http://prometheus:9090"}, {"query", analysis.what}}}};
    const json::object meta{{"annotations", json::object{{behaviour_annotation, analysis.what}}}};
    const json::object pod{
        {"restartPolicy", "Never"},
        {"containers", json::array{json::object{{"name", "test"}, {"image", "test:a"}}}}};
    const json::object templated{{"metadata", meta}, {"spec", pod}};
    return {{"job",
             json::object{{"spec", json::object{{"backoffLimit", 0}, {"template", templated}}}}}};
}

json::array arguments_of(const AnalysisOptions& analysis) {
    json::array args;
    for (const auto& [name, value] : analysis.args) {
        json::object one{{"name", name}};
        if (!value.empty()) one["value"] = value;
        args.push_back(std::move(one));
    }
    return args;
}

}  // namespace

bool is_field(std::string_view word) {
    return find_field(metric_fields, word) || find_field(run_fields, word);
}

Response create(World& world, const AnalysisOptions& analysis) {
    json::object metric{{"name", "rate"}, {"provider", provider_of(analysis)}};
    put_fields(metric, metric_fields, analysis.fields);
    json::object metadata{{"name", analysis.name}};
    if (analysis.kind != "ClusterAnalysisTemplate") metadata["namespace"] = analysis.ns;
    json::object object{{"apiVersion", "argoproj.io/v1alpha1"},
                        {"kind", analysis.kind},
                        {"metadata", std::move(metadata)},
                        {"spec", json::object{{"metrics", json::array{std::move(metric)}}}}};
    if (!analysis.args.empty()) sim::set(object, "/spec/args", arguments_of(analysis));
    if (analysis.kind == "AnalysisRun")
        sim::set(object, "/metadata/annotations/sluice.dev~1serve", json::string("true"));
    put_fields(object, run_fields, analysis.fields);
    return world.create(std::move(object));
}

Response end_run(World& world, const std::string& name) {
    return world.merge(runs, "shop", name, only("/spec/terminate", true));
}

json::object call_of(const std::string& text, bool is_of_cluster) {
    std::istringstream words{text};
    json::object reference;
    json::array args;
    for (std::string word; std::getline(words, word, ',');) {
        const std::size_t equals = word.find('=');
        if (reference.empty())
            reference["templateName"] = word;
        else if (equals != std::string::npos)
            args.push_back(
                json::object{{"name", word.substr(0, equals)}, {"value", word.substr(equals + 1)}});
    }
    if (is_of_cluster) reference["clusterScope"] = true;
    json::object analysis{{"templates", json::array{std::move(reference)}}};
    if (!args.empty()) analysis["args"] = std::move(args);
    return analysis;
}

}  // namespace sluice::sim::analysis
