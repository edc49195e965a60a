// What a person is told of an ExtendedJob.
#include <fmt/format.h>

#include "api/extended_job/reconciliation.hpp"
#include "api/owning.hpp"

namespace sluice::api::extended_job {
namespace {

using engine::Phase;
using engine::Reason;
using engine::StatusReport;

std::string_view phase_of(const StatusReport& report) {
    switch (report.reason) {
        case Reason::RunUnderWay: return "Running";
        case Reason::RunSucceeded: return "Succeeded";
        case Reason::RunFailed: return "Failed";
        case Reason::InvalidSpec: return "Blocked";
        case Reason::Idle: return "Idle";
        default: return "Held";
    }
}

std::string of_pod(const std::string& pod) {
    return pod.empty() ? std::string{} : fmt::format(" for pod {}", pod);
}

}  // namespace

void write_report(Status& status, const Status& old, const StatusReport& report,
                  const engine::Snapshot& seen, Instant now) {
    put_report(status, old, report, phase_of(report), seen, now);
    status.guarantee.clear();  // there is no gate
    const auto put = [&](const char* type, const char* holds, std::string_view reason,
                         std::string_view message) {
        status.conditions =
            with_newer(std::move(status.conditions),
                       Condition{type, holds, std::string{reason}, std::string{message},
                                 status.observed_generation, in_whole_seconds(now)});
    };
    put("Running", status.active.empty() ? "False" : "True", status.reason, status.message);
    if (status.last)
        put("Succeeded", status.last->outcome == "Succeeded" ? "True" : "False",
            status.last->outcome, status.last->message);
}

StatusReport Reconciliation::report_on_runs() const {
    const Run& run = next_.active.front();
    std::string message =
        fmt::format("Run {}: Job {} is under way{}.", run.number, run.job, of_pod(run.pod));
    if (next_.active.size() > 1)
        message = fmt::format("{} Jobs are under way, the first of them {}{}.", next_.active.size(),
                              run.job, of_pod(run.pod));
    return {Phase::Rolling, Reason::RunUnderWay, std::move(message),
            fmt::format("the Job; to see it: kubectl -n {} get job {}", ns(), run.job)};
}

StatusReport Reconciliation::report_on_last() const {
    const LastRun last = next_.last.value_or(LastRun{});
    if (last.outcome == "Succeeded")
        return {Phase::Idle,
                Reason::RunSucceeded,
                fmt::format("Run {} has succeeded{}.", last.number, of_pod(last.pod)),
                {}};
    return {Phase::Held, Reason::RunFailed,
            fmt::format("Run {} has failed{}: {}", last.number, of_pod(last.pod), last.message),
            fmt::format("to see why: kubectl -n {0} describe job {1}; to run it again: sluice "
                        "retry -n {0} extendedjob/{2}",
                        ns(), last.job, name())};
}

void Reconciliation::report() {
    if (!held_.empty())
        decision_.report = {Phase::Held, held_.front().reason, held_.front().why,
                            fmt::format("what the message says, it is tried again by itself; to "
                                        "give the run up: kubectl -n {} delete extendedjob {}",
                                        ns(), name())};
    else if (is_full_)
        decision_.report = {
            Phase::Held, Reason::TooManyPods,
            fmt::format("Jobs have run for {} pods that are all still there; no more are "
                        "remembered, and none is run for others.",
                        handled_max),
            fmt::format("a narrower selector: kubectl -n {} edit extendedjob {}", ns(), name())};
    else if (is_stuck_)
        decision_.report = {Phase::Held, Reason::RunHeld,
                            fmt::format("{} Jobs that are over cannot be deleted, Job {} for one; "
                                        "no other is run before they are gone.",
                                        next_.leaving.size(), next_.leaving.front().job),
                            fmt::format("whatever keeps them; to see it: kubectl -n {} delete job "
                                        "{}",
                                        ns(), next_.leaving.front().job)};
    else if (!next_.active.empty())
        decision_.report = report_on_runs();
    else if (next_.last)
        decision_.report = report_on_last();
    else if (spec_.strategy == Strategy::PodState)
        decision_.report = {Phase::Idle,
                            Reason::Idle,
                            fmt::format("A Job is run for each pod that is {}; there was none yet.",
                                        to_text(spec_.when)),
                            {}};
    else
        decision_.report = {
            Phase::Idle,
            Reason::Idle,
            fmt::format("Nothing has run yet; to run it: sluice retry -n {} extendedjob/{}", ns(),
                        name()),
            {}};
    const bool warns = engine::entry(decision_.report.reason).tone == engine::Tone::Warning;
    if (warns && decision_.report.reason != Reason::RunFailed)
        decision_.notices.push_back({decision_.report.reason, decision_.report.message});
    write_report(next_, old_, decision_.report, seen_, now_);
    if (spec_.wants_config_changes)
        next_.conditions = with_newer(
            std::move(next_.conditions),
            Condition{"UpdateOnConfigChange", "False", "NotServed",
                      "spec.updateOnConfigChange has no effect: a change of a ConfigMap or a "
                      "Secret runs nothing.",
                      next_.observed_generation, in_whole_seconds(now_)});
    else
        std::erase_if(next_.conditions,
                      [](const Condition& one) { return one.type == "UpdateOnConfigChange"; });
}

}  // namespace sluice::api::extended_job
