#include "api/pilot/decide.hpp"

namespace sluice::api::pilot {
namespace {

using engine::Reason;

constexpr std::string_view names[] = {"sts", "statefulset"};

const model::StatefulSet& set_of(const Steered& steered) {
    SLUICE_ASSERT(steered.workload.has_value());
    return steered.workload->set;
}

bool is_steered(const Steered& steered) {
    return concerns(set_of(steered), {});
}

std::string workload_of(const model::CustomObject& object) {
    return object.meta.key.name;
}

Standing standing(const Steered& steered) {
    const model::StatefulSet& set = set_of(steered);
    Standing standing;
    standing.workload = steered.title;
    standing.step = pods_text(steered);
    if (const auto other = other_claim(set)) {
        // What stands in the annotations is the other one's.
        standing.mood = Mood::Stuck;
        standing.phase = to_text(engine::Phase::Blocked);
        standing.reason = engine::entry(Reason::ClaimedByOther).name;
        standing.message = *other + " steers this StatefulSet.";
        standing.unblock = engine::entry(Reason::ClaimedByOther).unblock;
        return standing;
    }
    standing.phase = annotation(set, key::phase);
    standing.reason = annotation(set, key::reason);
    standing.message = annotation(set, key::message);
    standing.unblock = annotation(set, key::unblock);
    standing.since = parse_rfc3339(annotation(set, key::since)).value_or(Instant{});
    standing.mood = mood_of(standing.reason);
    return standing;
}

std::vector<Fact> facts(const Steered& steered, Instant) {
    const model::StatefulSet& set = set_of(steered);
    std::vector<Fact> facts;
    const auto subscription = read_subscription(set);
    facts.push_back({"hook", subscription ? subscription->hook : "none; the label is gone"});
    if (subscription && subscription->allow_unready)
        facts.push_back({"unready", "pods behind the gate need not be ready"});
    if (const std::string& refused = annotation(set, key::refused); !refused.empty())
        facts.push_back({"kept back", refused});
    return facts;
}

Reply promote(const Steered& steered, Instant) {
    const auto& [ns, name] = steered.object.meta.key;
    return decline(
        "{} has no steps to promote: its hook lets each pod go, and is asked again by itself. To "
        "go on without the hook, name one that always agrees: kubectl -n {} label --overwrite "
        "statefulset {} {}=noop",
        steered.title, ns, name, label);
}

Reply abort(const Steered& steered, Instant) {
    const auto& [ns, name] = steered.object.meta.key;
    return decline(
        "{} cannot be aborted: its hook is asked about pods that go back, too. Pause "
        "holds it here; to go back, put the old template in place: kubectl -n {} "
        "rollout undo statefulset {}",
        steered.title, ns, name);
}

}  // namespace

const Dialect dialect{
    "pilot",
    &model::statefulsets,
    names,
    is_steered,
    workload_of,
    standing,
    facts,
    {promote, promote, annotated::pause_by<standing>, annotated::resume_by<standing>, abort,
     annotated::retry_by<standing>, undo_by<workload_of>},
    pilot::label};

}  // namespace sluice::api::pilot
