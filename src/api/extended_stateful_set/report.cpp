#include "api/extended_stateful_set/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/extended_stateful_set/reconciliation.hpp"
#include "api/owning.hpp"
#include "api/revisions.hpp"
#include "engine/gates.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

using engine::Phase;
using engine::Reason;
using engine::StatusReport;

constexpr const char* edit =
    "what the message says; to change the gate: kubectl -n {0} edit extendedstatefulset {1}";
constexpr const char* try_again =
    "another template; to try the same one again: kubectl -n {0} annotate --overwrite "
    "extendedstatefulset {1} sluice.dev/abort- sluice.dev/retry=$(date +%s)";
constexpr const char* measured =
    "what the AnalysisRun says: kubectl -n {0} describe analysisruns -l "
    "sluice.dev/extendedstatefulset={1}; then, to try again: sluice retry ests/{1} -n {0}";
constexpr const char* grant_changes =
    "the owner of the namespace allows it: kubectl -n {0} create rolebinding sluice-config "
    "--clusterrole=sluice-config --serviceaccount=sluice-system:sluice";
constexpr const char* grant =
    "the owner of the namespace allows it: kubectl -n {0} create rolebinding sluice-config "
    "--clusterrole=sluice-config --serviceaccount=sluice-system:sluice; or set "
    "spec.updateOnEnvChange to false";
constexpr engine::Command own_commands[] = {
    {Reason::PodsNotReady,
     "kubectl -n {0} get pods -l sluice.dev/extendedstatefulset={1}; to upgrade although pods of "
     "the old version are not ready: kubectl -n {0} annotate extendedstatefulset {1} "
     "sluice.dev/allow-unready=true"},
    {Reason::RollingBack,
     "kubectl -n {0} get pods -o wide -l sluice.dev/extendedstatefulset={1}; if the node of a pod "
     "is lost for good: kubectl delete node NODE"},
    {Reason::VersionRefused,
     "what the message says: kubectl -n {0} edit extendedstatefulset {1}; of a name that somebody "
     "else has: delete that StatefulSet, or apply another template"},
    {Reason::VersionLeaving,
     "by itself; while the version before is there, to have it back: sluice abort ests/{1} -n {0}"},
    {Reason::ServiceNotSwitched,
     "what the message says; or, so that it follows no longer: kubectl -n {0} annotate service "
     "NAME sluice.dev/serves-"},
    {Reason::ConfigUnseen, grant},
    {Reason::ReferencesRefused, grant_changes},
    {Reason::ConfigChanged,
     "it goes on by itself; not for this change: sluice abort ests/{1} -n {0}"},
    {Reason::ScaledToZero, "kubectl -n {0} scale extendedstatefulset {1} --replicas=N"},
    {Reason::StepPaused,
     "kubectl -n {0} annotate --overwrite extendedstatefulset {1} sluice.dev/promote=$(date +%s)"},
    {Reason::HookRefused,
     "it is asked again by itself; to stop asking: kubectl -n {0} annotate extendedstatefulset {1} "
     "sluice.dev/paused=true"},
    {Reason::UnknownHook, edit},
    {Reason::CheckFailed,
     "it is asked again by itself; to see the answers: kubectl -n {0} describe extendedstatefulset "
     "{1}"},
    {Reason::PrometheusError,
     "it is asked again by itself, every half minute; to see whom: kubectl -n {0} get "
     "extendedstatefulset {1} -o yaml"},
    {Reason::PrometheusConfigError, edit},
    {Reason::JobRunning,
     "the Job; to see it: kubectl -n {0} get jobs -l sluice.dev/extendedstatefulset={1}; to give "
     "the upgrade up: sluice abort ests/{1} -n {0}"},
    {Reason::JobFailed,
     "what the Job says: kubectl -n {0} describe jobs -l sluice.dev/extendedstatefulset={1}; then, "
     "to run it again: sluice retry ests/{1} -n {0}"},
    {Reason::RunHeld,
     "what the message says, it is tried again by itself; to do without: kubectl -n {0} edit "
     "extendedstatefulset {1}"},
    {Reason::AnalysisRunning,
     "the measurements; to see them: kubectl -n {0} get analysisruns -l "
     "sluice.dev/extendedstatefulset={1}; to give the upgrade up: sluice abort ests/{1} -n {0}"},
    {Reason::AnalysisRunFailed, measured},
    {Reason::AnalysisRunError, measured},
    {Reason::AnalysisRunInconclusive,
     "to go on: sluice promote ests/{1} -n {0}; to give the upgrade up: sluice abort ests/{1} -n "
     "{0}"},
    {Reason::RolledBack, try_again},
    {Reason::Aborted,
     "the next change of what the pods read; to restart them after all: sluice retry ests/{1} -n "
     "{0}"},
    {Reason::PartitionRaised, "sluice retry ests/{1} -n {0}"},
    {Reason::Paused, "kubectl -n {0} annotate extendedstatefulset {1} sluice.dev/paused-"},
};

std::string_view phase_of(const StatusReport& report) {
    switch (report.phase) {
        case Phase::Idle: return "Ready";
        case Phase::Held: return "Held";
        case Phase::Blocked: return "Blocked";
        default: return "Updating";
    }
}

}  // namespace

std::span<const engine::Command> commands() {
    return own_commands;
}

void write_report(Status& status, const Status& old, const StatusReport& report,
                  const engine::Snapshot& seen, Instant now) {
    put_report(status, old, report, phase_of(report), seen, now);
    status.conditions = ready_and_progressing(status, status.phase == "Ready",
                                              status.phase == "Updating", old.conditions, now);
}

bool Reconciliation::is_there(const std::string& set) const {
    return std::ranges::any_of(versions_, [&](const Version& one) {
        return std::ranges::any_of(
            one.parts, [&](const Part& part) { return part.set->meta.key.name == set; });
    });
}

// Also where a set of that name is somebody else's; but not where it was made after all, by a
// request whose answer was lost.
const engine::Attempt* Reconciliation::refused() const {
    const auto& last = seen_.attempt;
    const bool is_taken = last && last->refusal && last->refusal->status == 409 &&
                          last->verb == engine::Action::Verb::Create &&
                          last->ref.resource == &model::statefulsets && !is_there(last->ref.name);
    const engine::Attempt* attempt = is_taken ? &*last : refused_write(seen_);
    const bool is_of_version = attempt && (attempt->ref.resource == &model::statefulsets ||
                                           attempt->ref.resource == &revisions);
    return is_of_version ? attempt : nullptr;
}

// An autoscaler sees the version that serves, and no other: it would count pods twice.
void Reconciliation::count_pods() {
    next_.versions.clear();
    next_.replicas = next_.ready = next_.updated = {};
    next_.selector = fmt::format("{}={}", owner_label, name());
    // Where an ordinal is handed over there is one pod of it at a time, whatever its version.
    if (!spec_.hands_over()) next_.selector += fmt::format(",{}={}", version_key, next_.current);
    for (const Version& one : versions_) {
        next_.versions[one.number] = one.runs();
        if (one.number == next_.update) next_.updated = one.pods();
        if (one.number != next_.current && !spec_.hands_over()) continue;
        next_.replicas.value += one.pods().value;
        next_.ready.value += one.ready().value;
        // It scales each zone alike, so one of them is what it measures.
        if (one.number == next_.current && one.parts.front().id.zone)
            next_.selector += fmt::format(",{}={}", zone_index_key, one.parts.front().zone());
    }
}

// What there is to say while no rollout has more to say.
StatusReport Reconciliation::report_on_pods() const {
    const Version* current = find_version(versions_, next_.current);
    const PodCount available = current ? current->available(spec_.min_ready, now_) : PodCount{0};
    const std::string version = revision_of(next_.current);
    if (available < spec_.pods())
        return {Phase::Rolling,
                Reason::PodsNotReady,
                fmt::format("Waiting for {} pods of {} to be ready.", spec_.pods().value, version),
                {}};
    if (const Version* back = wanted_back())
        return {Phase::Rolling,
                Reason::RollingBack,
                fmt::format("Somebody does not want {}: waiting for {} pods of {} to be available, "
                            "and {} are.",
                            version, whole(*back).value, revision_of(back->number),
                            back->available(spec_.min_ready, now_).value),
                {}};
    if (versions_.size() > 1 && next_.current == next_.update) {
        const auto until = stays_until(next_.previous);
        return {Phase::Rolling,
                Reason::VersionLeaving,
                fmt::format("All {} pods of {} are ready; the version before it {}.",
                            spec_.pods().value, version,
                            until ? "stays until " + to_rfc3339(*until) : std::string{"goes"}),
                {}};
    }
    const bool is_clamped = spec_.wanted && *spec_.wanted != spec_.replicas.value;
    const std::string note =
        is_clamped ? fmt::format(" spec.scaling does not allow {}.", *spec_.wanted) : std::string{};
    return {Phase::Idle,
            Reason::Idle,
            fmt::format("All {} pods of {} are ready.{}", spec_.pods().value, version, note),
            {}};
}

void Reconciliation::report() {
    count_pods();
    for (const model::Pod& pod : seen_.pods)
        if (const Instant due = pod.ready_since + spec_.min_ready; pod.ready && due > now_)
            wake_at(due);
    if (const engine::Attempt* tried = refused())
        decision_.report = {
            Phase::Held,
            Reason::VersionRefused,
            fmt::format("{} {} was refused: {}", tried->ref.resource->kind, tried->ref.name,
                        tried->refusal.value_or(engine::Refusal{}).why),
            {}};
    else if (std::string problem = service_problem(); !problem.empty())
        decision_.report = {Phase::Held, Reason::ServiceNotSwitched, std::move(problem), {}};
    else if (!trouble_.empty())
        decision_.report = {Phase::Held, Reason::ClaimBlocked, trouble_, {}};
    else if (decision_.report.phase == Phase::Idle && seen_.hook_problem)
        decision_.report = {Phase::Blocked,
                            engine::reason_of(*seen_.hook_problem),
                            seen_.hook_problem->message,
                            {}};
    else if (decision_.report.phase == Phase::Idle)
        decision_.report = report_on_pods();
    const bool waits = decision_.report.reason == Reason::PodsNotReady ||
                       decision_.report.reason == Reason::RollingBack;
    if (waits && !move_.waits.empty()) decision_.report.message += " " + move_.waits;
    if (decision_.report.unblock.empty())
        decision_.report.unblock =
            engine::unblock_text(decision_.report.reason, seen_.workload, commands(), name());
    if (engine::entry(decision_.report.reason).tone == engine::Tone::Warning)
        decision_.notices.push_back({decision_.report.reason, decision_.report.message});
    write_report(next_, old_, decision_.report, seen_, now_);
    note_condition();
    report_on_claims();
    report_on_references();
}

}  // namespace sluice::api::extended_stateful_set
