// A desk with one actor on it: a gate that names a set, or a run that stands alone, does what the
// test says, and every look that it gets is kept.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/report.hpp"
#include "model/annotations.hpp"
#include "tests/unit/controller/desk.hpp"

namespace sluice::controller::testing {

using engine::Action;
using engine::Decision;
using engine::Snapshot;

inline constexpr SessionId of_sets = 0;  // the first that a controller watches

inline runtime::RequestFailure refused(int status) {
    return {status, {}, "refused"};
}

inline model::StatefulSet web_set(std::uint64_t version, Partition partition = {0}) {
    model::StatefulSet set;
    set.meta = {{"shop", "web"}, "123e4567-e89b-12d3-a456-426614174000", version, 1, false};
    set.replicas = PodCount{3};
    set.partition = partition;
    return set;
}

inline Action write_of(Action::Verb verb, const std::string& name = "one") {
    const auto about = object(name);
    return {.verb = verb, .object = {ref_to(runs, about.meta.key), about.meta.uid}, .body = "body"};
}

inline Decision writing(Action::Verb verb) {
    Decision decision;
    decision.actions.push_back(write_of(verb));
    return decision;
}

inline Action removing(const std::string& pod, const std::string& uid) {
    return engine::deletion_of({{&model::pods, "shop", pod}, uid});
}

inline Decision moving(const Snapshot& seen, Partition to) {
    model::WorkloadPatch patch{seen.workload};
    patch.move_partition(to);
    if (!seen.environment.fence.empty()) patch.annotate(model::key::fence, seen.environment.fence);
    Decision decision;
    decision.actions.push_back(engine::to_action(patch));
    return decision;
}

// A gate "gentle" that names the set "web", or a run "one"; both do what `then` says, and each look
// is kept.
struct Scene {
    explicit Scene(Settings settings = {}, std::span<const api::Api> apis = test_apis,
                   Trouble trouble = {})
        : desk(std::move(settings), apis, std::move(trouble)) {
        gate_decides = run_decides = [this](const Snapshot& seen, Instant) {
            looks.push_back(seen);
            return then(seen);
        };
    }
    void show_set(const model::StatefulSet& set) {
        desk.take(EventsArrived{of_sets, {model::Changed{set}}});
    }
    void show_gate() { desk.put(gates, object("gentle", "web")); }
    void show_run() { desk.put(runs, object("one")); }
    // What was to be read before something that cannot be undone is as it was.
    void confirm() {
        for (const ReadWorkload& read : desk.done<ReadWorkload>())
            desk.take(WorkloadRead{read.ticket, LiveWorkload{{}, {}, {{&runs, object("one")}}}});
    }

    Desk desk;
    std::vector<Snapshot> looks;
    std::function<Decision(const Snapshot&)> then = [](const Snapshot&) { return Decision{}; };
};

}  // namespace sluice::controller::testing
