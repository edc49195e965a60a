#include "sim/apis/phased_rollout/objects.hpp"

namespace sluice::sim::phased_rollout {
namespace {

constexpr WordField table[] = {
    {"target", "/spec/targetRef", as_text},
    {"skip", "/spec/skipCheck", as_flag},
    {"on-failure", "/spec/onFailure", as_text},
    {"deletion-policy", "/spec/deletionPolicy", as_text},
    {"deadline", "/spec/progressDeadlineSeconds", as_seconds},
    {"delay", "/spec/check/initialDelaySeconds", as_seconds},
    {"period", "/spec/check/periodSeconds", as_seconds},
    {"threshold", "/spec/check/successThreshold", as_number},
    {"tries", "/spec/check/maxTries", as_number},
    {"failures", "/spec/check/failureThreshold", as_number},
    {"expr", "/spec/check/query/expr", as_text},
    {"url", "/spec/check/query/url", as_text},
    {"success-on", "/spec/check/query/successOn", as_text},
    {"secret", "/spec/check/query/secretRef", as_text},
};

// The example of the document; the metric is one that is not there while all is well.
constexpr std::pair<std::string_view, std::string_view> usual[] = {
    {"delay", "30s"},  {"period", "30s"},      {"threshold", "3"},
    {"skip", "false"}, {"expr", "errors > 0"}, {"url", "prom:9000/xx"}};

}  // namespace

std::span<const WordField> fields() {
    return table;
}

Response create(World& world, const RolloutOptions& rollout) {
    json::object object{
        {"apiVersion", "sts.plus/v1alpha1"},
        {"kind", "PhasedRollout"},
        {"metadata", json::object{{"name", rollout.name}, {"namespace", rollout.ns}}},
        {"spec", json::object{{"targetRef", rollout.target}}}};
    FieldTexts wanted{std::begin(usual), std::end(usual)};
    for (const auto& [word, value] : rollout.fields)
        wanted[word] = value;
    put_fields(object, table, wanted);
    return world.create(std::move(object));
}

Response change(World& world, const std::string& ns, const std::string& name,
                const std::string& field, const std::string& value) {
    return world.merge(rollouts, ns, name, field_patch(table, field, value));
}

}  // namespace sluice::sim::phased_rollout
