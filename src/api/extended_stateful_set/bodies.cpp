#include "api/extended_stateful_set/bodies.hpp"

#include <algorithm>
#include <boost/json.hpp>

#include "api/revisions.hpp"
#include "engine/memory.hpp"
#include "engine/report.hpp"
#include "engine/steering.hpp"
#include "model/annotations.hpp"
#include "model/json_text.hpp"
#include "model/workload_patch.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

namespace json = boost::json;

// The object under this key, which is made if it is not there.
json::object& part_of(json::object& whole, std::string_view key) {
    json::value& part = whole[key];
    if (!part.is_object()) part = json::object{};
    return part.get_object();
}

// The list under this key, likewise.
json::array& list_of(json::object& whole, std::string_view key) {
    json::value& part = whole[key];
    if (!part.is_array()) part = json::array{};
    return part.get_array();
}

// Those by which the pods of a set are told from all others.
void add_labels(json::object& labels, const model::CustomObject& object, const SetId& id) {
    labels[owner_label] = object.meta.key.name;
    labels[version_key] = std::to_string(id.version);
    if (id.zone) labels[zone_index_key] = std::to_string(*id.zone);
}

// In place of one of the same name.
void put_variable(json::object& container, std::string_view name, std::string_view value) {
    json::array& all = list_of(container, "env");
    const auto is_it = [&](const json::value& one) { return model::text_at(one, "/name") == name; };
    all.erase(std::remove_if(all.begin(), all.end(), is_it), all.end());
    all.push_back(json::object{{"name", name}, {"value", value}});
}

// As in the original, where zones are counted from 0 in labels and from 1 in variables.
void add_variables(json::object& pod, const std::string& zone, int index) {
    for (const char* kind : {"containers", "initContainers"}) {
        if (!pod.contains(kind)) continue;
        for (json::value& container : list_of(pod, kind)) {
            if (!container.is_object()) continue;
            for (const char* name : {"KUBE_AZ", "BOSH_AZ", "CF_OPERATOR_AZ"})
                put_variable(container.get_object(), name, zone);
            for (const char* name : {"CF_OPERATOR_AZ_INDEX", "AZ_INDEX"})
                put_variable(container.get_object(), name, std::to_string(index + 1));
        }
    }
}

// Terms are alternatives: the zone is a part of each of them.
void bind_to_zone(json::object& pod, const std::string& node_label, const std::string& zone) {
    json::object& node_affinity = part_of(part_of(pod, "affinity"), "nodeAffinity");
    json::array& terms =
        list_of(part_of(node_affinity, "requiredDuringSchedulingIgnoredDuringExecution"),
                "nodeSelectorTerms");
    if (terms.empty()) terms.emplace_back(json::object{});
    for (json::value& term : terms)
        if (term.is_object())
            list_of(term.get_object(), "matchExpressions")
                .push_back(json::object{
                    {"key", node_label}, {"operator", "In"}, {"values", json::array{zone}}});
}

// Beside the labels by which its pods are told from others.
void put_into_zone(json::object& metadata, json::object& pod_template, const Zones& zones,
                   int index) {
    const std::string& zone = zones.names[static_cast<std::size_t>(index)];
    const std::string all = json::serialize(json::value_from(zones.names));
    json::object& pod_metadata = part_of(pod_template, "metadata");
    for (json::object* one : {&metadata, &pod_metadata}) {
        part_of(*one, "labels")[zone_name_key] = zone;
        part_of(*one, "annotations")[zones_key] = all;
    }
    json::object& pod = part_of(pod_template, "spec");
    add_variables(pod, zone, index);
    bind_to_zone(pod, zones.node_label, zone);
}

// A volume of the template that has the name of a claim gives way to it, as in any StatefulSet.
void add_volumes(json::object& pod, const model::CustomObject& object, const Spec& spec,
                 std::optional<int> zone) {
    json::array& all = list_of(pod, "volumes");
    for (const ClaimTemplate& one : spec.volumes.templates) {
        const auto is_it = [&](const json::value& volume) {
            return model::text_at(volume, "/name") == one.name;
        };
        all.erase(std::remove_if(all.begin(), all.end(), is_it), all.end());
        const std::string claim = claim_name(object.meta.key.name, one.name, zone, ordinal_word);
        all.push_back(json::object{{"name", one.name},
                                   {"persistentVolumeClaim", json::object{{"claimName", claim}}}});
    }
}

engine::Action fenced(model::WorkloadPatch patch, const std::string& fence) {
    if (!fence.empty()) patch.annotate(model::key::fence, fence);
    return engine::to_action(patch);
}

}  // namespace

std::string claim_of(const model::CustomObject& object) {
    return "extendedstatefulset/" + object.meta.key.name;
}

std::string set_body(const model::CustomObject& object, const Spec& spec, const SetId& id,
                     PodCount replicas, const std::string& config, const std::string& fence) {
    const json::value written = model::parse_json(spec.set);
    json::object set = written.is_object() ? written.get_object() : json::object{};
    json::object metadata = part_of(set, "metadata");
    json::object kept{{"name", set_name(object.meta.key.name, id)},
                      {"namespace", object.meta.key.ns},
                      {"ownerReferences", controlled_by(resource, object)}};
    kept["labels"] = part_of(metadata, "labels");
    kept["annotations"] = part_of(metadata, "annotations");
    add_labels(kept["labels"].get_object(), object, id);
    json::object& notes = kept["annotations"].get_object();
    notes[version_key] = std::to_string(id.version);
    notes[template_key] = digest_of(object, spec);
    if (!fence.empty()) notes[model::key::fence] = fence;
    notes[model::key::claim] = claim_of(object);
    json::object& inner = part_of(set, "spec");
    inner["replicas"] = replicas.value;
    inner["updateStrategy"] =
        json::object{{"type", "RollingUpdate"},
                     {"rollingUpdate", json::object{{"partition", closed_partition.value}}}};
    add_labels(part_of(part_of(inner, "selector"), "matchLabels"), object, id);
    json::object& pod_template = part_of(inner, "template");
    add_labels(part_of(part_of(pod_template, "metadata"), "labels"), object, id);
    if (!config.empty()) {
        notes[config_key] = config;
        part_of(part_of(pod_template, "metadata"), "annotations")[config_key] = config;
    }
    if (id.zone) put_into_zone(kept, pod_template, spec.zones, *id.zone);
    if (!spec.volumes.templates.empty())
        add_volumes(part_of(pod_template, "spec"), object, spec, id.zone);
    if (spec.hands_over()) {
        notes[hand_over_key] = "true";
        // Its pods come and go at either end; the order is kept by whoever moves it.
        inner["podManagementPolicy"] = "Parallel";
    }
    return json::serialize(json::object{{"apiVersion", model::api_version(model::statefulsets)},
                                        {"kind", model::statefulsets.kind},
                                        {"metadata", std::move(kept)},
                                        {"spec", std::move(inner)}});
}

engine::Action scaling_of(const model::StatefulSet& set, PodCount to, const std::string& fence) {
    model::WorkloadPatch patch{set};
    patch.scale(to);
    return fenced(std::move(patch), fence);
}

engine::Action config_mark(const model::StatefulSet& set, const std::string& config,
                           const std::string& fence) {
    model::WorkloadPatch patch{set};
    patch.annotate_first(std::string{config_key}, config);
    return fenced(std::move(patch), fence);
}

engine::Action restart_of(const model::StatefulSet& set, const std::string& config,
                          std::uint64_t retry, Instant now, const std::string& fence) {
    const std::string key{config_key};
    engine::Memory memory = engine::recall(set).value_or(engine::Memory{});
    memory.uid = set.meta.uid;
    memory.id += 1;
    memory.revision = engine::awaited_revision;
    memory.template_hash = 0;
    memory.partition = closed_partition;
    memory.open = set.replicas.value > 0;
    memory.started = now;
    memory.generation = set.meta.generation + 1;
    memory.retry = retry;
    memory.brake = {};
    model::WorkloadPatch patch{set};
    patch.annotate_pods(key, config).annotate(key, config).move_partition(closed_partition);
    patch.annotate(model::key::rollout, encode(memory));
    patch.annotate(model::key::phase,
                   engine::to_text(memory.open ? engine::Phase::Waiting : engine::Phase::Idle));
    return fenced(std::move(patch), fence);
}

engine::Action end_of_restart(const model::StatefulSet& set, const std::string& fence) {
    engine::Memory memory = engine::recall(set).value_or(engine::Memory{});
    memory.open = false;
    model::WorkloadPatch patch{set};
    patch.annotate(model::key::rollout, encode(memory));
    patch.annotate(model::key::phase, engine::to_text(engine::Phase::Idle));
    return fenced(std::move(patch), fence);
}

engine::Action moving_of(const model::StatefulSet& set, const Places& to,
                         const std::string& fence) {
    model::WorkloadPatch patch{set};
    patch.scale(PodCount{to.count});
    if (to.count > 0) patch.start_at(Ordinal{to.first});
    return fenced(std::move(patch), fence);
}

engine::Action fencing_of(const model::StatefulSet& set, const std::string& fence) {
    return fenced(model::WorkloadPatch{set}, fence);
}

engine::Action stale_mark(const model::StatefulSet& set, const std::string& reason,
                          const std::string& fence) {
    model::WorkloadPatch patch{set};
    const std::string key{stale_key};
    if (reason.empty())
        patch.unannotate(key);
    else
        patch.annotate(key, reason);
    return fenced(std::move(patch), fence);
}

}  // namespace sluice::api::extended_stateful_set
