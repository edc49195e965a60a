#include "api/analysis/job.hpp"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "base/hash.hpp"
#include "base/names.hpp"

namespace sluice::api::analysis {
namespace {

namespace json = boost::json;

// Of the metadata that a template gives, only texts under this name.
json::object texts_of(const json::value& metadata, std::string_view name) {
    json::object texts;
    const json::object* all = metadata.if_object();
    const json::value* part = all ? all->if_contains(name) : nullptr;
    if (!part || !part->is_object()) return texts;
    for (const auto& [key, value] : part->get_object())
        if (value.is_string()) texts[key] = value;
    return texts;
}

json::value parsed(const std::string& text) {
    boost::system::error_code broken;
    json::value value = json::parse(text, broken);
    return broken || !value.is_object() ? json::value(json::object{}) : value;
}

}  // namespace

std::string job_name(const RunContext& run, const std::string& metric, std::int64_t number) {
    std::string name = fmt::format("{}.{}.{}", run.uid, metric, number);
    if (name.size() <= label_bytes_max && is_dns_subdomain(name)) return name;
    return fmt::format("analysis-{:016x}-{}", fnv1a(run.uid + "/" + metric), number);
}

std::string job_body(const RunContext& run, const std::string& metric, const Job& job,
                     const std::string& name) {
    const json::value metadata = parsed(job.metadata);
    json::object labels = texts_of(metadata, "labels");
    labels["analysisrun.argoproj.io/uid"] = run.uid;
    json::object annotations = texts_of(metadata, "annotations");
    annotations["analysisrun.argoproj.io/name"] = run.name;
    annotations["analysisrun.argoproj.io/metric-name"] = metric;
    const json::object owner{{"apiVersion", "argoproj.io/v1alpha1"},
                             {"kind", "AnalysisRun"},
                             {"name", run.name},
                             {"uid", run.uid},
                             {"controller", true}};
    return json::serialize(
        json::object{{"apiVersion", "batch/v1"},
                     {"kind", "Job"},
                     {"metadata", json::object{{"name", name},
                                               {"namespace", run.ns},
                                               {"labels", std::move(labels)},
                                               {"annotations", std::move(annotations)},
                                               {"ownerReferences", json::array{owner}}}},
                     {"spec", parsed(job.spec)}});
}

}  // namespace sluice::api::analysis
