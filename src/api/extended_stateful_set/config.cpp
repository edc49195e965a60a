#include "api/extended_stateful_set/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "base/base64.hpp"
#include "base/hash.hpp"
#include "base/keyed_hash.hpp"
#include "model/json_text.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

namespace json = boost::json;
using engine::Reason;
using engine::Snapshot;
using State = Config::State;

// The Secret that holds the key, as it is read.
constexpr model::Resource keys{"", "v1", "secrets", "Secret", false, model::Form::Custom, "data"};

model::Ref key_ref(const Snapshot& seen) {
    return {&keys, seen.environment.home, config_key_secret};
}

struct ConfigDigest {
    std::string versions;
    std::string digest;
};

Config stopped(Reason reason, std::string message) {
    return {.state = State::Stopped, .reason = reason, .message = std::move(message)};
}

std::string title(const model::Ref& ref) {
    return fmt::format("{} {}", ref.resource->kind, ref.name);
}

// One entry of what is digested: nothing of it can be taken for a part of another.
std::string line_of(const model::Ref& ref, std::string_view what) {
    return fmt::format("{}/{}={};", ref.resource->plural, ref.name, what);
}

std::string version_of(const model::ObjectMeta& meta) {
    return fmt::format("{}@{}", meta.uid, meta.resource_version);
}

std::string checksum(std::string_view text) {
    return hex_digest(text);
}

std::string known_versions(const Snapshot& seen, const Spec& spec) {
    std::string text;
    for (const Reference& one : spec.references) {
        const auto& meta = seen.named_as(one.ref)->meta;
        text += line_of(one.ref, meta ? version_of(*meta) : "");
    }
    return checksum(text);
}

// Why nothing can be said yet; nothing: all of it has been looked at, and what must be there is.
std::optional<Config> obstacle(const Snapshot& seen, const Spec& spec) {
    for (const Reference& one : spec.references) {
        const engine::NamedObject* named = seen.named_as(one.ref);
        if (named && named->is_seen) continue;
        if (!named || named->problem.empty()) return Config{.state = State::Unlooked};
        return stopped(Reason::ConfigUnseen,
                       fmt::format("{} cannot be looked at: {}", title(one.ref), named->problem));
    }
    for (const Reference& one : spec.references)
        if (!one.is_optional && !seen.named_as(one.ref)->meta)
            return stopped(
                Reason::ConfigMissing,
                fmt::format("{} does not exist, and the template names it.", title(one.ref)));
    return std::nullopt;
}

// The key is made once, of bytes that nobody has seen.
Config without_key(const Snapshot& seen) {
    const model::Ref ref{&model::secrets, seen.environment.home, config_key_secret};
    const engine::Attempt* tried = seen.attempted(engine::Action::Verb::Create, ref);
    if (tried && tried->refusal && tried->refusal->is_final())
        return stopped(Reason::ConfigUnseen,
                       fmt::format("Secret {}, the key of the digests, cannot be made: {}",
                                   to_text(ref), tried->refusal->why));
    if (!hash_key(seen.environment.fresh_key))
        return stopped(Reason::ConfigUnseen, "there is no key for the digests");
    const json::object body{
        {"apiVersion", "v1"},
        {"kind", "Secret"},
        {"metadata", json::object{{"name", ref.name},
                                  {"namespace", ref.ns},
                                  {"labels", json::object{{"app.kubernetes.io/name", "sluice"}}}}},
        {"type", "Opaque"},
        {"immutable", true},
        {"data", json::object{{"key", encode_base64(seen.environment.fresh_key)}}}};
    return {.state = State::Unkeyed, .makes_key = engine::creation_of(ref, json::serialize(body))};
}

std::optional<HashKey> key_in(const model::CustomObject& secret) {
    const json::value data = model::parse_json(secret.spec);
    const auto bytes = decode_base64(model::text_at(data, "/key"));
    return bytes ? hash_key(bytes->reveal()) : std::nullopt;
}

// What was read, now that all of it was.
Config digested(const Snapshot& seen, const Spec& spec, Instant now) {
    const engine::Fetched& secret = *seen.fetched_as(key_ref(seen));
    if (!secret.object) return without_key(seen);
    const auto key = key_in(*secret.object);
    if (!key)
        return stopped(Reason::ConfigUnseen,
                       fmt::format("Secret {} holds no key of {} bytes; if it is deleted, another "
                                   "one is made.",
                                   to_text(secret.ref), HashKey::size));
    std::string text, versions;
    for (const Reference& one : spec.references) {
        const engine::Fetched* found = seen.fetched_as(one.ref);
        const bool is_there = found && found->object;
        if (!is_there && !one.is_optional)
            return stopped(
                Reason::ConfigMissing,
                fmt::format("{} does not exist, and the template names it.", title(one.ref)));
        text += line_of(one.ref, is_there ? found->object->spec + "!" : "");
        versions += line_of(one.ref, is_there ? version_of(found->object->meta) : "");
    }
    Config config{.state = State::Known,
                  .digest = sluice::to_text(keyed_hash(*key, text)),
                  .versions = checksum(versions)};
    config.noted =
        engine::Evidence{.key = config_key_secret,
                         .answer = engine::answer_of(ConfigDigest{config.versions, config.digest}),
                         .at = now,
                         .outlasts_step = true};
    return config;
}

// What there is of it, and the key.
std::vector<model::Ref> to_read(const Snapshot& seen, const Spec& spec) {
    std::vector<model::Ref> refs{key_ref(seen)};
    for (const Reference& one : spec.references)
        if (seen.named_as(one.ref)->meta) refs.push_back(one.ref);
    return refs;
}

}  // namespace

// What the status says of these very versions holds, whoever wrote it.
Config config_of(const Snapshot& seen, const Spec& spec, const ConfigStatus& known, Instant now) {
    if (spec.references.empty()) return {};
    if (auto stop = obstacle(seen, spec)) return std::move(*stop);
    std::string versions = known_versions(seen, spec);
    if (!known.digest.empty() && known.versions == versions)
        return {.state = State::Known, .digest = known.digest, .versions = std::move(versions)};
    if (const engine::Evidence* last = engine::last_of<ConfigDigest>(seen.evidence)) {
        const ConfigDigest& digest = *engine::opened<ConfigDigest>(*last->answer);
        if (digest.versions == versions)
            return {
                .state = State::Known, .digest = digest.digest, .versions = std::move(versions)};
    }
    std::vector<model::Ref> refs = to_read(seen, spec);
    for (const model::Ref& ref : refs)
        if (const engine::Fetched* found = seen.fetched_as(ref); found && found->refusal) {
            if (!found->refusal->is_final()) return {.state = State::Unlooked};
            return stopped(Reason::ConfigUnseen,
                           fmt::format("{} cannot be read: {}", title(ref), found->refusal->why));
        }
    const bool is_read =
        std::ranges::all_of(refs, [&](const model::Ref& ref) { return seen.fetched_as(ref); });
    if (is_read) return digested(seen, spec, now);
    return {.state = State::Unread, .unread = std::move(refs)};
}

}  // namespace sluice::api::extended_stateful_set
