#include "api/analysis/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "api/json_parts.hpp"
#include "base/hash.hpp"
#include "base/names.hpp"
#include "base/printable.hpp"

namespace sluice::api::analysis {
namespace {

namespace json = boost::json;
using engine::Attempt;
using engine::Fetched;
using engine::Refusal;
using Verb = engine::Action::Verb;
using State = JobSeen::State;

constexpr std::size_t conditions_max = 32;

struct Condition {
    std::string type;
    std::string why;
};

std::optional<Condition> read_condition(const JsonReader& reader) {
    if (reader.text("status") != "True") return std::nullopt;
    std::string why = reader.text("reason");
    const std::string message = reader.text("message");
    if (!message.empty()) why += (why.empty() ? "" : ": ") + message;
    return Condition{reader.text("type"), printable(why)};
}

JobSeen state_of(const model::CustomObject& job) {
    const json::value status = model::parse_json(job.status);
    const JsonReader reader{&status};
    for (const Condition& one : reader.list("conditions", conditions_max, read_condition)) {
        if (one.type == "Complete") return {State::Succeeded, ""};
        if (one.type == "Failed") return {State::Failed, one.why};
    }
    return {State::Running, ""};
}

// Whether the same request may go through another time.
bool may_pass(const Refusal& refusal) {
    constexpr int passing[] = {0, 401, 408, 409, 429};
    if (refusal.unreadable) return false;
    return refusal.status >= 500 || std::ranges::find(passing, refusal.status) != std::end(passing);
}

NotMeasured refused(const model::Ref& job, const Refusal& refusal) {
    std::string why = "Job " + to_text(job) + ": " + printable(refusal.why);
    if (refusal.status == 403)
        why +=
            " (the right to run Jobs is the ClusterRole sluice-analysis-jobs, bound in the "
            "namespace)";
    return {std::move(why)};
}

// One question, and what is seen of the world.
class Asked {
  public:
    Asked(const JobQuestion& question, const std::string& ns, const engine::Snapshot& seen)
        : question_(question), ns_(ns), seen_(seen), job_{&model::jobs, ns, question.name} {}

    JobStep run() const;
    JobStep look() const;
    JobStep stop() const;

  private:
    bool is_ours(const model::CustomObject& job) const {
        return job.owner_uid == question_.run_uid;
    }
    JobStep what_is(const model::CustomObject& job) const {
        if (!is_ours(job)) return NotMeasured{"Job " + to_text(job_) + " belongs to somebody else"};
        return state_of(job);
    }
    std::optional<JobStep> retire() const;

    const JobQuestion& question_;
    const std::string& ns_;
    const engine::Snapshot& seen_;
    const model::Ref job_;
};

// The Job of an old measurement goes; if it does not, it goes with the run.
std::optional<JobStep> Asked::retire() const {
    const model::Ref old{&model::jobs, ns_, question_.retired};
    if (question_.retired.empty() || seen_.attempted(Verb::Delete, old)) return std::nullopt;
    const Fetched* at = seen_.fetched_as(old);
    if (!at) return JobStep{old};
    if (!at->object || !is_ours(*at->object) || at->object->meta.deleting) return std::nullopt;
    return engine::deletion_of({old, at->object->meta.uid});
}

JobStep Asked::run() const {
    if (const Attempt* made = seen_.attempted(Verb::Create, job_)) {
        if (made->object) return what_is(*made->object);
        const bool is_there = made->refusal && made->refusal->status == 409;
        const Fetched* at = seen_.fetched_as(job_);
        if (is_there && !at) return job_;
        if (is_there && at->object) return what_is(*at->object);
        if (!made->refusal || may_pass(*made->refusal)) return JobSeen{State::Unknown, ""};
        return refused(job_, *made->refusal);
    }
    if (auto first = retire()) return std::move(*first);
    return engine::Action{.verb = Verb::Create, .object = {job_, ""}, .body = question_.body};
}

JobStep Asked::look() const {
    const Fetched* at = seen_.fetched_as(job_);
    if (!at) return job_;
    if (at->refusal && may_pass(*at->refusal)) return JobSeen{State::Unknown, ""};
    if (at->refusal) return refused(job_, *at->refusal);
    if (!at->object) return NotMeasured{"Job " + to_text(job_) + " is gone"};
    return what_is(*at->object);
}

// A conflict is a Job of that name with another UID: the one that was meant is gone.
JobStep Asked::stop() const {
    if (const Attempt* deleted = seen_.attempted(Verb::Delete, job_)) {
        const int status = deleted->refusal ? deleted->refusal->status : 0;
        if (!deleted->refusal || status == 404 || status == 409) return JobSeen{State::Stopped, ""};
        return refused(job_, *deleted->refusal);
    }
    const Fetched* at = seen_.fetched_as(job_);
    if (!at) return job_;
    if (at->refusal) return refused(job_, *at->refusal);
    if (!at->object) return JobSeen{State::Stopped, ""};
    if (!is_ours(*at->object)) return what_is(*at->object);
    if (at->object->meta.deleting) return JobSeen{State::Stopped, ""};
    return engine::deletion_of({job_, at->object->meta.uid});
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

JobStep next_step(const JobQuestion& question, const std::string& ns,
                  const engine::Snapshot& seen) {
    const Asked asked{question, ns, seen};
    switch (question.act) {
        case JobQuestion::Act::Run: return asked.run();
        case JobQuestion::Act::Look: return asked.look();
        case JobQuestion::Act::Stop: break;
    }
    return asked.stop();
}

}  // namespace sluice::api::analysis
