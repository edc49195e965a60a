// The pilot in the small world: shows it the world as a snapshot, and takes what it decides back
// into the world. Each look is made once; equal worlds get equal decisions.
#pragma once

#include <fmt/format.h>
#include <algorithm>

#include <boost/json.hpp>
#include <map>
#include <unordered_map>
#include <vector>

#include "api/pilot/decide.hpp"
#include "api/pilot/spec.hpp"
#include "base/assert.hpp"
#include "engine/memory.hpp"
#include "tests/exhaustive/world.hpp"

namespace sluice::exhaustive {

inline constexpr Instant noon{1'790'000'000'000};
inline constexpr std::int64_t generation = 10;

namespace key = api::pilot::key;

// A question to the hook, with the pods that it is about.
struct Probe {
    std::string key;
    int prev = -1;  // index, or -1
    int next = -1;
    std::uint8_t revision = nobody;
};

// A write on its way: what will be true once it is through.
struct Write {
    bool moves = false;
    std::uint8_t partition = 0;
    Remembered memory;
    std::uint16_t report = 0;
    friend auto operator<=>(const Write&, const Write&) = default;
};

// What one look leads to.
struct Look {
    std::uint16_t write = 0;  // 0: none
    std::uint16_t probe = 0;  // 0: none
    bool takes_step = false;
    bool completes = false;
    engine::Phase phase{};
    engine::Reason reason{};
};

inline Partition partition_of(std::uint8_t partition) {
    return partition == closed ? closed_partition : Partition{partition};
}
inline std::uint8_t small(Partition partition) {
    return partition == closed_partition ? closed : static_cast<std::uint8_t>(partition.value);
}
inline std::string name_of(std::uint8_t revision) {
    return std::string("web-") + static_cast<char>('A' + revision);
}
inline std::uint8_t revision_of(const std::string& name) {
    return static_cast<std::uint8_t>(name.back() - 'A');
}
inline int index_of(const std::optional<api::hooks::HookPod>& pod) {
    return pod ? pod->name.back() - '0' : -1;
}

// Values by number, each once; number 0 is the default value.
template <class Value, class Name>
class Numbered {
  public:
    std::uint16_t number_of(const Name& name, const Value& value) {
        const auto [found, is_new] = numbers_.try_emplace(name, values_.size());
        if (is_new) values_.push_back(value);
        SLUICE_ASSERT(values_.size() < void_evidence);
        return static_cast<std::uint16_t>(found->second);
    }
    const Value& at(std::uint16_t number) const { return values_.at(number); }

  private:
    std::vector<Value> values_{1};
    std::map<Name, std::size_t> numbers_;
};

class Steersman {
  public:
    const Look& look(World world);
    const Write& write(std::uint16_t number) const { return writes_.at(number); }
    const Probe& probe(std::uint16_t number) const { return probes_.at(number); }
    const model::Texts& texts(std::uint16_t number) const { return texts_.at(number); }
    std::size_t looks() const { return looks_.size(); }

    bool is_claimed(const World& world) const { return texts(world.report).contains(key::claim); }
    // Nothing is left behind but the note about the partition, for whoever steers it next.
    bool is_forgotten(const World& world) const {
        return std::ranges::all_of(texts(world.report), [](const auto& one) {
            return one.first == key::partition_before;
        });
    }
    bool is_steered(const World& world) const {
        return world.label && world.memory.exists && is_claimed(world);
    }
    std::string phase(const World& world) const {
        const auto found = texts(world.report).find(key::phase);
        return found == texts(world.report).end() ? "" : found->second;
    }

  private:
    engine::Snapshot snapshot(const World& world) const;
    std::string memory_text(const Remembered& memory) const;
    Write written(const World& world, const engine::Action& patch);
    Look take(const World& world, const engine::Decision& decision);

    std::unordered_map<World, Look, WorldHash> looks_;
    Numbered<Probe, std::string> probes_;  // by key
    Numbered<Write, Write> writes_;
    Numbered<model::Texts, model::Texts> texts_;
};

inline std::string Steersman::memory_text(const Remembered& memory) const {
    const Instant corrected[] = {Instant{}, noon, noon - 1min};
    return engine::encode({.uid = "set",
                           .id = 1,
                           .revision = name_of(memory.revision),
                           .template_hash = memory.hash,
                           .partition = partition_of(memory.partition),
                           .open = memory.open,
                           .started = noon,
                           .generation = memory.behind ? generation - 1 : generation,
                           .corrected = corrected[memory.corrected],
                           .retry = 0});
}

inline engine::Snapshot Steersman::snapshot(const World& world) const {
    engine::Snapshot seen;
    model::StatefulSet& set = seen.workload;
    set.meta = {{"shop", "web"}, "set", 10, generation, false};
    if (world.label) set.labels = {{std::string{api::pilot::label}, "careful"}};
    set.annotations = texts(world.report);
    if (world.memory.exists) set.annotations[key::rollout] = memory_text(world.memory);
    if (world.paused) set.annotations[key::paused] = "true";
    set.has_annotations = !set.annotations.empty();
    set.template_hash = world.wanted;
    set.replicas = PodCount{world.replicas};
    set.partition = partition_of(world.partition);
    set.observed_generation = world.observed ? generation : generation - 1;
    set.current_revision = name_of(world.current);
    set.update_revision = name_of(world.update);
    for (int index = 0; index < pods_max; ++index) {
        const Pod& cell = world.pods[at(index)];
        if (!cell.exists()) continue;
        model::Pod pod;
        pod.meta = {
            {"shop", fmt::format("web-{}", index)}, fmt::format("pod-{}", index), 1, 0, false};
        pod.owner_uid = "set";
        pod.revision = name_of(cell.revision);
        pod.ready = cell.ready;
        pod.ready_since = noon - 1h;
        seen.pods.push_back(std::move(pod));
    }
    seen.hook_binding = "careful";
    if (!world.evidence) return seen;
    const Instant given = world.fresh ? noon : noon - 61s;
    const bool is_void = world.evidence == void_evidence;
    seen.evidence = {{is_void ? "void" : probe(world.evidence).key,
                      engine::answer_of(engine::HookAnswer{world.allowed}), given}};
    return seen;
}

// Reads the patch as the API server would apply it.
inline Write Steersman::written(const World& world, const engine::Action& patch) {
    Write write;
    write.moves = patch.partition.has_value();
    if (write.moves) write.partition = small(*patch.partition);
    write.memory = world.memory;
    model::Texts after = texts(world.report);
    for (const auto& value : boost::json::parse(patch.body).as_array()) {
        const auto& operation = value.as_object();
        const std::string path{operation.at("path").as_string()};
        constexpr std::string_view prefix = "/metadata/annotations/sluice.dev~1";
        if (operation.at("op") == "test" || !path.starts_with(prefix)) continue;
        const std::string name = "sluice.dev/" + path.substr(prefix.size());
        const bool removes = operation.at("op") == "remove";
        if (name != key::rollout && removes) after.erase(name);
        if (name != key::rollout && !removes) after[name] = operation.at("value").as_string();
        if (name == key::rollout && removes) write.memory = {};
        if (name != key::rollout || removes) continue;
        const auto memory = engine::decode_memory(operation.at("value").as_string());
        SLUICE_ASSERT(memory && memory->generation == generation + (write.moves ? 1 : 0));
        const std::uint8_t corrected = memory->corrected == noon       ? 1
                                       : memory->corrected > Instant{} ? 2
                                                                       : 0;
        write.memory = {.exists = true,
                        .open = memory->open,
                        .behind = false,
                        .revision = revision_of(memory->revision),
                        .hash = static_cast<std::uint8_t>(memory->template_hash),
                        .partition = small(memory->partition),
                        .corrected = corrected};
    }
    write.report = after.empty() ? std::uint16_t{0} : texts_.number_of(after, after);
    return write;
}

inline Look Steersman::take(const World& world, const engine::Decision& decision) {
    Look look;
    look.phase = decision.report.phase;
    look.reason = decision.report.reason;
    look.takes_step = decision.takes_step;
    look.completes = decision.ended && std::string_view{decision.ended->outcome} == "completed";
    if (patches_workload(decision)) {
        const Write write = written(world, decision.actions.front());
        look.write = writes_.number_of(write, write);
    }
    const auto* asked =
        decision.probe ? engine::opened<api::hooks::HookCall>(*decision.probe->question) : nullptr;
    if (asked)
        look.probe = probes_.number_of(decision.probe->key,
                                       {decision.probe->key, index_of(asked->transition.prev),
                                        index_of(asked->transition.next), world.update});
    return look;
}

inline const Look& Steersman::look(World world) {
    world.let_go.fill(nobody);
    world.raised = false;
    world.sent = 0;
    const auto known = looks_.find(world);
    if (known != looks_.end()) return known->second;
    engine::Snapshot seen = snapshot(world);
    engine::Decision decision = api::pilot::decide(seen, noon);
    if (world.patient) {
        seen.waiting_for = decision.report.reason;
        seen.waiting_since = noon - 1min;
        decision = api::pilot::decide(seen, noon);
    }
    return looks_.emplace(world, take(world, decision)).first->second;
}

// The world in one line, for the story of a broken promise.
inline std::string told(const World& world) {
    std::string pods;
    for (const Pod& pod : world.pods)
        pods += pod.exists() ? fmt::format("{}{} ", static_cast<char>('A' + pod.revision),
                                           pod.ready ? "" : "!")
                             : "- ";
    return fmt::format(
        "pods {}of {}, wants {}, current {}, update {}{}, partition {}, {}{}memory {} {} {} at "
        "{}{}",
        pods, world.replicas, static_cast<char>('A' + world.wanted),
        static_cast<char>('A' + world.current), static_cast<char>('A' + world.update),
        world.observed ? "" : " (stale)", partition_of(world.partition).value,
        world.label ? "" : "no label, ", world.paused ? "paused, " : "",
        world.memory.exists ? "of" : "none", static_cast<char>('A' + world.memory.revision),
        world.memory.open ? "open" : "shut", partition_of(world.memory.partition).value,
        world.memory.behind ? " behind" : "");
}

}  // namespace sluice::exhaustive
