#include <fmt/format.h>

#include <boost/json.hpp>

#include "api/claims.hpp"
#include "api/extended_stateful_set/decide.hpp"
#include "api/extended_stateful_set/spec.hpp"
#include "api/extended_stateful_set/status.hpp"
#include "api/owning.hpp"
#include "model/annotations.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

namespace json = boost::json;

constexpr std::string_view names[] = {"extendedstatefulset", "ests"};

Standing standing(const Steered& steered) {
    const Status status = read_status(steered.object);
    Standing standing = standing_of(status);
    standing.workload = fmt::format("extendedstatefulset/{}", steered.object.meta.key.name);
    if (status.update > 0)
        standing.step = status.current == status.update
                            ? revision_of(status.current)
                            : fmt::format("{} of {}, beside {}", status.exposed.value,
                                          revision_of(status.update), revision_of(status.current));
    return standing;
}

std::vector<Fact> facts(const Steered& steered, Instant) {
    const Status status = read_status(steered.object);
    std::vector<Fact> facts;
    facts.push_back({"serves", revision_of(status.current)});
    if (status.update != status.current)
        facts.push_back({"wanted", fmt::format("{}, attempt {}", revision_of(status.update),
                                               std::max(1, status.attempts))});
    facts.push_back(
        {"ready", fmt::format("{} of {} pods", status.ready.value, status.replicas.value)});
    if (status.config.since > Instant{})
        facts.push_back({"config", fmt::format("changed since {}; pods are to be restarted",
                                               to_rfc3339(status.config.since))});
    if (status.job)
        facts.push_back({"job", fmt::format("{}, {} since {}", status.job->name,
                                            jobs::to_text(status.job->stage),
                                            to_rfc3339(status.job->started))});
    for (const auto& [version, runs] : status.versions)
        facts.push_back({revision_of(version), runs ? "runs" : "does not run"});
    if (const auto spec = read_spec(steered.object))
        gates::add_facts(facts, spec->strategy.gates, status.gates);
    return facts;
}

Reply promote(const Steered& steered, Instant now) {
    const Status status = read_status(steered.object);
    return gates::promote(steered, status.reason, status.phase, now);
}

Change annotating(std::string_view annotation, json::value value, std::string done) {
    json::object annotations;
    annotations[annotation] = std::move(value);
    return {
        {{Place::Object, {{"metadata", json::object{{"annotations", std::move(annotations)}}}}}},
        std::move(done)};
}

Reply abort(const Steered& steered, Instant) {
    const Status status = read_status(steered.object);
    const bool has_previous = status.versions.contains(status.previous);
    const bool is_restarting = status.config.since > Instant{} && !has_previous;
    if (status.current == status.update && !has_previous && !is_restarting)
        return decline("{} has no version on its way, so there is nothing to abort.",
                       steered.title);
    if (status.observed_generation < steered.object.meta.generation)
        return decline("Sluice has not seen the last change of {} yet; try again in a moment.",
                       steered.title);
    if (is_restarting && status.current == status.update)
        return annotating(
            abort_key, json::string(status.config.digest),
            fmt::format("Pods of {} that are not restarted yet stay as they are until "
                        "the next change of what they read.",
                        steered.title));
    const std::string version = revision_of(status.update);
    return annotating(
        abort_key, json::string(std::to_string(status.update)),
        fmt::format(
            "{} of {} is not wanted any more: its pods go, and {} goes on.", version, steered.title,
            revision_of(status.current == status.update ? status.previous : status.current)));
}

// What was aborted is wanted again.
Reply retry(const Steered& steered, Instant now) {
    Reply reply = annotated::retry(steered, standing(steered), now);
    if (reply && !annotation_of(steered.object, std::string{abort_key}).empty())
        reply->writes.front().fields["metadata"].as_object()["annotations"].as_object()[abort_key] =
            nullptr;
    return reply;
}

Reply undo(const Steered& steered, Instant) {
    return decline(
        "{} keeps no earlier templates: apply the one that you want, and it is the next version. "
        "Abort ends an upgrade that is under way.",
        steered.title);
}

}  // namespace

const Dialect dialect{"extendedstatefulset",
                      &resource,
                      names,
                      is_always_steered,
                      no_workload,
                      standing,
                      facts,
                      {promote, promote_past_gates, annotated::pause_by<standing>,
                       annotated::resume_by<standing>, abort, retry, undo}};

}  // namespace sluice::api::extended_stateful_set
