#include "api/verb.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "engine/reason.hpp"
#include "engine/steering.hpp"
#include "model/annotations.hpp"

namespace sluice::api {
namespace {

namespace json = boost::json;
namespace key = model::key;
using engine::Reason;

constexpr Reason resting[] = {Reason::Idle,      Reason::Adopted,  Reason::RolloutCompleted,
                              Reason::Suspended, Reason::Released, Reason::RunSucceeded};
constexpr Reason awaiting_retry[] = {
    Reason::PartitionRaised, Reason::ChecksExhausted, Reason::ProgressDeadlineExceeded,
    Reason::RolledBack,      Reason::JobFailed,       Reason::AnalysisRunFailed,
    Reason::AnalysisRunError};

bool is_one_of(std::string_view reason, std::span<const Reason> reasons) {
    return std::ranges::any_of(reasons,
                               [&](Reason one) { return engine::entry(one).name == reason; });
}

bool says_paused(const model::Texts& annotations) {
    const auto found = annotations.find(key::paused);
    return found != annotations.end() && engine::is_paused(found->second);
}

// Of the workload, where it is a thing of its own beside the object that asks for it.
bool is_workload_paused(const Steered& steered) {
    if (!steered.workload) return false;
    const model::StatefulSet& set = steered.workload->set;
    return set.meta.uid != steered.object.meta.uid && says_paused(set.annotations);
}

Write annotate(Place place, const std::string& name, json::value value) {
    return {place, {{"metadata", json::object{{"annotations", json::object{{name, value}}}}}}};
}

// Who does not steer the workload cannot hold it either.
std::optional<Refusal> not_steering(const Steered& steered, const Standing& standing) {
    if (standing.reason != engine::entry(Reason::ClaimedByOther).name) return std::nullopt;
    return Refusal{fmt::format("{} has no say here: {}", steered.title, standing.message)};
}

std::string waiting_text(const Standing& standing) {
    if (standing.mood == Mood::Resting) return "nothing is pending";
    if (standing.reason.empty()) return "the operator has not reported on it yet";
    return "it waits for " + standing.reason;
}

}  // namespace

Mood mood_of(std::string_view reason) {
    if (is_one_of(reason, resting)) return Mood::Resting;
    if (reason == engine::entry(Reason::Paused).name) return Mood::Stuck;
    const auto known = std::ranges::find(engine::reasons(), reason, &engine::ReasonEntry::name);
    const bool warns = known != engine::reasons().end() && known->tone == engine::Tone::Warning;
    return warns ? Mood::Stuck : Mood::Moving;
}

Standing standing_of(const StatusHead& status) {
    Standing standing;
    standing.phase = status.phase;
    standing.reason = status.reason;
    standing.message = status.message;
    standing.unblock = status.unblock;
    standing.since = status.since;
    standing.mood = mood_of(status.reason);
    return standing;
}

std::string age_text(Duration age) {
    return sluice::to_text(
        Duration{std::chrono::floor<std::chrono::seconds>(std::max(age, Duration{0}))});
}

std::string ago_text(Instant at, Instant now) {
    return at == Instant{} ? "" : age_text(now - at) + " ago";
}

std::string pods_text(const Steered& steered) {
    if (!steered.workload) return {};
    return fmt::format("{}/{} pods", steered.workload->updated.value,
                       steered.workload->set.replicas.value);
}

Reply undo_elsewhere(const Steered& steered, const std::string& workload) {
    if (workload.empty())
        return decline("The template is not kept in {}: put the old one back where it came from.",
                       steered.title);
    return decline(
        "The template is the StatefulSet's, and Kubernetes keeps the ones before. Its pods go back "
        "through the same gates: kubectl -n {} rollout undo statefulset {}",
        steered.object.meta.key.ns, workload);
}

namespace annotated {

bool is_paused(const Steered& steered) {
    return says_paused(steered.object.annotations) || is_workload_paused(steered);
}

Reply pause(const Steered& steered, const Standing& standing) {
    if (auto refusal = not_steering(steered, standing)) return std::unexpected(*refusal);
    if (is_paused(steered))
        return decline("{} is paused already; resume lets it go on.", steered.title);
    const bool pending = steered.workload && is_pending(*steered.workload);
    return Change{{annotate(Place::Object, key::paused, "true")},
                  fmt::format("{} is paused: {} until you resume it.", steered.title,
                              pending ? "no further pod is updated"
                                      : "nothing is pending, and the next rollout waits")};
}

Reply resume(const Steered& steered, const Standing& standing) {
    if (auto refusal = not_steering(steered, standing)) return std::unexpected(*refusal);
    Change change;
    if (says_paused(steered.object.annotations))
        change.writes.push_back(annotate(Place::Object, key::paused, nullptr));
    if (is_workload_paused(steered))
        change.writes.push_back(annotate(Place::Workload, key::paused, nullptr));
    if (change.writes.empty())
        return decline("{} is not paused; {}.", steered.title, waiting_text(standing));
    change.done = fmt::format(
        "{} is resumed: the rollout goes on from where it stood, as soon as "
        "its gate lets the next pod go.",
        steered.title);
    return change;
}

Reply retry(const Steered& steered, const Standing& standing, Instant now) {
    if (auto refusal = not_steering(steered, standing)) return std::unexpected(*refusal);
    if (!is_one_of(standing.reason, awaiting_retry))
        return decline("There is nothing to retry at {}: {}.", steered.title,
                       waiting_text(standing));
    return Change{
        {annotate(Place::Object, key::retry, json::string(std::to_string(now.ms)))},
        fmt::format("{} tries again: its gate is asked for the next pod anew.", steered.title)};
}

Reply promote(const Steered& steered, Instant now) {
    return Change{{annotate(Place::Object, key::promote, json::string(std::to_string(now.ms)))},
                  fmt::format("{} is promoted: the pause of this step is over, and the next step "
                              "begins as soon as its other gates let it.",
                              steered.title)};
}

}  // namespace annotated

}  // namespace sluice::api
