#include "api/extended_stateful_set/bodies.hpp"

#include <boost/json.hpp>

#include "engine/report.hpp"
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

void add_labels(json::object& labels, const model::CustomObject& object, int version) {
    labels[owner_label] = object.meta.key.name;
    labels[version_key] = std::to_string(version);
}

json::array owners(const model::CustomObject& object) {
    return {json::object{{"apiVersion", model::api_version(resource)},
                         {"kind", resource.kind},
                         {"name", object.meta.key.name},
                         {"uid", object.meta.uid},
                         {"controller", true}}};
}

engine::Action fenced(model::WorkloadPatch patch, const std::string& fence) {
    if (!fence.empty()) patch.annotate(model::key::fence, fence);
    return engine::to_action(patch);
}

}  // namespace

std::string set_body(const model::CustomObject& object, const Spec& spec, int version,
                     PodCount replicas, const std::string& fence) {
    const json::value written = model::parse_json(spec.set);
    json::object set = written.is_object() ? written.get_object() : json::object{};
    json::object metadata = part_of(set, "metadata");
    json::object kept{{"name", set_name(object.meta.key.name, version)},
                      {"namespace", object.meta.key.ns},
                      {"ownerReferences", owners(object)}};
    kept["labels"] = part_of(metadata, "labels");
    kept["annotations"] = part_of(metadata, "annotations");
    add_labels(kept["labels"].get_object(), object, version);
    json::object& notes = kept["annotations"].get_object();
    notes[version_key] = std::to_string(version);
    notes[template_key] = digest_of(object, spec);
    if (!fence.empty()) notes[model::key::fence] = fence;
    notes[model::key::claim] = "extendedstatefulset/" + object.meta.key.name;
    json::object& inner = part_of(set, "spec");
    inner["replicas"] = replicas.value;
    add_labels(part_of(part_of(inner, "selector"), "matchLabels"), object, version);
    add_labels(part_of(part_of(part_of(inner, "template"), "metadata"), "labels"), object, version);
    inner["updateStrategy"] =
        json::object{{"type", "RollingUpdate"},
                     {"rollingUpdate", json::object{{"partition", closed_partition.value}}}};
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
