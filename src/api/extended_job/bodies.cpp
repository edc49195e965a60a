#include "api/extended_job/bodies.hpp"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "api/jobs/job.hpp"
#include "base/base64.hpp"
#include "base/hash.hpp"
#include "base/names.hpp"
#include "model/json_text.hpp"

namespace sluice::api::extended_job {
namespace {

namespace json = boost::json;

constexpr std::size_t name_part_max = 30;
constexpr std::size_t half_part_max = 15;

// What is left of a name without dashes and dots.
std::string squeezed(std::string_view name, std::size_t max) {
    std::string text;
    for (const char c : name)
        if (c != '-' && c != '.' && text.size() < max) text += c;
    return text;
}

// The name of a pod may be longer than a label.
std::string as_label(std::string_view name) {
    std::string_view text = name.substr(0, label_bytes_max);
    while (!text.empty() && !is_label_value(text))
        text.remove_suffix(1);
    return std::string{text};
}

jobs::Owner owner_of(const model::CustomObject& object) {
    return {&resource, object.meta.key.ns, object.meta.key.name, object.meta.uid};
}

json::object data_of(const Values& values) {
    json::object data;
    for (const auto& [key, value] : values)
        data[key] = encode_base64(value.reveal());
    return data;
}

}  // namespace

std::string job_name(const model::CustomObject& object, std::int64_t number, Instant started) {
    return fmt::format(
        "job-{}-{:016x}", squeezed(object.meta.key.name, name_part_max),
        fnv1a(fmt::format("{}/{}/{}", object.meta.uid, number, to_rfc3339(started))));
}

std::string job_name(const model::CustomObject& object, const model::CustomObject& pod,
                     PodState state) {
    return fmt::format(
        "job-{}-{}-{:016x}", squeezed(object.meta.key.name, half_part_max),
        squeezed(pod.meta.key.name, half_part_max),
        fnv1a(fmt::format("{}/{}/{}", object.meta.uid, pod.meta.uid, to_text(state))));
}

std::string job_body(const model::CustomObject& object, const Spec& spec, const Run& run) {
    json::object labels, annotations;
    labels[job_label] = "true";
    if (!run.pod.empty()) {
        labels[pod_label] = as_label(run.pod);
        annotations[pod_annotation] = run.pod;
    }
    return jobs::body_of({.name = run.job,
                          .labels = json::serialize(labels),
                          .annotations = json::serialize(annotations),
                          .spec = json::serialize(jobs::spec_of(spec.pod_template))},
                         owner_of(object));
}

std::vector<engine::Action> secret_writes(const model::CustomObject& object, const Output& output,
                                          const std::string& container, const Values& values) {
    const model::Ref ref{&model::secrets, object.meta.key.ns, output.prefix + container};
    json::object labels;
    for (const auto& [key, value] : output.labels)
        labels[key] = value;
    const json::object secret{
        {"apiVersion", "v1"},
        {"kind", "Secret"},
        {"metadata",
         json::object{{"name", ref.name},
                      {"namespace", ref.ns},
                      {"labels", labels},
                      {"ownerReferences", json::array{jobs::reference_to(owner_of(object))}}}},
        {"type", "Opaque"},
        {"data", data_of(values)}};
    const json::array patch{
        json::object{{"op", "test"},
                     {"path", "/metadata/ownerReferences/0"},  // others follow who read it
                     {"value", jobs::reference_to(owner_of(object))}},
        json::object{{"op", "add"}, {"path", "/metadata/labels"}, {"value", labels}},
        json::object{{"op", "add"}, {"path", "/data"}, {"value", data_of(values)}}};
    return {{.verb = engine::Action::Verb::Create,
             .object = {ref, ""},
             .body = json::serialize(secret)},
            {.object = {ref, ""}, .body = json::serialize(patch), .follows = true}};
}

}  // namespace sluice::api::extended_job
