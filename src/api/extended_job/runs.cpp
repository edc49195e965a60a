// What becomes of each run: its Job is made and looked at, what it printed is kept, and it is over.
#include <fmt/format.h>

#include "api/extended_job/bodies.hpp"
#include "api/extended_job/reconciliation.hpp"

namespace sluice::api::extended_job {
namespace {

using engine::Reason;
using jobs::Stage;

constexpr std::string_view right = "sluice-extendedjob-jobs";

}  // namespace

jobs::Asked Reconciliation::asked(const std::string& job) const {
    return {job_ref(job), object_.meta.uid, right, seen_};
}

void Reconciliation::end(Run& run, bool has_succeeded, std::string message, Leaves leaves) {
    ++(has_succeeded ? next_.succeeded : next_.failed);
    next_.last = LastRun{.number = run.number,
                         .job = run.job,
                         .pod = run.pod,
                         .outcome = has_succeeded ? "Succeeded" : "Failed",
                         .message = std::move(message),
                         .started = run.started,
                         .finished = in_whole_seconds(now_)};
    decision_.notices.push_back(
        {has_succeeded ? Reason::RunSucceeded : Reason::RunFailed, report_on_last().message});
    std::string goes = run.job;
    if (!has_succeeded && leaves == Leaves::Job) std::swap(goes, next_.kept_job);
    if (!goes.empty() && leaves == Leaves::Job)
        // Not sooner: a request that is still on its way finds it instead of making it again.
        next_.leaving.push_back({std::move(goes), run.started + jobs::still_on_its_way});
    if (next_.leaving.size() > leaving_max) next_.leaving.erase(next_.leaving.begin());
    run.job.clear();  // it is over
}

// Whoever asks from now on asks for another run.
void Reconciliation::follow_planned(Run& run) {
    if (spec_asks_for(run))
        next_acts_.insert(next_acts_.begin(), strategy_patch());
    else
        run.stage = Stage::Due;
}

// It is due, or made.
void Reconciliation::follow_job(Run& run) {
    jobs::Next next =
        asked(run.job).next(run.stage, job_body(object_, spec_, run), run.started, now_);
    if (next.wants) want(std::move(*next.wants));
    if (next.wake_at) wake_at(*next.wake_at);
    if (next.held) held_.push_back({Reason::RunHeld, std::move(next.held->why)});
    if (next.makes) {
        next.makes->notices.push_back(
            {Reason::RunUnderWay, fmt::format("Run {}: Job {} is made.", run.number, run.job)});
        next_acts_.push_back(std::move(*next.makes));
    }
    has_looked_ = has_looked_ || next.has_looked;
    run.stage = next.stage;
    run.message = std::move(next.message);
    if (!next.is_ours) return end(run, false, run.message, Leaves::Nothing);
    const engine::Fetched* at = seen_.fetched_as(job_ref(run.job));
    if (!jobs::is_under_way(run.stage) && at && at->object) run.uid = at->object->meta.uid;
    end_without_output(run);
}

// It has ended, and what it printed is wanted.
bool Reconciliation::waits_for_output(const Run& run) const {
    if (!spec_.output || run.job.empty()) return false;  // it is over
    return run.stage == Stage::Succeeded ||
           (run.stage == Stage::Failed && spec_.output->on_failure);
}

void Reconciliation::end_without_output(Run& run) {
    const bool has_ended = run.stage == Stage::Succeeded || run.stage == Stage::Failed;
    if (has_ended && !waits_for_output(run)) end(run, run.stage == Stage::Succeeded, run.message);
}

// What the server says of a Secret is not repeated: it may hold what was to be written.
std::optional<std::string> Reconciliation::refusal_of_output() const {
    const auto& last = seen_.attempt;
    const bool is_of_output = last && last->ref.resource == &model::secrets;
    if (!is_of_output || !last->refusal || !last->refusal->is_final()) return std::nullopt;
    const std::string secret = fmt::format("Secret {}", to_text(last->ref));
    if (jobs::lacks_right(*last->refusal))
        return fmt::format(
            "{} may not be written (the right is the ClusterRole {}, bound in the namespace)",
            secret, right);
    if (last->refusal->status == 403)
        return secret + " is refused by something in the namespace, such as a ResourceQuota";
    if (last->verb == engine::Action::Verb::Patch)
        return secret + " is there and belongs to somebody else";
    return fmt::format("{} is refused as spec.output wants it (status {})", secret,
                       last->refusal->status);
}

// It is read anew: an output is in memory only until it is written or refused.
void Reconciliation::hold_output(const Run& run, std::string why) {
    decision_.noted = engine::Evidence{
        run.job, engine::answer_of(OutputAnswer{run.number, run.job, OutputAnswer::Unknown{why}}),
        now_};
    held_.push_back({Reason::OutputHeld, std::move(why)});
    wake_at(now_ + jobs::held_pace);
}

// What its Job has printed is known, or that nobody ever will.
void Reconciliation::keep_output(Run& run, const OutputAnswer& answer) {
    if (const auto* unusable = std::get_if<OutputAnswer::Unusable>(&answer.what))
        return end(run, false,
                   run.message.empty() ? fmt::format("It ended, but {}.", unusable->why)
                                       : fmt::format("{}; and {}.", run.message, unusable->why));
    if (auto why = refusal_of_output()) return hold_output(run, std::move(*why));
    if (!spec_.output) return;
    for (const auto& [container, values] : std::get<std::map<std::string, Values>>(answer.what))
        for (engine::Action& write : secret_writes(object_, *spec_.output, container, values)) {
            write.follows = !outputs_.empty();
            outputs_.push_back(std::move(write));
        }
    end(run, run.stage == Stage::Succeeded, run.message);
}

// Nobody waits for it any more. Whose turn it was stays known.
void Reconciliation::forget_output(const OutputAnswer& answer) {
    decision_.noted =
        engine::Evidence{"", engine::answer_of(OutputAnswer{answer.run, "", {}}), now_};
}

// They take turns; null: nobody waits. Runs stand in the order of their numbers.
const Run* Reconciliation::next_to_ask(std::int64_t asked_last) const {
    const Run* first = nullptr;
    for (const Run& run : next_.active) {
        if (!waits_for_output(run)) continue;
        if (run.number > asked_last) return &run;
        if (!first) first = &run;
    }
    return first;
}

// One run at a time: what was printed is kept until it is written, and no longer. One whose output
// cannot be read or written waits, and others have their turn before it is asked again.
void Reconciliation::follow_outputs() {
    const engine::Evidence* said = engine::last_of<OutputAnswer>(seen_.evidence);
    const OutputAnswer* answer = said ? engine::opened<OutputAnswer>(*said->answer) : nullptr;
    const auto told = std::ranges::find_if(next_.active, [&](const Run& run) {
        return answer && run.job == answer->job && waits_for_output(run);
    });
    if (answer && !answer->job.empty() && told == next_.active.end()) forget_output(*answer);
    if (told != next_.active.end()) {
        const auto* unknown = std::get_if<OutputAnswer::Unknown>(&answer->what);
        if (!unknown) return keep_output(*told, *answer);
        held_.push_back({Reason::OutputHeld, unknown->why});
        const Instant due = said->at + jobs::held_pace;
        if (now_ < due) return wake_at(due);
    }
    if (const Run* next = next_to_ask(answer ? answer->run : 0))
        decision_.probe = engine::Probe{
            next->job,
            engine::question_of(OutputQuestion{next->number, next->job, next->uid,
                                               next->stage == Stage::Succeeded, spec_.containers})};
}

void Reconciliation::follow_runs() {
    for (Run& run : next_.active)
        switch (run.stage) {
            case Stage::Planned: follow_planned(run); break;
            case Stage::Due:
            case Stage::Made: follow_job(run); break;
            case Stage::Succeeded:
            case Stage::Failed: end_without_output(run); break;
        }
    follow_outputs();
    std::erase_if(next_.active, [](const Run& run) { return run.job.empty(); });
    if (has_looked_ && !decision_.noted) decision_.noted = jobs::looked(now_);
}

// False: there is nothing more to do about it.
bool Reconciliation::keeps_leaving(const Leaving& one) {
    if (one.due > now_) return wake_at(one.due), true;
    const engine::Attempt* tried = seen_.attempted(engine::Action::Verb::Delete, job_ref(one.job));
    // Somebody wrote it in between, or it is another one by now.
    const bool is_in_doubt = tried && tried->refusal && tried->refusal->status == 409;
    jobs::Step step = is_in_doubt ? asked(one.job).look() : asked(one.job).stop();
    if (auto* job = std::get_if<model::Ref>(&step)) return want(std::move(*job)), true;
    if (auto* action = std::get_if<engine::Action>(&step))
        return deletions_.push_back(std::move(*action)), true;
    const auto* refused = std::get_if<jobs::Refused>(&step);
    // Without the right to delete it stays, and goes with its ExtendedJob.
    const bool is_tried_again = refused ? refused->status && *refused->status != 403 : is_in_doubt;
    if (is_tried_again) wake_at(now_ + jobs::held_pace);
    return is_tried_again;
}

// Jobs that have succeeded, and the failed one before the last.
void Reconciliation::clear_away() {
    std::erase_if(next_.leaving, [&](const Leaving& one) { return !keeps_leaving(one); });
}

}  // namespace sluice::api::extended_job
