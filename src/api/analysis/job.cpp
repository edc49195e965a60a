#include "api/analysis/job.hpp"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "api/analysis/decide.hpp"
#include "api/jobs/job.hpp"
#include "base/hash.hpp"
#include "base/names.hpp"
#include "model/json_text.hpp"

namespace sluice::api::analysis {
namespace {

namespace json = boost::json;
using engine::Fetched;
using Verb = engine::Action::Verb;

constexpr std::string_view right = "sluice-analysis-jobs";

JobStep step_of(jobs::Step step) {
    if (auto* seen = std::get_if<JobSeen>(&step)) return std::move(*seen);
    if (auto* refused = std::get_if<jobs::Refused>(&step))
        return NotMeasured{std::move(refused->why)};
    if (auto* wanted = std::get_if<model::Ref>(&step)) return std::move(*wanted);
    return std::get<engine::Action>(std::move(step));
}

// The Job of an old measurement goes; if it does not, it goes with the run.
std::optional<JobStep> retire(const JobQuestion& question, const std::string& ns,
                              const engine::Snapshot& seen) {
    const model::Ref old{&model::jobs, ns, question.retired};
    const model::Ref fresh{&model::jobs, ns, question.name};
    const bool is_over = seen.attempted(Verb::Delete, old) || seen.attempted(Verb::Create, fresh);
    if (question.retired.empty() || is_over) return std::nullopt;
    const Fetched* at = seen.fetched_as(old);
    const bool is_ours = at && at->object && at->object->owner_uid == question.run_uid;
    if (at && (!is_ours || at->object->meta.deleting)) return std::nullopt;
    return step_of(jobs::Asked{old, question.run_uid, right, seen}.stop());
}

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
    json::value value = model::parse_json(text);
    if (!value.is_object()) value.emplace_object();
    return value;
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
    return jobs::body_of({name, json::serialize(labels), json::serialize(annotations), job.spec},
                         {&resource, run.ns, run.name, run.uid});
}

JobStep next_step(const JobQuestion& question, const std::string& ns,
                  const engine::Snapshot& seen) {
    const jobs::Asked asked{{&model::jobs, ns, question.name}, question.run_uid, right, seen};
    switch (question.act) {
        case JobQuestion::Act::Run:
            if (auto first = retire(question, ns, seen)) return std::move(*first);
            return step_of(asked.run(question.body));
        case JobQuestion::Act::Look: return step_of(asked.look());
        case JobQuestion::Act::Stop: break;
    }
    return step_of(asked.stop());
}

}  // namespace sluice::api::analysis
