// An ExtendedStatefulSet whose ordinals change hands, for each of them has a claim of its own.
#pragma once

#include "tests/unit/api/extended_stateful_set/extended.hpp"

namespace sluice::api::extended_stateful_set::testing {

// Version 1 serves all ordinals, and version 2 is to have `exposed` of them.
struct HandOver : Known {
    explicit HandOver(int exposed, int all = 3) {
        const std::string claims =
            R"("volumeClaimTemplates":[{"metadata":{"name":"data"},"spec":{"accessModes":)"
            R"(["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}],)";
        object.spec.insert(object.spec.find(R"("replicas":2)"), claims);
        scale(all);
        seen.environment.guarantee = engine::Guarantee::Prevent;
        const Spec spec = *read_spec(object);
        Status status;
        status.current = 1;
        status.update = status.last = 2;
        status.digest = digest();
        status.exposed = PodCount{exposed};
        status.in_zone = PodCount{all};
        status.attempts = 1;
        status.claims = {
            .made = all, .highest = all, .adjusted = all, .shape = spec.volumes.shape()};
        engine::Memory memory;
        memory.uid = object.meta.uid;
        memory.id = 1;
        memory.revision = "v2";
        memory.open = true;
        memory.partition = partition_for(PodCount{exposed}, PodCount{all});
        status.rollout = encode(memory);
        object.status = write_status(status);
    }

    model::StatefulSet& add(int version, int first, int pods) {
        model::StatefulSet& set = add_version({version}, 0, version == 2 ? digest() : "old");
        set.replicas = PodCount{pods};
        set.start = Ordinal{first};
        for (int i = first; i < first + pods; ++i)
            add_pod({version}, i);
        return set;
    }
    // As it is read live; `generation` that its controller has seen.
    void look_at(int version, int first, int pods, int generation = 1) {
        model::CustomObject set;
        const std::string name = set_name("x", {version});
        set.meta = {{"shop", name}, "uid-" + name, 5, 1, false};
        set.spec = fmt::format(R"({{"replicas":{},"ordinals":{{"start":{}}}}})", pods, first);
        set.status = fmt::format(R"({{"observedGeneration":{}}})", generation);
        seen.fetched.push_back({{&whole_sets, "shop", name}, set});
    }
    // The old version has given up its last ordinal, and nobody has it.
    void free_the_last() {
        add(1, 0, 2);
        add(2, 0, 0);
        look_at(1, 0, 2);
    }
    std::string move() {
        const engine::Decision decision = settled();
        if (!decision.rests_on.empty()) return "looks at " + decision.rests_on.front().name;
        for (const engine::Action& action : decision.actions)
            if (action.object.ref.resource == &model::statefulsets)
                return fmt::format("{} {}", action.object.ref.name, action.body);
        return "nothing";
    }
};

}  // namespace sluice::api::extended_stateful_set::testing
