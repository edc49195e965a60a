#include "api/extended_stateful_set/status.hpp"

#include "api/extended_stateful_set/spec.hpp"
#include "api/revisions.hpp"
#include "api/status_parts.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

namespace json = boost::json;

constexpr std::size_t memory_max = 1024;
constexpr std::size_t versions_max = 64;

constexpr auto job_fields = [](auto& json, auto& job) {
    json.key("name", job.name, word_max)
        .field("occasion", job.occasion, word_max)
        .field("retry", job.retry, short_max)
        .word("stage", job.stage, jobs::stages)
        .field("startedAt", job.started)
        .field("message", job.message, sentence_max);
};

constexpr auto analysis_fields = [](auto& json, auto& analysis) {
    json.key("run", analysis.run, name_max)
        .field("occasion", analysis.occasion, word_max)
        .word("phase", analysis.phase, analysis::phases)
        .field("message", analysis.message, sentence_max)
        .field("promote", analysis.promote, short_max)
        .field("accepted", analysis.accepted);
};

constexpr auto status_fields = [](auto& json, auto& status) {
    head_fields(json, status);
    json.always("replicas", status.replicas)
        .always("readyReplicas", status.ready)
        .always("updatedReplicas", status.updated)
        .field("selector", status.selector, sentence_max)
        .field("currentVersion", status.current)
        .field("previousVersion", status.previous)
        .field("servesSince", status.serving)
        .field("updateVersion", status.update)
        .field("lastVersion", status.last)
        .field("template", status.digest, short_max)
        .field("rollout", status.rollout, memory_max)
        .field("exposed", status.exposed)
        .field("podsPerZone", status.in_zone)
        .field("exposedSince", status.stepped)
        .field("attempts", status.attempts)
        .field("failure", status.failure, sentence_max)
        .field("configDigest", status.config.digest, short_max)
        .field("configVersions", status.config.versions, short_max)
        .field("configChangedSince", status.config.since)
        .field("configChangedAt", status.config.changed)
        .field("referencesMarked", status.references.marked, short_max)
        .field("referenceRefusal", status.references.refusal, sentence_max)
        .field("referenceRefusedAt", status.references.refused);
    json.field("claimTemplates", status.claims.templates, short_max)
        .field("claimsMade", status.claims.made)
        .field("claimsHighest", status.claims.highest)
        .field("claimsEver", status.claims.ever)
        .field("claimsAdjusted", status.claims.adjusted)
        .field("claimShape", status.claims.shape, short_max)
        .field("claimRefusal", status.claims.refusal, sentence_max)
        .field("claimRefusedAt", status.claims.refused);
    json.part("upgradeJob", status.job, job_fields);
    json.part("analysis", status.analysis, analysis_fields);
    gates::status_fields(json, status.gates);
    json.field("writtenAt", status.written)
        .entries("conditions", status.conditions, conditions_max, condition_fields);
};

}  // namespace

Status read_status(const model::CustomObject& object) {
    const json::value value = model::parse_json(object.status);
    JsonReader reader{&value};
    Status status;
    status_fields(reader, status);
    status.revisions = read_revisions(reader);
    const json::value* versions = model::value_at(value, "/versions");
    if (versions && versions->is_object())
        for (const auto& [name, runs] : versions->get_object())
            if (const int version = version_text(name); version > 0 && runs.is_bool())
                status.versions[version] = runs.get_bool();
    const json::value* references = model::value_at(value, "/references");
    if (references && references->is_array())
        for (const json::value& one : references->get_array())
            if (one.is_string() && status.references.names.size() < references_max)
                status.references.names.emplace_back(one.get_string());
    return status;
}

std::string write_status(const Status& status) {
    JsonWriter writer;
    status_fields(writer, status);
    write_revisions(writer, status.revisions);
    json::object versions;
    for (const auto& [version, runs] : status.versions)
        if (versions.size() < versions_max) versions[std::to_string(version)] = runs;
    if (!versions.empty()) writer.part("versions", std::move(versions));
    writer.list("references", status.references.names, references_max,
                [](const std::string& one) { return json::string(one); });
    return json::serialize(writer.take());
}

Status substance_of(Status status) {
    Status substance;
    substance.current = status.current;
    substance.previous = status.previous;
    substance.update = status.update;
    substance.last = status.last;
    substance.digest = std::move(status.digest);
    substance.rollout = std::move(status.rollout);
    substance.exposed = status.exposed;
    substance.attempts = status.attempts;
    substance.failure = std::move(status.failure);
    substance.config = std::move(status.config);
    substance.config.versions.clear();
    substance.references.names = std::move(status.references.names);
    substance.claims = std::move(status.claims);
    substance.job = std::move(status.job);
    const bool is_judged = status.analysis && analysis::is_over(status.analysis->phase);
    if (is_judged) substance.analysis = std::move(status.analysis);
    return substance;
}

}  // namespace sluice::api::extended_stateful_set
