// An ExtendedStatefulSet as tests see it: what is written down, its versions and their pods.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <string>

#include "api/extended_stateful_set/decide.hpp"
#include "api/extended_stateful_set/revisions.hpp"
#include "api/extended_stateful_set/spec.hpp"
#include "api/extended_stateful_set/status.hpp"
#include "engine/decision.hpp"

namespace sluice::api::extended_stateful_set::testing {

inline constexpr Instant noon{1'790'000'000'000};

inline const std::string small_spec =
    R"({"template":{"metadata":{"labels":{"tier":"data"}},"spec":{"replicas":2,)"
    R"("selector":{"matchLabels":{"app":"x"}},"serviceName":"x","template":)"
    R"({"metadata":{"labels":{"app":"x"}},"spec":{"containers":[{"name":"x","image":"x:1"}]}}}}})";

struct Known {
    model::CustomObject object = [] {
        model::CustomObject one;
        one.meta = {{"shop", "x"}, "uid-x", 7, 1, false};
        one.spec = small_spec;
        return one;
    }();
    engine::Snapshot seen = {};
    Instant now = noon;
    bool all_kept = true;  // what every version was made from

    std::string digest() const { return digest_of(object, *read_spec(object)); }

    // With so many pods, all ready since long ago.
    model::StatefulSet& add_version(SetId id, int pods, const std::string& digest) {
        model::StatefulSet set;
        const std::string name = set_name("x", id);
        set.meta = {{"shop", name}, "uid-" + name, 5, 1, false};
        set.owner = "x";
        set.owner_uid = "uid-x";
        set.owner_kind = "ExtendedStatefulSet";
        set.has_annotations = true;
        set.annotations = {{std::string{template_key}, digest}};
        set.replicas = PodCount{pods};
        seen.sets.push_back(std::move(set));
        for (int i = 0; i < pods; ++i)
            add_pod(id, i);
        return seen.sets.back();
    }
    model::Pod& add_pod(SetId id, int ordinal) {
        model::Pod pod;
        const std::string set = set_name("x", id);
        pod.meta = {{"shop", fmt::format("{}-{}", set, ordinal)},
                    fmt::format("uid-{}-{}", set, ordinal),
                    5,
                    1,
                    false};
        pod.owner = set;
        pod.owner_uid = "uid-" + set;
        pod.owner_kind = "StatefulSet";
        pod.revision = set + "-abc";
        pod.running = pod.ready = true;
        pod.created = pod.ready_since = noon - 1h;
        seen.pods.push_back(std::move(pod));
        return seen.pods.back();
    }
    // A StatefulSet was scaled to 0, and its pods are gone.
    void empty_set(const std::string& name) {
        for (model::StatefulSet& set : seen.sets)
            if (set.meta.key.name == name) set.replicas = PodCount{0};
        std::erase_if(seen.pods, [&](const model::Pod& pod) { return pod.owner == name; });
    }
    model::Pod& pod(const std::string& name) {
        return *std::ranges::find_if(
            seen.pods, [&](const model::Pod& pod) { return pod.meta.key.name == name; });
    }
    void lose_pod(const std::string& name) {
        std::erase_if(seen.pods, [&](const model::Pod& pod) { return pod.meta.key.name == name; });
    }
    // Somebody deletes a StatefulSet, and its pods go with it.
    void lose_set(const std::string& name) {
        std::erase_if(seen.sets,
                      [&](const model::StatefulSet& set) { return set.meta.key.name == name; });
        std::erase_if(seen.pods, [&](const model::Pod& pod) { return pod.owner == name; });
    }
    // Somebody edits the spec.
    void edit(const std::string& from, const std::string& to) {
        object.spec.replace(object.spec.find(from), from.size(), to);
        ++object.meta.generation;
    }
    void scale(int pods) {
        const std::string field = R"("replicas":)";
        const std::size_t at = object.spec.find(field) + field.size();
        object.spec.replace(at, object.spec.find(',', at) - at, std::to_string(pods));
        ++object.meta.generation;
    }
    engine::Decision decided() const {
        engine::Snapshot look = seen;
        look.subject = ref_to(resource, object.meta.key);
        look.objects = {object};
        if (all_kept) {
            Status kept = status();
            kept.revisions.clear();
            for (int version = 1; version < 10; ++version)
                kept.revisions.push_back(revision_name("x", version));
            look.objects.front().status = write_status(kept);
        }
        prepare(look);
        return decide(look, now);
    }
    Status status() const { return read_status(object); }
    // What the server has once the status write among the actions is through.
    bool apply_status(const engine::Decision& decision) {
        for (const engine::Action& action : decision.actions) {
            if (!action.of_status) continue;
            const auto patch = boost::json::parse(action.body);
            object.status = boost::json::serialize(patch.as_array().back().at("value"));
            ++object.meta.resource_version;
            return true;
        }
        return false;
    }
    // Until something else than the status is to be written.
    engine::Decision settled() {
        for (int i = 0; i < 10; ++i) {
            engine::Decision decision = decided();
            if (!apply_status(decision)) return decision;
        }
        return {};
    }
};

// Version 1 serves, in all zones. `more`: fields of the spec, each with a comma behind it.
inline Known serving(const std::string& more = "", int pods = 2) {
    Known known;
    known.object.spec.insert(1, more);
    known.scale(pods);
    const Zones zones = read_spec(known.object)->zones;
    for (int zone = 0; zone < zones.count(); ++zone)
        known.add_version({1, zones.names.empty() ? std::nullopt : std::optional{zone}}, pods,
                          known.digest());
    known.settled();
    return known;
}

// The same, and another template is wanted.
inline Known upgrading(const std::string& more = "", int pods = 2) {
    Known known = serving(more, pods);
    known.edit("x:1", "x:2");
    return known;
}

// The same, and a canary is there that was not ready in time.
inline Known failing(const std::string& more = "") {
    Known known = upgrading(more);
    known.settled();
    const bool has_zones = !read_spec(known.object)->zones.names.empty();
    known.add_version({2, has_zones ? std::optional{0} : std::nullopt}, 1, known.digest());
    known.seen.pods.back().ready = false;
    known.seen.pods.back().never_ready = true;
    known.settled();
    known.now = noon + 10min + 1s;
    known.settled();
    return known;
}

}  // namespace sluice::api::extended_stateful_set::testing
