#include "api/analysis/decide.hpp"

#include <algorithm>
#include <boost/json.hpp>

#include "api/analysis/history.hpp"
#include "api/analysis/job.hpp"
#include "api/analysis/measuring.hpp"
#include "api/claims.hpp"
#include "api/json_parts.hpp"
#include "api/registry.hpp"
#include "model/annotations.hpp"

namespace sluice::api::analysis {

const model::Resource resource{"argoproj.io", "v1alpha1", "analysisruns", "AnalysisRun"};

namespace {

namespace json = boost::json;
using engine::Decision;
using engine::Reason;
using model::CustomObject;

struct PhaseRow {
    Phase phase;
    engine::Phase is;
    Reason reason;
};
constexpr PhaseRow rows[] = {
    {Phase::Pending, engine::Phase::Waiting, Reason::AnalysisRunning},
    {Phase::Running, engine::Phase::Rolling, Reason::AnalysisRunning},
    {Phase::Successful, engine::Phase::Idle, Reason::AnalysisRunSuccessful},
    {Phase::Failed, engine::Phase::Held, Reason::AnalysisRunFailed},
    {Phase::Error, engine::Phase::Held, Reason::AnalysisRunError},
    {Phase::Inconclusive, engine::Phase::Held, Reason::AnalysisRunInconclusive},
};
const PhaseRow& row_of(Phase phase) {
    return rows[static_cast<std::size_t>(phase)];
}

// The run has no status subresource: its status is a part of the object like any other.
std::optional<engine::Action> status_write(const CustomObject& object, const RunStatus& status) {
    const std::string text = write_run_status(status);
    if (text == write_run_status(read_run_status(object)) && !object.status.empty())
        return std::nullopt;
    json::value seen = model::parse_json(object.status);  // no status: null
    const json::array patch{
        json::object{{"op", "test"}, {"path", "/metadata/uid"}, {"value", object.meta.uid}},
        json::object{{"op", "test"}, {"path", "/status"}, {"value", std::move(seen)}},
        json::object{{"op", "add"}, {"path", "/status"}, {"value", json::parse(text)}}};
    return engine::Action{.object = subject_of(resource, object), .body = json::serialize(patch)};
}

std::string sentence(const RunStatus& status) {
    if (!status.message.empty()) return status.message;
    return std::string{engine::entry(row_of(status.phase).reason).meaning};
}

Turn turn_of(const CustomObject& object, const RunStatus& old,
             const std::optional<MeasurementAnswer>& answer, Instant now) {
    if (is_over(old.phase)) return {old, std::nullopt, std::nullopt, true};
    const auto spec = read_run_spec(object);
    const model::ObjectKey& key = object.meta.key;
    if (spec) return take_turn(*spec, old, {key.ns, key.name, object.meta.uid}, answer, now);
    return {refused(old, spec.error(), now), std::nullopt, std::nullopt, true};
}

// A run that is over: when may it go?
void add_expiry(Decision& decision, const CustomObject& object, const RunStatus& status,
                Instant now) {
    const auto expiry = expires_at(read_time_to_live(object), status);
    if (!expiry) return;
    if (*expiry > now)
        decision.wake_at = *expiry;
    else
        decision.actions.push_back(engine::deletion_of(subject_of(resource, object)));
}

// The last answer that came for this run, however old.
std::optional<MeasurementAnswer> answer_in(const engine::Snapshot& seen) {
    const engine::Evidence* evidence = engine::last_of<MeasurementAnswer>(seen.evidence);
    if (!evidence) return std::nullopt;
    MeasurementAnswer answer = *engine::opened<MeasurementAnswer>(*evidence->answer);
    answer.at = in_whole_seconds(evidence->at);
    return answer;
}

}  // namespace

model::Ref target_of(const CustomObject& object) {
    return ref_to(resource, object.meta.key);
}

bool is_served(const CustomObject& object) {
    const bool is_ours = std::ranges::any_of(apis(), [&](const Api& one) {
        return one.resource && one.resource->kind == object.owner_kind;
    });
    return is_ours || annotation_of(object, std::string{serve_annotation}) == "true";
}

void trim(CustomObject& object) {
    object.labels.clear();
    if (!is_served(object)) {
        object.spec.clear();
        object.status.clear();
        return;
    }
    RunStatus status = read_run_status(object);
    if (!is_over(status.phase)) return;
    status.results.clear();
    object.status = write_run_status(status);
    const TimeToLive stay = read_time_to_live(object);
    RunSpec left;
    left.time_to_live = stay;
    object.spec = stay == TimeToLive{} ? "" : write_run_spec(left);
}

namespace {

// What follows from the Job that a turn asks about; nothing if it asks about none, or if its status
// is to be written first.
std::optional<JobStep> job_step_of(const Turn& turn, const engine::Snapshot& seen) {
    const CustomObject& object = seen.objects.front();
    const auto* job = turn.question ? std::get_if<JobQuestion>(&turn.question->what) : nullptr;
    if (!job || status_write(object, turn.status)) return std::nullopt;
    return next_step(*job, object.meta.key.ns, seen);
}

// A Job that is made cannot be unmade, so a run that is not as we see it makes none.
void add_job(Decision& decision, JobStep step, Instant now) {
    if (auto* action = std::get_if<engine::Action>(&step)) {
        decision.needs_live = action->verb == engine::Action::Verb::Create;
        decision.actions.push_back(std::move(*action));
    } else if (auto* job = std::get_if<model::Ref>(&step)) {
        decision.rests_on.push_back(std::move(*job));
        decision.rereads_subject = false;
    } else {
        decision.wake_at = now;  // one Job at a time
    }
}

}  // namespace

Decision decide(const engine::Snapshot& seen, Instant now) {
    Decision decision;
    if (seen.objects.empty() || seen.objects.front().meta.deleting) return decision;
    const CustomObject& object = seen.objects.front();
    if (!is_served(object)) return decision;
    const RunStatus old = read_run_status(object);
    Turn turn = turn_of(object, old, answer_in(seen), now);
    std::optional<JobStep> job = job_step_of(turn, seen);
    using Measured = decltype(MeasurementAnswer::what);
    auto* known = job ? std::get_if<Measured>(&*job) : nullptr;
    if (known && turn.question) {
        const MeasurementAnswer answer{turn.question->key, std::move(*known),
                                       in_whole_seconds(now)};
        decision.noted = engine::Evidence{answer.key, engine::answer_of(answer), now};
        turn = turn_of(object, old, answer, now);
        job = job_step_of(turn, seen);
    }
    const PhaseRow& row = row_of(turn.status.phase);
    decision.subject = subject_of(resource, object);
    decision.report = {row.is, row.reason, sentence(turn.status), ""};
    decision.wake_at = turn.wake_at;
    if (auto write = status_write(object, turn.status)) {
        if (turn.is_over) write->notices.push_back({row.reason, sentence(turn.status)});
        decision.actions.push_back(std::move(*write));
        return decision;
    }
    if (job) {
        add_job(decision, std::move(*job), now);
    } else if (turn.question) {
        std::string key = turn.question->key;
        decision.probe =
            engine::Probe{std::move(key), engine::question_of(std::move(*turn.question))};
    }
    add_expiry(decision, object, turn.status, now);
    return decision;
}

}  // namespace sluice::api::analysis
