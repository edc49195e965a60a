#include "api/stateful_cluster/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/owning.hpp"
#include "engine/memory.hpp"

namespace sluice::api::stateful_cluster {
namespace {

using engine::Phase;
using engine::Reason;
using engine::StatusReport;

constexpr const char* edit =
    "what the message says; to change the gate: kubectl -n {0} edit statefulcluster {1}";
constexpr engine::Command own_commands[] = {
    {Reason::PodsNotReady, "kubectl -n {0} get pods -l sluice.dev/statefulcluster={1}"},
    {Reason::MembersStarting, "kubectl -n {0} get pods -l sluice.dev/statefulcluster={1}"},
    {Reason::MemberLeaving,
     "kubectl -n {0} get pods -o wide -l sluice.dev/statefulcluster={1}; if the node of the pod is "
     "lost for good: kubectl delete node NODE"},
    {Reason::TooManyUnready,
     "members that become ready again; to replace one all the same: kubectl -n {0} delete pod POD"},
    {Reason::ScaledToZero,
     "kubectl -n {0} scale statefulcluster {1} --replicas=N; members start on the revision before, "
     "and the update goes on through its gates"},
    {Reason::NotInPlace,
     "kubectl -n {0} patch statefulcluster {1} --type merge -p "
     "'{{\"spec\":{{\"updateStrategy\":{{\"inPlace\":\"IfPossible\"}}}}}}'"},
    {Reason::KeptBack,
     "kubectl -n {0} patch statefulcluster {1} --type merge -p "
     "'{{\"spec\":{{\"updateStrategy\":{{\"rollingUpdate\":{{\"partition\":0}}}}}}}}'"},
    {Reason::StepPaused,
     "kubectl -n {0} annotate --overwrite statefulcluster {1} sluice.dev/promote=$(date +%s)"},
    {Reason::HookRefused,
     "it is asked again by itself; to stop asking: kubectl -n {0} annotate statefulcluster {1} "
     "sluice.dev/paused=true"},
    {Reason::UnknownHook, edit},
    {Reason::CheckFailed,
     "it is asked again by itself; to see the answers: kubectl -n {0} describe statefulcluster "
     "{1}"},
    {Reason::ChecksExhausted,
     "kubectl -n {0} annotate --overwrite statefulcluster {1} sluice.dev/retry=$(date +%s)"},
    {Reason::PrometheusError,
     "it is asked again by itself, every half minute; to see whom: kubectl -n {0} get "
     "statefulcluster {1} -o yaml"},
    {Reason::PrometheusConfigError, edit},
    {Reason::Paused, "kubectl -n {0} annotate statefulcluster {1} sluice.dev/paused-"},
};

std::string names_of(const std::vector<std::string>& names) {
    constexpr std::size_t shown = 3;
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), shown); ++i)
        text += (i ? ", " : "") + names[i];
    return names.size() > shown ? text + " and others" : text;
}

std::string_view phase_of(const StatusReport& report) {
    switch (report.phase) {
        case Phase::Idle: return "Ready";
        case Phase::Held: return "Held";
        case Phase::Blocked: return "Blocked";
        default: break;
    }
    const bool is_of_members =
        report.reason == Reason::MembersStarting || report.reason == Reason::MemberLeaving;
    return is_of_members ? "Scaling" : "Updating";
}

}  // namespace

std::span<const engine::Command> commands() {
    return own_commands;
}

StatusReport report_on(const View& view, const Status& status) {
    std::vector<std::string> starting, leaving, unready;
    for (const Member& member : status.members) {
        const model::Pod* pod = view.pod(member.name);
        if (!pod && !member.after.empty() && view.pod(member.after))
            leaving.push_back(member.after);
        else if (!pod || view.was_never_ready(member))
            starting.push_back(member.name);
        else if (!view.is_ready(member))
            unready.push_back(member.name);
    }
    for (const Leaver& one : status.leaving)
        if (view.pod(one.name) && std::ranges::find(leaving, one.name) == leaving.end())
            leaving.push_back(one.name);
    if (!unready.empty())
        return {Phase::Held,
                Reason::PodsNotReady,
                fmt::format("Waiting for {} to be ready again.", names_of(unready)),
                {}};
    if (!leaving.empty())
        return {Phase::Rolling,
                Reason::MemberLeaving,
                fmt::format("Waiting for {} to be gone.", names_of(leaving)),
                {}};
    if (!starting.empty())
        return {Phase::Rolling,
                Reason::MembersStarting,
                fmt::format("Waiting for {} to be ready.", names_of(starting)),
                {}};
    const auto memory = engine::decode_memory(status.rollout);
    const bool is_updated = memory && memory->id > 0;
    return {Phase::Idle,
            is_updated ? Reason::RolloutCompleted : Reason::Idle,
            fmt::format("All {} members are ready, at revision {}.", status.members.size(),
                        status.current_revision),
            {}};
}

void write_report(Status& status, const Status& old, const StatusReport& report,
                  const engine::Snapshot& seen, Instant now) {
    put_report(status, old, report, phase_of(report), seen, now);
    const bool is_moving = status.phase == "Updating" || status.phase == "Scaling";
    status.conditions =
        ready_and_progressing(status, status.phase == "Ready", is_moving, old.conditions, now);
}

Status substance_of(Status status) {
    status.replicas = status.ready = status.available = status.current = status.updated = {};
    for (Member& member : status.members) {
        if (member.is_tried()) member.state = Member::State::Starting;
        member.since = {};
        member.added = false;
        member.node.clear();
        member.after.clear();
    }
    status.leaving.clear();
    status.conditions.clear();
    status.phase = status.reason = status.message = status.unblock = "";
    status.since = status.written = {};
    status.gates = {};
    return status;
}

}  // namespace sluice::api::stateful_cluster
