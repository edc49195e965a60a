#include "engine/steering.hpp"

#include "base/hash.hpp"
#include "engine/gates.hpp"
#include "engine/members_lever.hpp"
#include "engine/partition_lever.hpp"
#include "engine/rollout.hpp"
#include "engine/side_by_side_lever.hpp"
#include "engine/weight_lever.hpp"
#include "model/annotations.hpp"

namespace sluice::engine {

namespace key = model::key;

std::optional<Memory> recall(const model::StatefulSet& set) {
    auto memory = decode_memory(annotation(set, key::rollout));
    if (!memory || memory->uid != set.meta.uid) return std::nullopt;
    const bool is_made = has_current_status(set) && set.meta.generation == memory->generation;
    if (memory->revision == awaited_revision && is_made) memory->revision = set.update_revision;
    return memory;
}

Memory first_memory(std::string uid, const Standing& standing, const Course& course, Instant now) {
    Memory memory;
    memory.uid = std::move(uid);
    memory.revision = standing.updated;
    memory.started = now;
    memory.place = course.first_place;
    memory.list = course.list;
    return memory;
}

bool knows_no_rollout(const std::optional<Memory>& memory) {
    return !memory || memory->id == 0;
}

Decision steer(const Snapshot& seen, const Course& course, Instant now) {
    if (course.weight)
        return Rollout{WeightLever{seen, course, *course.weight, now}, course, now}.decide();
    if (course.members)
        return Rollout{MembersLever{seen, course, *course.members, now}, course, now}.decide();
    if (course.versions)
        return Rollout{SideBySideLever{seen, course, *course.versions, now}, course, now}.decide();
    return Rollout{PartitionLever{seen, course, now}, course, now}.decide();
}

Decision release(const Snapshot& seen, const Course& course, const std::string& why, Instant now,
                 Parting parting) {
    return PartitionLever{seen, course, now}.part(why, parting);
}

void keep_quiet_for_a_moment(Decision& decision, const Snapshot& seen, Instant now) {
    if (decision.report.reason != Reason::PodsNotReady || !decision.actions.empty()) return;
    const Hold brief = brief_hold(Reason::PodsNotReady, {}, seen, now);
    decision.silent = brief.silent;
    if (brief.until)
        decision.wake_at = std::min(decision.wake_at.value_or(*brief.until), *brief.until);
}

std::uint64_t retry_asked(const model::StatefulSet& set, const Course& course) {
    const std::string retry = annotation(set, key::retry) + course.retry;
    return retry.empty() ? 0 : fnv1a(retry);
}

// Whoever reaches for the brake and misspells "true" means the brake.
bool is_paused(const std::string& annotation) {
    return !annotation.empty() && annotation != "false";
}

std::optional<Refused> paused_by(const std::string& annotation) {
    if (!is_paused(annotation)) return std::nullopt;
    return Refused{Reason::Paused, "Paused by annotation."};
}

std::optional<Refused> paused_by(const model::StatefulSet& set, const Course& course) {
    const auto paused = paused_by(annotation(set, key::paused));
    return paused ? paused : course.paused_by;
}

}  // namespace sluice::engine
