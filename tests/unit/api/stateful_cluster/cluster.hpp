// A StatefulCluster as tests see it: what is written down, and the pods that are there.
#pragma once

#include <string>
#include <vector>

#include "api/stateful_cluster/decide.hpp"
#include "api/stateful_cluster/members.hpp"

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

}  // namespace sluice::api::stateful_cluster::testing
