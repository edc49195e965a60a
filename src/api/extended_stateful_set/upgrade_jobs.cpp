// Jobs that run before an upgrade begins and after it is complete: which one is asked for, what has
// become of it, and what the engine is told. One is written down, by its name, before it is made.
#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "api/extended_job/spec.hpp"
#include "api/extended_stateful_set/bodies.hpp"
#include "api/extended_stateful_set/reconciliation.hpp"
#include "base/hash.hpp"
#include "model/annotations.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

namespace json = boost::json;
using engine::JobSuccess;
using engine::Reason;
using jobs::Stage;

constexpr std::string_view right = "sluice-extendedstatefulset-jobs";
// A Job that has ended is there so long for people to look at.
constexpr int seconds_kept = 86'400;
constexpr std::size_t name_part_max = 38;
constexpr std::size_t hash_digits = 8;

}  // namespace

// As it is written down when it is asked for now. Another attempt has another Job, and so has a
// person who wants one that failed to run again.
JobStatus Reconciliation::job_for(Occasion when) const {
    const auto memory = engine::decode_memory(next_.rollout);
    const char* word = when == Occasion::Before ? "pre" : "post";
    JobStatus job;
    job.occasion = fmt::format("{}-{}/{}/{}", revision_of(next_.update), word,
                               memory ? memory->id : 0, next_.digest);
    const std::string& retry = annotation_of(object_, model::key::retry);
    job.retry = retry.empty() ? retry : hex_digest(retry);
    const std::string hash =
        hex_digest(fmt::format("{}/{}/{}", object_.meta.uid, job.occasion, job.retry));
    std::string name = this->name().substr(0, name_part_max);
    while (name.ends_with('-') || name.ends_with('.'))
        name.pop_back();
    job.name = fmt::format("{}-{}-{}-{}", name, revision_of(next_.update), word,
                           hash.substr(0, hash_digits));
    job.started = in_whole_seconds(now_);
    return job;
}

// What it came to is what is asked for; a failure only until somebody wants it to run again.
bool Reconciliation::is_answered(const JobStatus& asked) const {
    const auto& known = next_.job;
    if (!known || known->occasion != asked.occasion) return false;
    return known->stage == Stage::Succeeded ||
           (known->stage == Stage::Failed && known->retry == asked.retry);
}

std::optional<JobSuccess> Reconciliation::job_gate(Occasion when) const {
    if (!job_of(when)) return std::nullopt;
    const JobStatus asked = job_for(when), known = next_.job.value_or(asked);
    if (!is_answered(asked))
        return JobSuccess{jobs::is_under_way(known.stage) ? known.name : asked.name,
                          JobSuccess::State::Running};
    const bool has_succeeded = known.stage == Stage::Succeeded;
    return JobSuccess{known.name,
                      has_succeeded ? JobSuccess::State::Succeeded : JobSuccess::State::Failed,
                      known.message};
}

// One is made only when all other gates have agreed, and one runs at a time: of an upgrade that was
// given up it goes on until it ends, and the next one waits for it. Whoever holds the upgrade
// meanwhile does not keep us from seeing what it comes to, which is not there for ever.
void Reconciliation::mind_jobs() {
    const bool is_asked_for = decision_.report.reason == Reason::JobRunning;
    const Occasion when = next_.exposed.value == 0 ? Occasion::Before : Occasion::After;
    const std::optional<UpgradeJob>& job = job_of(when);
    const UpgradeJob* wanted = is_asked_for && job ? &*job : nullptr;
    if (next_.job && jobs::is_under_way(next_.job->stage))
        next_.job = followed(*next_.job, job_for(when), wanted);
    else if (wanted)
        next_.job = job_for(when);
}

// The one that is under way, and what has become of it. `wanted`: what is asked for now; null:
// nothing is.
JobStatus Reconciliation::followed(JobStatus known, const JobStatus& asked,
                                   const UpgradeJob* wanted) {
    const jobs::Asked at{job_ref(known.name), object_.meta.uid, right, seen_};
    // Of one that nobody asks for, now or any more, nothing is made.
    const bool is_given_up = known.occasion != asked.occasion;
    const bool is_wanted = wanted && !is_given_up;
    const Stage stage = is_wanted ? known.stage : Stage::Made;
    const bool is_tried = seen_.attempted(engine::Action::Verb::Create, job_ref(known.name));
    const bool needs_body = stage == Stage::Due && !is_tried;
    const auto body = needs_body ? job_body(known.name, *wanted) : std::optional{std::string{}};
    if (!body) return known;
    jobs::Next next = at.next(stage, *body, known.started, now_);
    if (next.wants) look_first(std::move(*next.wants));
    if (next.wake_at) wake_at(*next.wake_at);
    if (next.held && wanted) hold_for_job(std::move(next.held->why));
    if (next.has_looked) decision_.noted = jobs::looked(now_);
    job_ = std::move(next.makes);
    if (!is_wanted && jobs::is_under_way(next.stage)) return known;
    // It may not be there yet.
    if (!is_wanted && !is_given_up && !next.is_ours && known.stage == Stage::Due) return known;
    const Instant made_by = known.started + jobs::still_on_its_way;
    if (is_given_up && !next.is_ours && now_ < made_by) {
        wake_at(made_by);
        return known;
    }
    known.stage = next.stage;
    known.message = std::move(next.message);
    return known;
}

// Whatever it is, and whoever may not read it: the rest goes on.
void Reconciliation::look_first(model::Ref object) {
    decision_.rests_on.push_back(std::move(object));
    decision_.rereads_subject = false;
}

void Reconciliation::hold_for_job(std::string why) {
    decision_.report = {engine::Phase::Held, Reason::RunHeld, std::move(why), {}};
    decision_.silent = false;
    wake_at(now_ + jobs::held_pace);
}

// Nothing: an object must be looked at first, or what it says cannot be run.
std::optional<std::string> Reconciliation::pods_of(const UpgradeJob& job) {
    if (job.extended_job.empty()) return job.pod_template;
    const model::Ref ref{&extended_job::resource, object_.meta.key.ns, job.extended_job};
    const engine::Fetched* found = seen_.fetched_as(ref);
    const std::string title = "ExtendedJob " + ref.name;
    if (!found) {
        look_first(ref);
    } else if (found->refusal) {
        hold_for_job(
            fmt::format("{} cannot be read: {} (the right is the ClusterRole {}, bound "
                        "in the namespace)",
                        title, found->refusal->why, right));
    } else if (!found->object) {
        hold_for_job(title + " does not exist.");
    } else if (auto spec = extended_job::read_spec(*found->object); !spec) {
        hold_for_job(fmt::format("{} cannot be run: {}", title, to_text(spec.error())));
    } else {
        return std::move(spec->pod_template);
    }
    return std::nullopt;
}

std::optional<std::string> Reconciliation::job_body(const std::string& job_name,
                                                    const UpgradeJob& job) {
    const auto pods = pods_of(job);
    if (!pods) return std::nullopt;
    json::object spec = jobs::spec_of(*pods), labels;
    spec["activeDeadlineSeconds"] =
        std::chrono::duration_cast<std::chrono::seconds>(job.deadline).count();
    spec["ttlSecondsAfterFinished"] = seconds_kept;
    labels[owner_label] = name();
    labels[version_key] = std::to_string(next_.update);
    return jobs::body_of(
        {.name = job_name, .labels = json::serialize(labels), .spec = json::serialize(spec)},
        {&resource, object_.meta.key.ns, name(), object_.meta.uid});
}

bool Reconciliation::makes_job() {
    if (!job_) return false;
    decision_.notices.push_back(
        {Reason::JobRunning, fmt::format("Job {} is made: the upgrade to {} waits for it.",
                                         job_->object.ref.name, revision_of(next_.update))});
    add_action(std::move(*job_));
    decision_.needs_live = true;
    return true;
}

}  // namespace sluice::api::extended_stateful_set
