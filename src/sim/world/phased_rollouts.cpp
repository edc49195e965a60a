// What people do with PhasedRollouts and the Secrets that these name.
#include <fmt/format.h>

#include <algorithm>

#include "sim/actors/cluster.hpp"
#include "sim/world/world.hpp"

namespace sluice::sim {
namespace {

using Kind = RolloutField::Kind;

constexpr RolloutField fields[] = {
    {"target", "/spec/targetRef", Kind::Text},
    {"skip", "/spec/skipCheck", Kind::Flag},
    {"on-failure", "/spec/onFailure", Kind::Text},
    {"deletion-policy", "/spec/deletionPolicy", Kind::Text},
    {"deadline", "/spec/progressDeadlineSeconds", Kind::Time},
    {"delay", "/spec/check/initialDelaySeconds", Kind::Time},
    {"period", "/spec/check/periodSeconds", Kind::Time},
    {"threshold", "/spec/check/successThreshold", Kind::Number},
    {"tries", "/spec/check/maxTries", Kind::Number},
    {"failures", "/spec/check/failureThreshold", Kind::Number},
    {"expr", "/spec/check/query/expr", Kind::Text},
    {"url", "/spec/check/query/url", Kind::Text},
    {"success-on", "/spec/check/query/successOn", Kind::Text},
    {"secret", "/spec/check/query/secretRef", Kind::Text},
};

// The example of the document; the metric is one that is not there while all is well.
constexpr std::pair<std::string_view, std::string_view> usual[] = {
    {"delay", "30s"},  {"period", "30s"},      {"threshold", "3"},
    {"skip", "false"}, {"expr", "errors > 0"}, {"url", "prom:9000/xx"}};

}  // namespace

std::span<const RolloutField> rollout_fields() {
    return fields;
}

Response World::create_rollout(const RolloutOptions& rollout) {
    json::object object{
        {"apiVersion", "sts.plus/v1alpha1"},
        {"kind", "PhasedRollout"},
        {"metadata", json::object{{"name", rollout.name}, {"namespace", rollout.ns}}},
        {"spec", json::object{{"targetRef", rollout.target}}}};
    std::map<std::string, std::string> wanted{std::begin(usual), std::end(usual)};
    for (const auto& [word, value] : rollout.fields)
        wanted[word] = value;
    for (const RolloutField& field : fields)
        if (const auto value = wanted.find(std::string{field.word}); value != wanted.end())
            sim::set(object, field.pointer, field_value(field.kind, value->second));
    return cluster.api().create(object, admin, cluster.now());
}

Response World::change_rollout(const std::string& ns, const std::string& name,
                               const std::string& field, const std::string& value) {
    const auto* found = std::ranges::find(fields, std::string_view{field}, &RolloutField::word);
    json::object patch;
    if (found != std::end(fields))
        sim::set(patch, found->pointer, changed_value(found->kind, value));
    return merge("phasedrollouts.sts.plus", ns, name, patch);
}

Response World::put_secret(const std::string& ns, const std::string& name, const std::string& key,
                           const std::string& value, const std::string& hosts) {
    const json::object data{{key, value}};
    const json::object notes{{"sluice.dev/allowed-hosts", hosts}};
    if (cluster.api().find("secrets", ns, name))
        return merge(
            "secrets", ns, name,
            json::object{{"metadata", json::object{{"annotations", notes}}}, {"stringData", data}});
    return cluster.api().create(
        json::object{
            {"apiVersion", "v1"},
            {"kind", "Secret"},
            {"metadata", json::object{{"name", name}, {"namespace", ns}, {"annotations", notes}}},
            {"stringData", data}},
        admin, cluster.now());
}

ObjectPtr World::rollout(const std::string& ns, const std::string& name) const {
    ObjectPtr found = cluster.api().find("phasedrollouts.sts.plus", ns, name);
    return found ? found : cluster.api().find("rolloutplugins.argoproj.io", ns, name);
}

}  // namespace sluice::sim
