#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <functional>

#include "api/claims.hpp"
#include "api/extended_stateful_set/decide.hpp"
#include "api/extended_stateful_set/reconciliation.hpp"
#include "api/extended_stateful_set/revisions.hpp"
#include "api/extended_stateful_set/spec.hpp"
#include "api/extended_stateful_set/status.hpp"
#include "api/owning.hpp"
#include "model/annotations.hpp"
#include "model/json_text.hpp"

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

// That can be gone back to, the last first.
std::vector<int> earlier_versions(const Steered& steered, const Status& status) {
    std::vector<int> versions;
    for (const model::CustomObject& one : steered.history)
        if (const int version = version_kept(one, steered.object);
            version > 0 && version != status.update)
            versions.push_back(version);
    std::ranges::sort(versions, std::greater{});
    return versions;
}

std::string earlier_text(const Steered& steered, const Status& status) {
    std::string text;
    for (const int version : earlier_versions(steered, status))
        text += (text.empty() ? "" : ", ") + revision_of(version);
    return text.empty() ? "none" : text;
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
    if (!earlier_versions(steered, status).empty())
        facts.push_back({"earlier", earlier_text(steered, status)});
    if (const auto& known = status.analysis)
        facts.push_back(
            {"analysis", fmt::format("{} is {}{}{}", known->run, analysis::to_text(known->phase),
                                     known->message.empty() ? "" : ": ", known->message)});
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
    if (status.reason == engine::entry(engine::Reason::Aborted).name)
        return decline("{} is aborted already; retry wants it after all.", steered.title);
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

// What was aborted is wanted again: a version, or a restart, which goes on where it was.
Reply retry(const Steered& steered, Instant now) {
    const Standing known = standing(steered);
    if (known.reason == engine::entry(engine::Reason::Aborted).name)
        return annotating(abort_key, nullptr,
                          fmt::format("What was aborted of {} is wanted after all: it goes on, "
                                      "through the same gates.",
                                      steered.title));
    Reply reply = annotated::retry(steered, known, now);
    if (reply && !annotation_of(steered.object, std::string{abort_key}).empty())
        reply->writes.front().fields["metadata"].as_object()["annotations"].as_object()[abort_key] =
            nullptr;
    return reply;
}

// The version that a person named, or the last one before this one that served; 0: there is none.
int wanted_version(const Steered& steered, const Status& status) {
    if (!steered.revision.empty())
        return std::max(version_in(steered.revision), version_text(steered.revision));
    if (status.update != status.current) return status.current;
    if (status.previous > 0) return status.previous;
    const std::vector<int> kept = earlier_versions(steered, status);
    return kept.empty() ? 0 : kept.front();
}

// What the object is to be.
model::CustomObject with_restored(const Steered& steered, const json::object& fields) {
    model::CustomObject object = steered.object;
    const json::value now = model::parse_json(object.spec);
    json::object spec = now.is_object() ? now.get_object() : json::object{};
    for (const std::string_view field : versioned_fields)
        spec.erase(field);
    for (const auto& [field, value] : fields)
        spec[field] = value;
    object.spec = json::serialize(spec);
    return object;
}

Reply go_back(const Steered& steered, const Status& status, const model::CustomObject& kept,
              const std::string& version) {
    const json::object fields = restored(kept, steered.object);
    const model::CustomObject object = with_restored(steered, fields);
    const auto spec = read_spec(object);
    if (!spec)
        return decline("{} cannot go back to {}: {}", steered.title, version,
                       to_text(spec.error()));
    if (!status.claims.templates.empty() && identity_of(*spec) != status.claims.templates)
        return decline(
            "{} cannot go back to {}: it had other zones, and there are claims in those of now.",
            steered.title, version);
    auto change = put_back(
        steered, fields, versioned_fields,
        fmt::format("{} goes back to what {} was: it is the next version, which is upgraded "
                    "to as to any other, through the same gates.",
                    steered.title, version));
    if (!change || digest_of(object, *spec) == status.digest)
        return decline("{} has the template of {} already, or is on the way to it.", steered.title,
                       version);
    return std::move(*change);
}

Reply undo(const Steered& steered, Instant) {
    const Status status = read_status(steered.object);
    if (status.observed_generation < steered.object.meta.generation)
        return decline("Sluice has not seen the last change of {} yet; try again in a moment.",
                       steered.title);
    const int wanted = wanted_version(steered, status);
    if (wanted == 0 && steered.revision.empty())
        return decline("{} keeps no earlier version.", steered.title);
    const auto kept = std::ranges::find(steered.history, wanted, [&](const auto& one) {
        return version_kept(one, steered.object);
    });
    const std::string named = wanted == 0 ? steered.revision : revision_of(wanted);
    if (wanted == 0 || kept == steered.history.end())
        return decline("{} keeps no version {}. It keeps: {}.", steered.title, named,
                       earlier_text(steered, status));
    return go_back(steered, status, *kept, named);
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
                       annotated::resume_by<standing>, abort, retry, undo},
                      {},
                      {&revisions, owner_label}};

}  // namespace sluice::api::extended_stateful_set
