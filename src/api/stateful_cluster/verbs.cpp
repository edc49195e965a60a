#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <ranges>

#include "api/owning.hpp"
#include "api/stateful_cluster/bodies.hpp"
#include "api/stateful_cluster/decide.hpp"
#include "api/stateful_cluster/spec.hpp"
#include "api/stateful_cluster/status.hpp"
#include "model/json_text.hpp"

namespace sluice::api::stateful_cluster {
namespace {

namespace json = boost::json;

constexpr std::string_view names[] = {"statefulcluster", "stc"};
// What undo changes, of the spec.
constexpr std::string_view versioned_fields[] = {"template"};

Standing standing(const Steered& steered) {
    const Status status = read_status(steered.object);
    Standing standing = standing_of(status);
    standing.workload = fmt::format("statefulcluster/{}", steered.object.meta.key.name);
    if (!status.members.empty())
        standing.step = fmt::format("{}/{} members", status.updated.value, status.members.size());
    return standing;
}

// The last first; one of them can be gone back to.
std::string earlier_revisions(const Status& status) {
    std::string text;
    for (const std::string& one : std::views::reverse(status.revisions))
        if (one != status.update_revision) text += (text.empty() ? "" : ", ") + one;
    return text;
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
    if (std::string kept = earlier_revisions(status); !kept.empty())
        facts.push_back({"earlier", std::move(kept)});
    if (const auto spec = read_spec(steered.object))
        gates::add_facts(facts, spec->gates, status.gates);
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

Reply promote(const Steered& steered, Instant now) {
    const Status status = read_status(steered.object);
    return gates::promote(steered, status.reason, status.phase, now);
}

Reply abort(const Steered& steered, Instant) {
    return decline(
        "{} is not aborted: undo puts the template before back, and the members that were updated "
        "follow it.",
        steered.title);
}

// The revision that a person named, or the last one before the one that is asked for now.
std::string_view wanted_revision(const Steered& steered, const Status& status) {
    if (!steered.revision.empty()) return steered.revision;
    const auto& all = status.revisions;
    return all.size() < 2 ? std::string_view{} : std::string_view{all[all.size() - 2]};
}

Reply undo(const Steered& steered, Instant) {
    const Status status = read_status(steered.object);
    if (status.observed_generation < steered.object.meta.generation)
        return decline("Sluice has not seen the last change of {} yet; try again in a moment.",
                       steered.title);
    const std::string_view wanted = wanted_revision(steered, status);
    if (wanted.empty()) return decline("{} has had one template only.", steered.title);
    if (wanted == status.update_revision)
        return decline("{} is at revision {} already, or on the way to it.", steered.title, wanted);
    const auto found = std::ranges::find(steered.history, wanted, [](const auto& one) {
        return std::string_view{one.meta.key.name};
    });
    const std::string text = found == steered.history.end() ? "" : template_in(found->spec);
    if (text.empty())
        return decline("{} keeps no revision {}. It keeps: {}.", steered.title, wanted,
                       earlier_revisions(status));
    auto change =
        put_back(steered, {{"template", model::parse_json(text)}}, versioned_fields,
                 fmt::format("{} goes back to the template of revision {}: its members are updated "
                             "to it as to any other, through the same gates.",
                             steered.title, wanted));
    if (!change) return decline("{} has the template of revision {}.", steered.title, wanted);
    return std::move(*change);
}

}  // namespace

const Dialect dialect{"statefulcluster",
                      &resource,
                      names,
                      is_always_steered,
                      no_workload,
                      standing,
                      facts,
                      {promote, promote_past_gates, annotated::pause_by<standing>,
                       annotated::resume_by<standing>, abort, annotated::retry_by<standing>, undo},
                      {},
                      {&revisions, cluster_label}};

}  // namespace sluice::api::stateful_cluster
