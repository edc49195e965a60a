// A StatefulCluster as tests see it: what is written down, and the pods that are there.
#pragma once

#include <boost/json.hpp>
#include <memory>
#include <string>
#include <vector>

#include "api/hooks/hook.hpp"
#include "api/stateful_cluster/decide.hpp"
#include "api/stateful_cluster/members.hpp"
#include "tests/unit/api/changes.hpp"

namespace sluice::api::stateful_cluster::testing {

inline constexpr Instant noon{1'790'000'000'000};

inline const std::string small_spec =
    R"({"replicas":3,"selector":{"matchLabels":{"app":"db"}},)"
    R"("template":{"spec":{"containers":[{"name":"db","image":"db:1"}]}},)"
    R"("volumeClaimTemplates":[{"metadata":{"name":"data"},"spec":{"accessModes":["ReadWriteOnce"]}}]})";

struct Known {
    model::CustomObject object = [] {
        model::CustomObject one;
        one.meta = {{"shop", "db"}, "uid-db", 7, 1, false};
        one.spec = small_spec;
        return one;
    }();
    Spec spec = *read_spec(object);
    Status status = {};
    std::vector<model::Pod> pods = {};
    Instant now = noon;

    // A member with its pod, ready since long ago.
    model::Pod& add(const std::string& name, const std::string& revision = "db-1") {
        status.members.push_back(
            {.name = name, .state = Member::State::Ready, .revision = revision});
        model::Pod pod;
        pod.meta = {{"shop", name}, "uid-" + name, 5, 1, false};
        pod.owner = "db";
        pod.owner_uid = "uid-db";
        pod.owner_kind = "StatefulCluster";
        pod.revision = revision;
        pod.running = pod.ready = true;
        pod.created = pod.ready_since = noon - 1h;
        pods.push_back(std::move(pod));
        return pods.back();
    }
    // Seen so for so long, whatever its node calls the time.
    model::Pod& unready(std::size_t index, Duration since) {
        pods[index].ready = false;
        status.members[index].state = Member::State::NotReady;
        status.members[index].since = now - since;
        return pods[index];
    }
    // Somebody edits the spec: "/replicas", "2".
    void edit(const std::string& pointer, const std::string& value) {
        object.spec = api::testing::changed(object.spec, {{pointer, value}});
        ++object.meta.generation;
        if (auto read = read_spec(object)) spec = std::move(*read);
    }
    std::string revision() const { return revision_of(object, spec.pod_template); }
    // The server has this status.
    void keep(Status one) {
        status = std::move(one);
        object.status = write_status(status);
        ++object.meta.resource_version;
    }
    View view() const { return {object, spec, pods, now}; }
    Tended tended() const {
        Status given = status;
        if (given.update_revision.empty()) given.update_revision = "db-1";
        return tend(view(), given, "db-1");
    }
};

// Three that are well.
inline Known three(const std::string& revision = "db-1") {
    Known known;
    for (const char* name : {"db-a", "db-b", "db-c"})
        known.add(name, revision);
    return known;
}

inline std::vector<std::string> names_of(const Status& status) {
    std::vector<std::string> names;
    for (const Member& one : status.members)
        names.push_back(one.name);
    return names;
}

inline engine::Snapshot seeing(const Known& known) {
    engine::Snapshot seen;
    seen.subject = ref_to(resource, known.object.meta.key);
    seen.objects = {known.object};
    seen.pods = known.pods;
    seen.settings = std::make_shared<const hooks::HookCatalogue>();
    prepare(seen);
    return seen;
}

inline engine::Decision decided(const Known& known) {
    return decide(seeing(known), known.now);
}

// What the server has once the status write among the actions is through; false: there is none.
inline bool apply_status(Known& known, const engine::Decision& decision) {
    for (const engine::Action& action : decision.actions) {
        if (!action.of_status) continue;
        const auto patch = boost::json::parse(action.body);
        known.object.status = boost::json::serialize(patch.as_array().back().at("value"));
        ++known.object.meta.resource_version;
        known.status = read_status(known.object);
        return true;
    }
    return false;
}

// One look, and what it writes down.
inline engine::Decision look(Known& known) {
    engine::Decision decision = decided(known);
    apply_status(known, decision);
    return decision;
}

// Until nothing more is written down.
inline void settle(Known& known) {
    for (int i = 0; i < 10; ++i)
        if (!apply_status(known, decided(known))) return;
}

// Three that are well, at the revision of their template, and all that is written down.
inline Known at_rest() {
    Known known = three(Known{}.revision());
    known.keep(known.status);
    settle(known);
    return known;
}

// Three of which the last one has the template that was written just now.
inline Known updating() {
    Known known = at_rest();
    known.edit("/template/spec/containers/0/image", R"("db:2")");
    look(known);
    known.status.exposed = PodCount{1};
    known.status.members[2].revision = known.pods[2].revision = known.revision();
    known.keep(known.status);
    return known;
}

// Two of them have not been ready for an hour.
inline void lose_most(Known& known) {
    for (const std::size_t i : {0u, 1u})
        known.unready(i, 1h).node = "node-1";
    known.keep(known.status);
}

inline std::vector<engine::Reason> told_of(const engine::Decision& decision) {
    std::vector<engine::Reason> reasons;
    for (const engine::Notice& one : decision.notices)
        reasons.push_back(one.reason);
    return reasons;
}

}  // namespace sluice::api::stateful_cluster::testing
