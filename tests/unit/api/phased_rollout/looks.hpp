// Sets that PhasedRollouts name, and what a decision about one comes to, in a line.
#pragma once

#include <fmt/format.h>

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "api/phased_rollout/decide.hpp"
#include "api/phased_rollout/status.hpp"
#include "engine/steering.hpp"
#include "model/annotations.hpp"
#include "tests/unit/api/phased_rollout/samples.hpp"
#include "tests/unit/engine/actions.hpp"
#include "tests/unit/engine/seen.hpp"

namespace sluice::api::phased_rollout::testing {

namespace key = model::key;
using namespace engine::testing;
using engine::Decision;
using engine::Snapshot;

inline model::CustomObject object(const std::string& name,
                                  const std::vector<Change>& changes = {}) {
    model::CustomObject one = with_spec(changed(changes));
    one.meta = {{"shop", name}, name + "-uid", 20, 1, false};
    one.created = noon - 2h;
    one.finalizers = {std::string{finalizer}};
    return one;
}

inline Snapshot with(Snapshot look, std::vector<model::CustomObject> objects) {
    look.workload.labels.clear();
    look.objects = std::move(objects);
    return look;
}

inline engine::Memory memory_of(const Snapshot& look, bool open) {
    engine::Memory memory;
    memory.uid = look.workload.meta.uid;
    memory.id = 3;
    memory.revision = look.workload.update_revision;
    memory.template_hash = look.workload.template_hash;
    memory.partition = effective_partition(look.workload);
    memory.open = open;
    memory.started = noon - 10min;
    memory.generation = look.workload.meta.generation;
    return memory;
}

inline Snapshot claimed(Snapshot look, const engine::Memory& memory,
                        const std::string& name = "slow") {
    look.workload.has_annotations = true;
    look.workload.annotations = {{key::claim, "phasedrollout/" + name},
                                 {std::string{steered_by}, name},
                                 {key::rollout, engine::encode(memory)},
                                 {key::phase, memory.open ? "Rolling" : "Idle"}};
    return look;
}

inline Snapshot resting(std::vector<model::CustomObject> objects) {
    const Snapshot look = with(seen(3), std::move(objects));
    return claimed(look, memory_of(look, false));
}

inline Snapshot open_at(int partition, std::vector<model::CustomObject> objects) {
    const Snapshot look = with(rolling(3, partition), std::move(objects));
    return claimed(look, memory_of(look, true));
}

// "partition 1000000, tells Adopted; status of slow" and so on: what there is of it.
inline std::string line(const Decision& decision) {
    std::string text{engine::entry(decision.report.reason).name};
    if (patch_in(decision)) text += "; writes";
    if (patch_in(decision) && patch_in(decision)->partition)
        text += fmt::format(", partition {}", patch_in(decision)->partition->value);
    if (decision.releases) text += ", releases";
    if (removal_in(decision))
        text += fmt::format("; deletes {}", removal_in(decision)->object.ref.name);
    for (const engine::Notice& notice : decision.notices)
        text += fmt::format("; tells {}", engine::entry(notice.reason).name);
    for (const engine::Action& write : writes_in(decision)) {
        text += fmt::format("; {} of {}", write.of_status ? "status" : "finalizers",
                            write.object.ref.name);
        for (const engine::Notice& notice : write.notices)
            text += fmt::format(" tells {}", engine::entry(notice.reason).name);
    }
    return text;
}

inline Status status_in(const engine::Action& write) {
    model::CustomObject written;
    for (const auto& one : boost::json::parse(write.body).as_array())
        if (one.at("path") == "/status" && one.at("op") == "add")
            written.status = boost::json::serialize(one.at("value"));
    return read_status(written);
}

inline Status told(const Decision& decision, const std::string& name) {
    for (const engine::Action& write : writes_in(decision))
        if (write.of_status && write.object.ref.name == name) return status_in(write);
    return {};
}

}  // namespace sluice::api::phased_rollout::testing
