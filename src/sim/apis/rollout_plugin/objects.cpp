#include "sim/apis/rollout_plugin/objects.hpp"

#include <sstream>

#include "sim/apis/analysis/objects.hpp"

namespace sluice::sim::rollout_plugin {
namespace {

json::object step_of(const std::string& word) {
    const std::string kind = word.substr(0, word.find('='));
    const std::string rest = kind == word ? "" : word.substr(kind.size() + 1);
    if (kind == "analysis" || kind == "cluster-analysis")
        return {{"analysis", analysis::call_of(rest, kind != "analysis")}};
    if (kind != "pause") return {{"setWeight", number(word)}};
    json::object pause;
    if (!rest.empty()) pause["duration"] = rest;
    return {{"pause", std::move(pause)}};
}

// "20 pause 40 pause=5m analysis=errors 100"; "none" are no steps at all.
json::value as_steps(const std::string& text) {
    json::array steps;
    std::istringstream words{text == "none" ? "" : text};
    for (std::string word; words >> word;)
        steps.push_back(step_of(word));
    return steps;
}

constexpr WordField table[] = {
    {"target", "/spec/workloadRef/name", as_text},
    {"kind", "/spec/workloadRef/kind", as_text},
    {"plugin", "/spec/plugin/name", as_text},
    {"steps", "/spec/strategy/canary/steps", as_steps, true},
    {"background", "/spec/strategy/canary/analysis",
     [](const std::string& text) -> json::value { return analysis::call_of(text, false); }},
    {"cluster-background", "/spec/strategy/canary/analysis",
     [](const std::string& text) -> json::value { return analysis::call_of(text, true); }},
    {"starting-step", "/spec/strategy/canary/analysis/startingStep", as_number},
    {"keep-successful", "/spec/analysis/successfulRunHistoryLimit", as_number},
    {"keep-unsuccessful", "/spec/analysis/unsuccessfulRunHistoryLimit", as_number},
    {"paused", "/spec/paused", as_flag},
    {"on-failure", "/spec/onFailure", as_text},
    {"deadline", "/spec/progressDeadlineSeconds", as_seconds},
    {"deadline-abort", "/spec/progressDeadlineAbort", as_flag},
    {"timeout", "/spec/plugin/config/timeoutSeconds", as_seconds},
    {"timeout-abort", "/spec/plugin/config/timeoutAbort", as_flag},
    {"min-ready", "/spec/minReadySeconds", as_seconds},
    {"restart-at", "/spec/restartAt", as_number},
};

}  // namespace

std::span<const WordField> fields() {
    return table;
}

Response create(World& world, const RolloutOptions& plugin) {
    json::object object{
        {"apiVersion", "argoproj.io/v1alpha1"},
        {"kind", "RolloutPlugin"},
        {"metadata", json::object{{"name", plugin.name}, {"namespace", plugin.ns}}},
        {"spec", json::object{{"workloadRef", json::object{{"apiVersion", "apps/v1"},
                                                           {"kind", "StatefulSet"},
                                                           {"name", plugin.target}}},
                              {"plugin", json::object{{"name", "statefulset"}}}}}};
    put_fields(object, table, plugin.fields);
    return world.create(std::move(object));
}

Response change(World& world, const std::string& ns, const std::string& name,
                const std::string& field, const std::string& value) {
    return world.merge(plugins, ns, name, field_patch(table, field, value));
}

Response command(World& world, const std::string& ns, const std::string& name,
                 json::object status) {
    return world.merge(plugins, ns, name, json::object{{"status", std::move(status)}}, "status");
}

}  // namespace sluice::sim::rollout_plugin
