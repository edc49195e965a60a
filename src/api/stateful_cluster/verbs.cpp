#include <fmt/format.h>

#include "api/stateful_cluster/decide.hpp"
#include "api/stateful_cluster/spec.hpp"
#include "api/stateful_cluster/status.hpp"
#include "engine/memory.hpp"

namespace sluice::api::stateful_cluster {
namespace {

constexpr std::string_view names[] = {"statefulcluster", "stc"};

bool is_steered(const Steered&) {
    return true;
}

// Its pods are its own.
std::string workload_of(const model::CustomObject&) {
    return {};
}

Standing standing(const Steered& steered) {
    const Status status = read_status(steered.object);
    Standing standing = standing_of(status);
    standing.workload = fmt::format("statefulcluster/{}", steered.object.meta.key.name);
    if (!status.members.empty())
        standing.step = fmt::format("{}/{} members", status.updated.value, status.members.size());
    return standing;
}

std::vector<Fact> facts(const Steered& steered, Instant) {
    constexpr std::string_view states[] = {"planned", "being made", "starting", "ready",
                                           "not ready"};
    const Status status = read_status(steered.object);
    std::vector<Fact> facts;
    facts.push_back(
        {"ready", fmt::format("{} of {} members", status.ready.value, status.members.size())});
    facts.push_back({"revision", status.current_revision == status.update_revision
                                     ? status.update_revision
                                     : fmt::format("{}, on the way to {}", status.current_revision,
                                                   status.update_revision)});
    for (const Member& member : status.members) {
        std::string text = fmt::format(
            "{}, revision {}", states[static_cast<std::size_t>(member.state)], member.revision);
        if (!member.node.empty()) text += fmt::format(", on {}", member.node);
        if (!member.claims_of.empty()) text += fmt::format(", claims of {}", member.claims_of);
        if (!member.after.empty()) text += fmt::format(", after {}", member.after);
        facts.push_back({member.name, std::move(text)});
    }
    for (const Leaver& leaver : status.leaving)
        facts.push_back({leaver.name, "leaves"});
    return facts;
}

Reply promote(const Steered& steered, Instant) {
    return decline("{} has no steps to promote: its members are updated one after the other.",
                   steered.title);
}

Reply abort(const Steered& steered, Instant) {
    return decline(
        "{} cannot be aborted by a word. Pause holds it here; the old template takes the members "
        "that were updated back.",
        steered.title);
}

}  // namespace

const Dialect dialect{"statefulcluster",
                      &resource,
                      names,
                      is_steered,
                      workload_of,
                      standing,
                      facts,
                      {promote, promote, annotated::pause_by<standing>,
                       annotated::resume_by<standing>, abort, annotated::retry_by<standing>}};

}  // namespace sluice::api::stateful_cluster
