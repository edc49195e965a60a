#include "api/jobs/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <optional>

#include "api/json_parts.hpp"
#include "base/names.hpp"
#include "base/printable.hpp"

namespace sluice::api::jobs {
namespace {

namespace json = boost::json;
using engine::Attempt;
using engine::Fetched;
using engine::Refusal;
using Verb = engine::Action::Verb;
using State = JobSeen::State;

constexpr std::size_t conditions_max = 32;
constexpr std::size_t containers_max = 32;
// How long after the last look a Job is looked at again: the longer it runs, the more seldom.
constexpr Duration pace_least = 5s;
constexpr Duration pace_most = 1min;
constexpr int looks_per_age = 10;
// A container that is started anew may fail as often as Kubernetes lets it if nobody says anything.
constexpr int retries_in_place = 6;
constexpr std::string_view in_place = "OnFailure";

// When Jobs were last looked at.
struct Looked {};

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

// Whether the same request may go through another time.
bool may_pass(const Refusal& refusal) {
    constexpr int passing[] = {0, 401, 408, 409, 429};
    if (refusal.unreadable) return false;
    return refusal.status >= 500 || std::ranges::find(passing, refusal.status) != std::end(passing);
}

json::value parsed(const std::string& text) {
    json::value value = model::parse_json(text);
    if (!value.is_object()) value.emplace_object();
    return value;
}

}  // namespace

std::vector<Fields> containers_in(const Fields& pod_template) {
    const auto pod = pod_template.object("spec", required);
    if (!pod) return {};
    const std::string policy = pod->text("restartPolicy", label_bytes_max, !required);
    if (policy != "Never" && policy != in_place)
        pod->fault("restartPolicy", "must be Never or OnFailure");
    std::vector<Fields> containers = pod->list("containers", containers_max);
    if (containers.empty()) pod->fault("containers", "must have at least one entry");
    return containers;
}

json::object spec_of(const std::string& pod_template) {
    json::value model = parsed(pod_template);
    const bool starts_anew = model::text_at(model, "/spec/restartPolicy") == in_place;
    return {{"backoffLimit", starts_anew ? retries_in_place : 0}, {"template", std::move(model)}};
}

engine::Evidence looked(Instant now) {
    return {"looked", engine::answer_of(Looked{}), now};
}

bool Refused::is_for_good() const {
    constexpr int for_good[] = {400, 413, 422};
    return !status || std::ranges::find(for_good, *status) != std::end(for_good);
}

// As every authorizer of Kubernetes says it: is forbidden: User "x" cannot create resource "jobs".
bool lacks_right(const Refusal& refusal) {
    return refusal.status == 403 &&
           (refusal.why.contains("is forbidden: User") || refusal.why.contains(" cannot "));
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

json::object reference_to(const Owner& owner) {
    return {{"apiVersion", model::api_version(*owner.resource)},
            {"kind", owner.resource->kind},
            {"name", owner.name},
            {"uid", owner.uid},
            {"controller", true}};
}

std::string body_of(const Order& order, const Owner& owner) {
    return json::serialize(json::object{
        {"apiVersion", model::api_version(model::jobs)},
        {"kind", model::jobs.kind},
        {"metadata", json::object{{"name", order.name},
                                  {"namespace", owner.ns},
                                  {"labels", parsed(order.labels)},
                                  {"annotations", parsed(order.annotations)},
                                  {"ownerReferences", json::array{reference_to(owner)}}}},
        {"spec", parsed(order.spec)}});
}

Step Asked::what_is(const model::CustomObject& job) const {
    if (!is_ours(job)) return Refused{"Job " + to_text(job_) + " belongs to somebody else"};
    return state_of(job);
}

Refused Asked::refused(const Refusal& refusal) const {
    std::string why = "Job " + to_text(job_) + ": " + printable(refusal.why);
    if (lacks_right(refusal))
        why += fmt::format(" (the right to run Jobs is the ClusterRole {}, bound in the namespace)",
                           right_);
    return {std::move(why), refusal.status};
}

Step Asked::run(const std::string& body) const {
    const Attempt* made = seen_.attempted(Verb::Create, job_);
    if (!made) return engine::creation_of(job_, body);
    if (made->object) return what_is(*made->object);
    const bool is_there = made->refusal && made->refusal->status == 409;
    const Fetched* at = seen_.fetched_as(job_);
    if (is_there && !at) return job_;
    if (is_there && at->object) return what_is(*at->object);
    if (!made->refusal || may_pass(*made->refusal)) return JobSeen{State::Unknown, ""};
    return refused(*made->refusal);
}

Step Asked::look() const {
    const Fetched* at = seen_.fetched_as(job_);
    if (!at) return job_;
    if (at->refusal && may_pass(*at->refusal)) return JobSeen{State::Unknown, ""};
    if (at->refusal) return refused(*at->refusal);
    if (!at->object) return Refused{"Job " + to_text(job_) + " is gone"};
    return what_is(*at->object);
}

// A conflict is a Job of that name with another UID: the one that was meant is gone.
Step Asked::stop() const {
    if (const Attempt* deleted = seen_.attempted(Verb::Delete, job_)) {
        const int status = deleted->refusal ? deleted->refusal->status : 0;
        if (!deleted->refusal || status == 404 || status == 409) return JobSeen{State::Stopped, ""};
        return refused(*deleted->refusal);
    }
    const Fetched* at = seen_.fetched_as(job_);
    if (!at) return job_;
    if (at->refusal) return refused(*at->refusal);
    if (!at->object) return JobSeen{State::Stopped, ""};
    if (!is_ours(*at->object)) return what_is(*at->object);
    if (at->object->meta.deleting) return JobSeen{State::Stopped, ""};
    return engine::deletion_of({job_, at->object->meta.uid});
}

Next Asked::next_of_due(const std::string& body, Instant now) const {
    Step step = run(body);
    if (auto* action = std::get_if<engine::Action>(&step))
        return {.stage = Stage::Due, .makes = std::move(*action)};
    if (auto* job = std::get_if<model::Ref>(&step))
        return {.stage = Stage::Due, .wants = std::move(*job)};
    if (auto* refused = std::get_if<Refused>(&step)) {
        if (refused->is_for_good())
            return {.stage = Stage::Failed, .message = std::move(refused->why), .is_ours = false};
        return {.stage = Stage::Due, .held = std::move(*refused), .wake_at = now + held_pace};
    }
    if (std::get<JobSeen>(step).state == State::Unknown)
        return {.stage = Stage::Due, .wake_at = now + pace_least};
    return {.stage = Stage::Made};
}

Next Asked::next_of_made(Instant started, Instant now) const {
    const engine::Evidence* last = engine::last_of<Looked>(seen_.evidence);
    const Duration pace =
        std::clamp<Duration>((now - started) / looks_per_age, pace_least, pace_most);
    if (last && now < last->at + pace && !seen_.fetched_as(job_))
        return {.stage = Stage::Made, .wake_at = last->at + pace};
    Step step = look();
    if (auto* job = std::get_if<model::Ref>(&step))
        return {.stage = Stage::Made, .wants = std::move(*job)};
    if (auto* refused = std::get_if<Refused>(&step)) {
        if (refused->is_for_good())
            return {.stage = Stage::Failed,
                    .message = std::move(refused->why),
                    .has_looked = true,
                    .is_ours = false};
        return {.stage = Stage::Made,
                .held = std::move(*refused),
                .wake_at = now + held_pace,
                .has_looked = true};
    }
    auto& job = std::get<JobSeen>(step);
    if (job.state == State::Succeeded) return {.stage = Stage::Succeeded, .has_looked = true};
    if (job.state == State::Failed)
        return {.stage = Stage::Failed, .message = std::move(job.message), .has_looked = true};
    return {.stage = Stage::Made, .wake_at = now + pace, .has_looked = true};
}

Next Asked::next(Stage stage, const std::string& body, Instant started, Instant now) const {
    return stage == Stage::Due ? next_of_due(body, now) : next_of_made(started, now);
}

}  // namespace sluice::api::jobs
