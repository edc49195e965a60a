// A StatefulSet after a write of ours: the set becomes a JSON document, the patch is applied to it
// with all its tests, and what it changed is read back.
#pragma once

#include <string>

#include "model/decode.hpp"
#include "model/workload_patch.hpp"
#include "tests/unit/model/json_patch.hpp"
#include "tests/unit/model/kept.hpp"

namespace sluice::model::testing {

inline json::object texts_of(const Texts& texts) {
    json::object object;
    for (const auto& [key, value] : texts)
        object[key] = value;
    return object;
}

inline json::object document_of(const StatefulSet& set) {
    json::object metadata{{"name", set.meta.key.name},
                          {"namespace", set.meta.key.ns},
                          {"uid", set.meta.uid},
                          {"generation", set.meta.generation},
                          {"labels", texts_of(set.labels)}};
    if (set.has_annotations) metadata["annotations"] = texts_of(set.annotations);
    json::object strategy{{"type", "RollingUpdate"}};
    if (set.partition) strategy["rollingUpdate"] = {{"partition", set.partition->value}};
    return {{"metadata", metadata}, {"spec", {{"updateStrategy", strategy}}}};
}

// The set as the API server would keep it, or nothing if the patch was refused. The generation
// counts changes of the spec, as it does in Kubernetes.
inline std::optional<StatefulSet> written(StatefulSet set, const std::string& json_patch) {
    const auto document = applied(document_of(set), json_patch);
    if (!document) return std::nullopt;
    Decoder decoder{kept()};
    const auto object = decoder.object(statefulsets, json::serialize(*document));
    const auto& after = std::get<StatefulSet>(object.value());
    if (after.partition != set.partition) ++set.meta.generation;
    ++set.meta.resource_version;
    set.partition = after.partition;
    set.annotations = after.annotations;
    set.has_annotations = after.has_annotations;
    return set;
}

}  // namespace sluice::model::testing
