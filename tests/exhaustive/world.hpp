// A StatefulSet of at most three pods with its Kubernetes around it, small enough to try
// everything. It is a value of a few bytes. The functions below are what people, kubelets and the
// StatefulSet controller can do to it; what the operator does stands in steersman.hpp.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>

namespace sluice::exhaustive {

inline constexpr int pods_max = 3;
inline constexpr std::uint8_t closed = 250;  // stands for 1000000
inline constexpr std::uint8_t nobody = 3;    // no pod, or no revision: the revisions are 0, 1, 2
inline constexpr std::uint8_t any = 9;       // of any revision

struct Rules {
    bool policies;  // the admission policies are installed
    bool ordered;   // podManagementPolicy OrderedReady; otherwise Parallel
};

struct Pod {
    std::uint8_t revision = nobody;
    bool ready = false;
    bool exists() const { return revision != nobody; }
    friend bool operator==(Pod, Pod) = default;
};

// The memory annotation. Its generation is the set's, or an older one.
struct Remembered {
    bool exists = false;
    bool open = false;
    bool behind = false;
    std::uint8_t revision = nobody;
    std::uint8_t hash = nobody;
    std::uint8_t partition = closed;
    std::uint8_t corrected = 0;  // 0 never, 1 just now, 2 long ago
    friend auto operator<=>(const Remembered&, const Remembered&) = default;
};

struct World {
    std::array<Pod, pods_max> pods;
    std::uint8_t replicas = 0;
    std::uint8_t wanted = 0;  // the revision of the template
    std::uint8_t current = 0;
    std::uint8_t update = 0;
    bool observed = true;  // the status speaks of this generation
    std::uint8_t partition = 0;
    bool label = true;
    bool paused = false;
    Remembered memory;
    // What the operator has in its head, and what it has sent.
    bool allowed = false;        // what the evidence says
    bool fresh = false;          // the evidence is young
    bool patient = false;        // it has been waiting for a while
    std::uint16_t report = 0;    // the other annotations of ours: a number of Texts
    std::uint16_t evidence = 0;  // a number of a Probe; 0: none
    std::uint16_t sent = 0;      // a number of a Write that is on its way; 0: none
    // What only the test knows: for which revision each pod was let go.
    std::array<std::uint8_t, pods_max> let_go{nobody, nobody, nobody};
    bool raised = false;  // a person or a policy raised the partition

    friend bool operator==(const World&, const World&) = default;
};
static_assert(std::has_unique_object_representations_v<World>);

struct WorldHash {
    std::size_t operator()(const World& world) const {
        return std::hash<std::string_view>{}({reinterpret_cast<const char*>(&world), sizeof world});
    }
};

inline constexpr std::uint16_t void_evidence = 0xFFFF;  // of a question that nobody can ask again

inline std::size_t at(int index) {
    return static_cast<std::size_t>(index);
}

inline bool is_exposed(const World& world, int index) {
    return index >= world.partition;
}

// A violated promise, as a sentence; empty while all is well.
using Complaint = std::string;

// ---- people ----

// Whoever changes the spec makes the status stale, and every answer and write of before worthless.
inline void change_spec(World& world) {
    world.observed = false;
    world.patient = false;
    world.memory.behind = world.memory.exists;
    if (world.evidence) world.evidence = void_evidence;
    world.sent = 0;
}

inline void change_template(World& world, std::uint8_t revision, bool guarded) {
    change_spec(world);
    world.wanted = revision;
    if (guarded) world.partition = closed;
}

inline void scale(World& world, int replicas) {
    change_spec(world);
    // New pods may start on whatever the gate, opened before, lets them start on.
    for (int index = world.replicas; index < replicas; ++index)
        world.let_go[at(index)] = any;
    world.replicas = static_cast<std::uint8_t>(replicas);
}

inline void set_partition(World& world, std::uint8_t partition) {
    if (partition > world.partition) world.raised = true;
    change_spec(world);
    world.partition = partition;
}

// ---- kubelets ----

// An answer about a pod that is gone is an answer to another question: UIDs do not come back.
inline void remove_pod(World& world, int index) {
    world.pods[at(index)] = {};
    world.patient = false;
    if (world.evidence) world.evidence = void_evidence;
}

inline void set_ready(World& world, int index, bool ready) {
    world.pods[at(index)].ready = ready;
    world.patient = false;
}

// ---- the StatefulSet controller ----

inline bool all_ready(const World& world) {
    for (int index = 0; index < world.replicas; ++index) {
        if (!world.pods[at(index)].ready) return false;
    }
    return true;
}

inline bool all_on(const World& world, std::uint8_t revision) {
    for (int index = 0; index < pods_max; ++index) {
        const Pod& pod = world.pods[at(index)];
        if (index < world.replicas ? pod.revision != revision : pod.exists()) return false;
    }
    return true;
}

// A pod moves to the new revision because it was let go, or it came with the user's own scale-up.
inline Complaint made_for(const World& world, int index, bool steered) {
    const std::uint8_t let_go = world.let_go[at(index)];
    if (!steered || let_go == world.wanted || let_go == any) return {};
    return "pod " + std::to_string(index) + " moves to a revision that it was not let go for";
}

inline Complaint create(World& world, int index, bool steered) {
    const bool moves = is_exposed(world, index);
    world.pods[at(index)] = {moves ? world.wanted : world.current, false};
    return moves && world.wanted != world.current ? made_for(world, index, steered) : Complaint{};
}

// One pod at a time from the top; a pod that is not ready stops the row.
inline Complaint roll(World& world, bool steered) {
    for (int index = world.replicas - 1; index >= 0 && is_exposed(world, index); --index) {
        const Pod pod = world.pods[at(index)];
        if (pod.revision != world.wanted) {
            remove_pod(world, index);
            return made_for(world, index, steered);
        }
        if (!pod.ready) return {};
    }
    return {};
}

// One look of the StatefulSet controller at its pods. `steered`: somebody must answer for new pods.
inline Complaint act(World& world, const Rules& rules, bool steered) {
    Complaint complaint;
    for (int index = 0; index < world.replicas; ++index) {
        const Pod pod = world.pods[at(index)];
        if (!pod.exists()) complaint += create(world, index, steered);
        if (rules.ordered && !pod.ready) return complaint;
    }
    for (int index = pods_max - 1; index >= world.replicas; --index) {
        if (!world.pods[at(index)].exists()) continue;
        remove_pod(world, index);
        if (rules.ordered) return complaint;
    }
    return complaint + roll(world, steered);
}

// What it writes into the status. A set without pods has "completed" whatever it was asked for.
inline void tell(World& world) {
    world.observed = true;
    world.update = world.wanted;
    if (all_on(world, world.wanted) && all_ready(world)) world.current = world.wanted;
}

}  // namespace sluice::exhaustive
