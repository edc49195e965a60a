#include <fmt/format.h>

#include <boost/json.hpp>

#include "api/fields.hpp"
#include "api/stateful_cluster/spec.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "model/json_text.hpp"
#include "model/label_selector.hpp"

namespace sluice::api::stateful_cluster {

const model::Resource resource{"enge.me", "v1alpha1", "statefulclusters", "StatefulCluster"};
const model::Resource claims{"", "v1", "persistentvolumeclaims", "PersistentVolumeClaim"};

namespace {

namespace json = boost::json;

// The bounds of deploy/crds/statefulclusters.enge.me.yaml.
constexpr std::size_t template_max = 48u << 10;
constexpr std::size_t claim_spec_max = 8u << 10;
constexpr std::size_t claims_max = 16;
constexpr Range seconds_range{0, 604'800};  // 7 days
constexpr Range history_range{0, api::revisions_max};

// "25%" of the members, rounded down as Kubernetes does, but never none; or a number.
PodCount read_unavailable(const Fields& fields, PodCount replicas) {
    const json::value* value = fields.find("maxUnavailable");
    if (!value) return PodCount{1};
    if (value->is_string()) {
        const std::string_view text{value->get_string()};
        const auto percent =
            text.ends_with('%') ? whole_number<int>(text.substr(0, text.size() - 1)) : std::nullopt;
        if (percent && *percent >= 1 && *percent <= 100)
            return PodCount{std::max(1, replicas.value * *percent / 100)};
        fields.fault("maxUnavailable", "must be a number, or a percentage from 1% to 100%");
        return PodCount{1};
    }
    return PodCount{fields.number("maxUnavailable", {1, replicas_max}).value_or(1)};
}

void read_strategy(const Fields& fields, Spec& spec) {
    spec.strategy = static_cast<Strategy>(fields.choice("type", {"RollingUpdate", "OnDelete"}));
    spec.claim_policy = static_cast<ClaimPolicy>(fields.choice("claimPolicy", {"Keep", "New"}));
    spec.in_place = static_cast<InPlace>(fields.choice("inPlace", {"Never", "IfPossible", "Only"}));
    if (const auto gates = fields.object("gates", !required)) {
        spec.gates = gates::read_gates(*gates);
        if (spec.strategy == Strategy::OnDelete)
            fields.fault("gates",
                         "guard rolling updates; with type OnDelete nobody would ask them");
    }
    const auto rolling = fields.object("rollingUpdate", !required);
    if (!rolling) return;
    spec.partition = PodCount{rolling->number("partition", {0, replicas_max}).value_or(0)};
    spec.max_unavailable = read_unavailable(*rolling, spec.replicas);
}

RetentionPolicy read_retention(const Fields& fields) {
    const auto choice = [&](std::string_view key) {
        return static_cast<Retention>(fields.choice(key, {"Retain", "Delete"}));
    };
    return {choice("whenDeleted"), choice("whenScaled"), choice("whenFailed")};
}

std::vector<ClaimTemplate> read_claims(const Fields& fields) {
    std::vector<ClaimTemplate> templates;
    for (const Fields& one : fields.list("volumeClaimTemplates", claims_max)) {
        ClaimTemplate claim;
        if (const auto meta = one.object("metadata", required)) {
            claim.name = meta->name("name", required);
            claim.metadata = meta->json();
        }
        claim.spec = one.json("spec", claim_spec_max, required);
        templates.push_back(std::move(claim));
    }
    return templates;
}

// The labels that the selector asks for go onto every pod, as the original does it; a template that
// says otherwise makes pods that the selector does not find.
void read_selector(const Fields& fields, Spec& spec) {
    const auto selector = fields.object("selector", required);
    if (!selector) return;
    spec.labels = selector->texts("matchLabels", 64, 63);
    const json::value value = model::parse_json(selector->json());
    if (auto text = model::selector_text(value.get_object())) spec.selector = std::move(*text);
    if (spec.selector.size() > selector_max)
        fields.fault("selector",
                     fmt::format("has more than {} characters as a text", selector_max));
    model::Texts labels = spec.labels;
    const json::value pod = model::parse_json(spec.pod_template);
    const json::value* written = model::value_at(pod, "/metadata/labels");
    if (written && written->is_object())
        for (const auto& [name, text] : written->get_object())
            if (text.is_string()) labels[std::string{name}] = std::string{text.get_string()};
    if (!model::selects(value.get_object(), labels))
        fields.fault("template", "has labels that spec.selector does not find");
}

Spec read_fields(const Fields& fields) {
    Spec spec;
    const auto seconds = [&](std::string_view key, Duration otherwise) -> Duration {
        const auto number = fields.number(key, seconds_range);
        return number ? Duration{std::chrono::seconds{*number}} : otherwise;
    };
    spec.replicas = PodCount{fields.number("replicas", {0, replicas_max}).value_or(1)};
    spec.pod_template = fields.json("template", template_max, required);
    read_selector(fields, spec);
    spec.claim_templates = read_claims(fields);
    spec.service_name = fields.name("serviceName", !required);
    spec.order =
        static_cast<Order>(fields.choice("podManagementPolicy", {"OrderedReady", "Parallel"}));
    if (const auto strategy = fields.object("updateStrategy", !required))
        read_strategy(*strategy, spec);
    if (const auto policy = fields.object("persistentVolumeClaimRetentionPolicy", !required))
        spec.retention = read_retention(*policy);
    spec.min_ready = seconds("minReadySeconds", spec.min_ready);
    spec.failure_tolerance = seconds("failureToleranceSeconds", spec.failure_tolerance);
    spec.startup_deadline = seconds("startupDeadlineSeconds", spec.startup_deadline);
    spec.revisions_max =
        fields.number("revisionHistoryLimit", history_range).value_or(spec.revisions_max);
    return spec;
}

}  // namespace

std::expected<Spec, FieldErrors> read_spec(const model::CustomObject& object) {
    auto spec = read_part(object.spec, "spec", read_fields);
    if (object.meta.key.name.size() <= cluster_name_max) return spec;
    FieldErrors errors = spec ? FieldErrors{} : std::move(spec.error());
    errors.push_back({"metadata.name",
                      fmt::format("has more than {} characters; the names of its pods would be no "
                                  "hostnames",
                                  cluster_name_max)});
    return std::unexpected(std::move(errors));
}

std::string revision_of(const model::CustomObject& object, const std::string& pod_template) {
    return fmt::format("{}-{:012x}", object.meta.key.name,
                       fnv1a(object.meta.uid + pod_template) >> 16);
}

std::string_view identity_in(std::string_view member) {
    return member.substr(member.rfind('-') + 1);
}

std::string claim_name(std::string_view cluster, std::string_view claim,
                       std::string_view identity) {
    return fmt::format("{}-{}-{}", cluster, claim, identity);
}

}  // namespace sluice::api::stateful_cluster
