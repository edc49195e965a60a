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
    if (!jobs::is_under_way(run.stage) && !wants_output(run)) follow_ended(run);
}

bool Reconciliation::wants_output(const Run& run) const {
    return spec_.output && (run.stage == Stage::Succeeded || spec_.output->on_failure);
}

void Reconciliation::follow_ended(Run& run) {
    if (wants_output(run))
        write_output(run);
    else
        end(run, run.stage == Stage::Succeeded, run.message);
}

// What the server says of a Secret is not repeated: it may hold what was to be written.
bool Reconciliation::is_output_refused() {
    const auto& last = seen_.attempt;
    const bool is_of_output = last && last->ref.resource == &model::secrets;
    if (!is_of_output || !last->refusal || !last->refusal->is_final()) return false;
    const std::string secret = fmt::format("Secret {}", to_text(last->ref));
    if (last->refusal->status == 403)
        held_.push_back({Reason::OutputHeld,
                         fmt::format("{} may not be written (the right is the ClusterRole {}, "
                                     "bound in the namespace)",
                                     secret, right)});
    else if (last->verb == engine::Action::Verb::Patch)
        held_.push_back({Reason::OutputHeld, secret + " is there and belongs to somebody else"});
    else
        held_.push_back(
            {Reason::OutputHeld, fmt::format("{} is refused as spec.output wants it (status {})",
                                             secret, last->refusal->status)});
    wake_at(now_ + jobs::held_pace);
    return true;
}

// One run at a time: what was printed is kept until it is written, and no longer.
void Reconciliation::write_output(Run& run) {
    const bool has_succeeded = run.stage == Stage::Succeeded;
    if (decision_.probe || !outputs_.empty()) return;  // after that one
    const engine::Evidence* said = engine::last_of<OutputAnswer>(seen_.evidence);
    const OutputAnswer* answer = said ? engine::opened<OutputAnswer>(*said->answer) : nullptr;
    if (answer && answer->job != run.job) answer = nullptr;
    const auto* unknown = answer ? std::get_if<OutputAnswer::Unknown>(&answer->what) : nullptr;
    if (unknown) held_.push_back({Reason::OutputHeld, unknown->why});
    if (unknown && now_ < said->at + jobs::held_pace) return wake_at(said->at + jobs::held_pace);
    if (!answer || unknown) {
        decision_.probe = engine::Probe{
            run.job, engine::question_of(OutputQuestion{run.job, has_succeeded, spec_.containers})};
        return;
    }
    if (const auto* unusable = std::get_if<OutputAnswer::Unusable>(&answer->what))
        return end(run, false, "It ended, but " + unusable->why + ".");
    if (is_output_refused() || !spec_.output) return;
    const Output& output = *spec_.output;
    for (const auto& [container, values] : std::get<std::map<std::string, Values>>(answer->what))
        for (engine::Action& write : secret_writes(object_, output, container, values)) {
            write.follows = !outputs_.empty();
            outputs_.push_back(std::move(write));
        }
    end(run, has_succeeded, run.message);
}

void Reconciliation::follow_runs() {
    for (Run& run : next_.active)
        switch (run.stage) {
            case Stage::Planned: follow_planned(run); break;
            case Stage::Due:
            case Stage::Made: follow_job(run); break;
            case Stage::Succeeded:
            case Stage::Failed: follow_ended(run); break;
        }
    std::erase_if(next_.active, [](const Run& run) { return run.job.empty(); });
    if (has_looked_) decision_.noted = jobs::looked(now_);
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
        return next_acts_.push_back(std::move(*action)), true;
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
