#include "api/rollout_plugin/position.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/rollout_plugin/compile.hpp"
#include "engine/standing.hpp"
#include "engine/steering.hpp"

namespace sluice::api::rollout_plugin {

std::string definition_text(std::uint64_t list) {
    return fmt::format("{:016x}", list);
}

namespace {

bool speaks_of(const Status& reported, const engine::Memory& memory) {
    return reported.rollout && reported.rollout->id == memory.id &&
           reported.rollout->workload_uid == memory.uid &&
           reported.rollout->started == in_whole_seconds(memory.started);
}

Replicas replicas_of(const engine::Snapshot& seen, const engine::PodRow& row, Instant now) {
    Replicas counts;
    counts.all = row.count();
    for (PodIndex index{0}; index.value < row.count().value; ++index.value) {
        const model::Pod* pod = row.at(index);
        if (!pod || pod->meta.deleting) continue;
        if (pod->revision == seen.workload.update_revision) ++counts.updated.value;
        if (pod->ready) ++counts.ready.value;
        if (model::is_available(*pod, seen.workload.min_ready, now)) ++counts.available.value;
    }
    return counts;
}

}  // namespace

bool is_about(const Status& reported, const engine::Memory& memory, std::uint64_t list) {
    return speaks_of(reported, memory) && reported.rollout &&
           reported.rollout->definition == definition_text(list);
}

WorkloadState workload_state_of(const engine::Snapshot& seen, Instant now) {
    const model::StatefulSet& set = seen.workload;
    const engine::PodRow row{seen};
    WorkloadState workload_state{.memory = engine::recall(set),
                                 .replicas = replicas_of(seen, row, now),
                                 .current_revision = set.current_revision,
                                 .updated_revision = set.update_revision,
                                 .partition = effective_partition(set)};
    const int next = std::min(workload_state.partition->value, row.count().value) - 1;
    const bool goes_on = workload_state.memory && workload_state.memory->open &&
                         !workload_state.memory->returning && next >= 0;
    if (goes_on) workload_state.next_pod = row.name_of(PodIndex{next});
    return workload_state;
}

Position position_of(const Spec& spec, const Status& reported, const WorkloadState& workload_state,
                     bool is_held, Instant now) {
    Position at;
    at.list = digest_of(spec.steps);
    at.updated = workload_state.replicas.updated;
    at.since = in_whole_seconds(now);
    const auto& memory = workload_state.memory;
    if (!memory || !memory->open) return at;
    const int last = static_cast<int>(spec.steps.size());
    const int taken = memory->list == at.list ? memory->place : 0;
    const int step = is_about(reported, *memory, at.list) ? reported.step.value_or(0) : 0;
    at.step = std::clamp(std::max(taken, step), 0, last);
    at.is_told = is_about(reported, *memory, at.list) && reported.step == at.step;
    const bool is_pause_over = reported.pause.begun
                                   ? is_resumed(reported.pause) && !reported.step_complete
                                   : reported.phase == phase::paused && !is_held;
    const bool has_progress =
        !at.is_told || at.updated > reported.replicas.updated || is_pause_over;
    if (!has_progress && reported.rollout && reported.rollout->step_started > Instant{})
        at.since = reported.rollout->step_started;
    return at;
}

Orders orders_of(const Status& reported, const Spec* spec,
                 const std::optional<engine::Memory>& memory, std::int64_t generation) {
    const bool is_open = memory && memory->open;
    const bool asks_again = spec && spec->restart_at && reported.restart.generation != generation;
    Orders orders;
    orders.aborts = is_open && (reported.commands.abort || memory->returning);
    // Whoever promotes fully means the rollout that they see, not a template that comes after it;
    // and a pause that comes while that is still to be done is the later word.
    const std::int64_t promoted_at = reported.commands.promoted_at;
    const bool is_paused_since =
        spec && spec->paused && promoted_at > 0 && promoted_at != generation;
    orders.promotes_fully = is_open && reported.commands.promote_full && !orders.aborts &&
                            !is_paused_since && speaks_of(reported, *memory);
    orders.restarts = (reported.commands.restart || asks_again) && reported.abort.aborted;
    return orders;
}

}  // namespace sluice::api::rollout_plugin
