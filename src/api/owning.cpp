#include "api/owning.hpp"

#include "engine/report.hpp"
#include "model/annotations.hpp"

namespace sluice::api {

using engine::Reason;

void stand_for_workload(engine::Snapshot& seen, const std::string& rollout) {
    const model::CustomObject& object = seen.objects.front();
    model::StatefulSet& workload = seen.workload;
    workload.meta = object.meta;
    workload.annotations = object.annotations;
    workload.annotations[model::key::rollout] = rollout;
    workload.has_annotations = true;
}

void put_report(StatusHead& status, const StatusHead& old, const engine::StatusReport& report,
                std::string_view phase, const engine::Snapshot& seen, Instant now) {
    const engine::ReasonEntry& why = engine::entry(report.reason);
    status.phase = phase;
    status.reason = why.name;
    status.message = report.message.empty() ? std::string{why.meaning} : report.message;
    const bool is_well = report.reason == Reason::Idle || report.reason == Reason::RolloutCompleted;
    status.unblock = is_well ? std::string{} : report.unblock;
    status.observed_generation = seen.objects.front().meta.generation;
    status.guarantee = engine::guarantee_text(seen.environment.guarantee);
    const bool is_same = status.phase == old.phase && status.reason == old.reason;
    status.since = is_same && old.since > Instant{} ? old.since : in_whole_seconds(now);
}

std::vector<Condition> ready_and_progressing(const StatusHead& head, bool is_ready, bool is_moving,
                                             std::vector<Condition> old, Instant now) {
    const auto add = [&](const char* type, bool holds) {
        old = with_newer(std::move(old),
                         Condition{type, holds ? "True" : "False", head.reason, head.message,
                                   head.observed_generation, in_whole_seconds(now)});
    };
    add("Ready", is_ready);
    add("Progressing", is_moving);
    return old;
}

bool is_always_steered(const Steered&) {
    return true;
}

std::string no_workload(const model::CustomObject&) {
    return {};
}

Reply promote_past_gates(const Steered& steered, Instant) {
    return decline(
        "{} cannot be promoted past its gates: take them out of spec.updateStrategy.gates.",
        steered.title);
}

}  // namespace sluice::api
