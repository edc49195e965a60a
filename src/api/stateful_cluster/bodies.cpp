#include "api/stateful_cluster/bodies.hpp"

#include <boost/json.hpp>

#include "model/annotations.hpp"
#include "model/json_text.hpp"

namespace sluice::api::stateful_cluster {
namespace {

namespace json = boost::json;

json::object object_in(const json::value& whole, const char* pointer) {
    const json::value* found = model::value_at(whole, pointer);
    return found && found->is_object() ? found->get_object() : json::object{};
}

json::array array_in(const json::value& whole, const char* pointer) {
    const json::value* found = model::value_at(whole, pointer);
    return found && found->is_array() ? found->get_array() : json::array{};
}

void add_own_labels(json::object& labels, const model::CustomObject& object,
                    std::string_view identity) {
    labels[cluster_label] = object.meta.key.name;
    labels[member_label] = identity;
}

// A volume of the template that has the name of a claim gives way to it.
json::array volumes_of(const json::value& pod, const Spec& spec, std::string_view cluster,
                       std::string_view identity) {
    json::array volumes;
    for (json::value& volume : array_in(pod, "/spec/volumes")) {
        const json::value* name = model::value_at(volume, "/name");
        const bool is_claim = std::ranges::any_of(
            spec.claim_templates,
            [&](const ClaimTemplate& one) { return name && *name == json::value(one.name); });
        if (!is_claim) volumes.push_back(std::move(volume));
    }
    for (const ClaimTemplate& one : spec.claim_templates)
        volumes.push_back(
            json::object{{"name", one.name},
                         {"persistentVolumeClaim",
                          json::object{{"claimName", claim_name(cluster, one.name, identity)}}}});
    return volumes;
}

}  // namespace

std::string pod_body(const model::CustomObject& object, const Spec& spec, const Member& member,
                     const std::string& pod_template) {
    const json::value pod = model::parse_json(pod_template);
    const std::string own{identity_in(member.name)};
    json::object labels = object_in(pod, "/metadata/labels");
    for (const auto& [name, value] : spec.labels)
        labels[name] = value;
    add_own_labels(labels, object, own);
    labels["controller-revision-hash"] = member.revision;
    if (!member.claims_of.empty()) labels[claims_label] = member.claims_of;
    json::object metadata{{"name", member.name},
                          {"namespace", object.meta.key.ns},
                          {"labels", std::move(labels)},
                          {"ownerReferences", controlled_by(resource, object)}};
    json::object annotations = object_in(pod, "/metadata/annotations");
    annotations[model::key::restarts] = "0";
    metadata["annotations"] = std::move(annotations);
    json::object pod_spec = object_in(pod, "/spec");
    pod_spec["volumes"] = volumes_of(pod, spec, object.meta.key.name,
                                     member.claims_of.empty() ? own : member.claims_of);
    pod_spec["hostname"] = member.name;
    if (!spec.service_name.empty()) pod_spec["subdomain"] = spec.service_name;
    return json::serialize(json::object{{"apiVersion", "v1"},
                                        {"kind", "Pod"},
                                        {"metadata", std::move(metadata)},
                                        {"spec", std::move(pod_spec)}});
}

std::string claim_body(const model::CustomObject& object, const ClaimTemplate& claim,
                       const std::string& identity) {
    const json::value written = model::parse_json(claim.metadata);
    json::object labels = object_in(written, "/labels");
    add_own_labels(labels, object, identity);
    json::object metadata{{"name", claim_name(object.meta.key.name, claim.name, identity)},
                          {"namespace", object.meta.key.ns},
                          {"labels", std::move(labels)}};
    json::object annotations = object_in(written, "/annotations");
    if (!annotations.empty()) metadata["annotations"] = std::move(annotations);
    return json::serialize(json::object{{"apiVersion", "v1"},
                                        {"kind", claims.kind},
                                        {"metadata", std::move(metadata)},
                                        {"spec", model::parse_json(claim.spec)}});
}

std::string revision_body(const model::CustomObject& object, const std::string& name,
                          std::int64_t number, const std::string& pod_template) {
    return api::revision_body(
        resource, object,
        {.name = name,
         .number = number,
         .labels = json::object{{cluster_label, object.meta.key.name}},
         .spec = json::object{{"template", model::parse_json(pod_template)}}});
}

std::string template_in(const std::string& data) {
    const json::value spec = spec_in(data);
    const json::value* found = model::value_at(spec, "/template");
    return found && found->is_object() ? json::serialize(*found) : std::string{};
}

}  // namespace sluice::api::stateful_cluster
