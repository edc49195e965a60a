// What must survive a crash, kept in the API on the object itself (annotation sluice.dev/rollout).
// It belongs to the object's UID; memory that cannot be read is as good as none: the rollout then
// starts from the top behind a closed gate, which repeats questions but exposes nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/numbers.hpp"
#include "base/time.hpp"

namespace sluice::engine {

// The revision that comes of a template which was written together with the memory.
inline constexpr std::string_view awaited_revision = "awaited";

struct Memory {
    std::string uid;       // of the workload this is about: a namesake's memory is not ours
    std::int64_t id = 0;   // counts rollouts; revision names come back, ids do not
    std::string revision;  // the update revision this rollout leads to
    std::uint64_t template_hash = 0;  // the template that belongs to the revision
    Partition partition;              // the gate as we last set it
    bool open = false;                // a rollout is under way
    Instant started;
    std::int64_t generation = 0;  // of the workload once our write is through
    Instant corrected;            // when we last closed a gate that somebody else had opened
    Partition brake{};            // to which somebody else has raised it as a brake; 0: nobody has
    std::uint64_t retry = 0;      // hash of the value of sluice.dev/retry that was acted on
    bool returning = false;       // its pods are on their way back to the revision before
    bool failed = false;          // it failed and its pods are back: not again by itself
    int place = 0;                // of the step that was taken last, in the owner's list
    std::uint64_t list = 0;       // hash of that list: in another one the place means nothing
    std::optional<Partition> found = {};  // the partition at adoption, where it returns to at last
    friend bool operator==(const Memory&, const Memory&) = default;
};

std::string encode(const Memory& memory);
std::optional<Memory> decode_memory(std::string_view text);

}  // namespace sluice::engine
