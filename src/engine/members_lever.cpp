#include "engine/members_lever.hpp"

#include <fmt/format.h>

#include "engine/gates.hpp"

namespace sluice::engine {

MembersLever::MembersLever(const Snapshot& seen, const Course& course, const MemberCluster& cluster,
                           Instant now)
    : RecordedLever(seen, course, now),
      cluster_(cluster),
      standing_(seen, {cluster.names, cluster.exposed, cluster.current, cluster.updated}) {}

bool MembersLever::asks_for_retry() const {
    const std::uint64_t asked = retry_asked(seen_.workload, course_);
    return asked != 0 && asked != cluster_.memory.value_or(Memory{}).retry;
}

Decision MembersLever::rest(Memory memory) const {
    if (!memory.open && !memory.failed && memory.revision == standing_.updated)
        return wait(Phase::Idle, Reason::Idle, "");
    memory.open = memory.returning = memory.failed = false;
    memory.revision = standing_.updated;
    return move(std::move(memory), resting(), {Phase::Idle, Reason::Idle, "", {}});
}

std::optional<Decision> MembersLever::take_back(const Memory&) const {
    for (PodIndex index{0}; index.value < standing_.units.value; ++index.value)
        if (const model::Pod* pod = standing_.pods.at(index);
            pod && pod->revision != standing_.current)
            return wait(Phase::Held, Reason::RollingBack,
                        fmt::format("Waiting for {} to be replaced.", pod->meta.key.name));
    return std::nullopt;
}

// Who was updated stays so.
Decision MembersLever::narrow(Memory memory, PodCount exposed_max) const {
    return move(std::move(memory), partition_for(exposed_max, standing_.units),
                {Phase::Rolling, Reason::PodsNotReady, waiting_text(standing_), {}});
}

Memory MembersLever::fresh_memory() const {
    return caught_up(first_memory(seen_.workload.meta.uid, standing_, course_, now_));
}

Memory MembersLever::caught_up(Memory memory) const {
    memory.retry = retry_asked(seen_.workload, course_);
    return memory;
}

Lever::StepText MembersLever::step_text(const TakeStep& step) const {
    const int first = standing_.units.value - step.target.value;
    const int last = standing_.last_exposed().value - 1;
    const std::string who = first == last
                                ? fmt::format("Member {}", standing_.pods.name_of({first}))
                                : fmt::format("{} members", last - first + 1);
    return {{Phase::Rolling,
             Reason::PodsNotReady,
             fmt::format("Waiting for {} of {} members to be at revision {} and ready.",
                         step.target.value, standing_.units.value, standing_.updated),
             {}},
            fmt::format("{} may be updated to revision {} ({} of {}).", who, standing_.updated,
                        step.target.value, standing_.units.value)};
}

std::string MembersLever::completed_text() const {
    return fmt::format("All {} members are at revision {}.", standing_.units.value,
                       standing_.updated);
}

std::string MembersLever::returning_text() const {
    return "The members that were updated return to the revision before.";
}

std::string MembersLever::returned_text() const {
    return fmt::format("Revision {} failed; all members are back at revision {}.",
                       standing_.updated, standing_.current);
}

}  // namespace sluice::engine
