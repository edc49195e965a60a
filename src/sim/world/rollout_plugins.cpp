// What people do with RolloutPlugins and the analyses that these name.
#include <algorithm>

#include "sim/actors/cluster.hpp"
#include "sim/world/world.hpp"

namespace sluice::sim {
namespace {

using Kind = RolloutField::Kind;

constexpr RolloutField fields[] = {
    {"target", "/spec/workloadRef/name", Kind::Text},
    {"kind", "/spec/workloadRef/kind", Kind::Text},
    {"plugin", "/spec/plugin/name", Kind::Text},
    {"steps", "/spec/strategy/canary/steps", Kind::Steps},
    {"background", "/spec/strategy/canary/analysis", Kind::Analysis},
    {"cluster-background", "/spec/strategy/canary/analysis", Kind::ClusterAnalysis},
    {"starting-step", "/spec/strategy/canary/analysis/startingStep", Kind::Number},
    {"keep-successful", "/spec/analysis/successfulRunHistoryLimit", Kind::Number},
    {"keep-unsuccessful", "/spec/analysis/unsuccessfulRunHistoryLimit", Kind::Number},
    {"paused", "/spec/paused", Kind::Flag},
    {"on-failure", "/spec/onFailure", Kind::Text},
    {"deadline", "/spec/progressDeadlineSeconds", Kind::Time},
    {"deadline-abort", "/spec/progressDeadlineAbort", Kind::Flag},
    {"timeout", "/spec/plugin/config/timeoutSeconds", Kind::Time},
    {"timeout-abort", "/spec/plugin/config/timeoutAbort", Kind::Flag},
    {"min-ready", "/spec/minReadySeconds", Kind::Time},
    {"restart-at", "/spec/restartAt", Kind::Number},
};

// Of the only metric of an analysis.
constexpr RolloutField metric_fields[] = {
    {"interval", "/interval", Kind::Text},
    {"success", "/successCondition", Kind::Text},
    {"failure", "/failureCondition", Kind::Text},
    {"delay", "/initialDelay", Kind::Text},
    {"count", "/count", Kind::Number},
    {"failures", "/failureLimit", Kind::Number},
    {"inconclusive", "/inconclusiveLimit", Kind::Number},
    {"errors", "/consecutiveErrorLimit", Kind::Number},
    {"start", "/provider/prometheus/rangeQuery/start", Kind::Text},
    {"end", "/provider/prometheus/rangeQuery/end", Kind::Text},
    {"step", "/provider/prometheus/rangeQuery/step", Kind::Text},
    {"path", "/provider/web/jsonPath", Kind::Text},
    {"bytes", "/provider/web/jsonBody/filler", Kind::Filler},
};

// Of an AnalysisRun.
constexpr RolloutField run_fields[] = {
    {"ttl", "/spec/ttlStrategy/secondsAfterCompletion", Kind::Time},
    {"serve", "/metadata/annotations/sluice.dev~1serve", Kind::Text},
};

void put(json::object& into, std::span<const RolloutField> known,
         const std::map<std::string, std::string>& values) {
    for (const RolloutField& field : known)
        if (const auto value = values.find(std::string{field.word}); value != values.end())
            sim::set(into, field.pointer, field_value(field.kind, value->second));
}

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

bool is_analysis_field(std::string_view word) {
    const auto knows = [&](std::span<const RolloutField> known) {
        return std::ranges::find(known, word, &RolloutField::word) != known.end();
    };
    return knows(metric_fields) || knows(run_fields);
}

Response World::create_analysis(const AnalysisOptions& analysis) {
    json::object metric{{"name", "rate"}, {"provider", provider_of(analysis)}};
    put(metric, metric_fields, analysis.fields);
    json::object metadata{{"name", analysis.name}};
    if (analysis.kind != "ClusterAnalysisTemplate") metadata["namespace"] = analysis.ns;
    json::object object{{"apiVersion", "argoproj.io/v1alpha1"},
                        {"kind", analysis.kind},
                        {"metadata", std::move(metadata)},
                        {"spec", json::object{{"metrics", json::array{std::move(metric)}}}}};
    if (!analysis.args.empty()) sim::set(object, "/spec/args", arguments_of(analysis));
    if (analysis.kind == "AnalysisRun")
        sim::set(object, "/metadata/annotations/sluice.dev~1serve", json::string("true"));
    put(object, run_fields, analysis.fields);
    return cluster.api().create(object, admin, cluster.now());
}

std::span<const RolloutField> plugin_fields() {
    return fields;
}

Response World::create_plugin(const RolloutOptions& plugin) {
    json::object object{
        {"apiVersion", "argoproj.io/v1alpha1"},
        {"kind", "RolloutPlugin"},
        {"metadata", json::object{{"name", plugin.name}, {"namespace", plugin.ns}}},
        {"spec", json::object{{"workloadRef", json::object{{"apiVersion", "apps/v1"},
                                                           {"kind", "StatefulSet"},
                                                           {"name", plugin.target}}},
                              {"plugin", json::object{{"name", "statefulset"}}}}}};
    put(object, fields, plugin.fields);
    return cluster.api().create(object, admin, cluster.now());
}

Response World::change_plugin(const std::string& ns, const std::string& name,
                              const std::string& field, const std::string& value) {
    const auto* found = std::ranges::find(fields, std::string_view{field}, &RolloutField::word);
    json::object patch;
    if (found != std::end(fields))
        sim::set(patch, found->pointer, changed_value(found->kind, value));
    return merge("rolloutplugins.argoproj.io", ns, name, patch);
}

Response World::command(const std::string& ns, const std::string& name, json::object status) {
    return merge("rolloutplugins.argoproj.io", ns, name,
                 json::object{{"status", std::move(status)}}, "status");
}

}  // namespace sluice::sim
