// What an operator has written on a StatefulSet, as anybody can read it who knows the documents:
// with nothing of the operator's own code, so that a mistake in that is not made here as well.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/api/json.hpp"

namespace sluice::sim {

inline constexpr const char* claim_at = "/metadata/annotations/sluice.dev~1claim";
inline constexpr const char* paused_at = "/metadata/annotations/sluice.dev~1paused";
inline constexpr const char* retry_at = "/metadata/annotations/sluice.dev~1retry";
inline constexpr const char* excuse_at = "/metadata/annotations/sluice.dev~1allow-unready";
inline constexpr const char* revision_at = "/metadata/labels/controller-revision-hash";

// The annotation sluice.dev/rollout. Times and hashes are compared, never computed with.
struct RolloutNote {
    std::string uid;
    std::int64_t id = -1;
    std::int64_t partition = -1;
    bool is_open = false;
    bool is_returning = false;
    bool has_failed = false;
    std::string started;
    std::string corrected;
    std::int64_t place = 0;
    std::string list;
};
std::optional<RolloutNote> rollout_note(const json::object& set);

// The annotation sluice.dev/fence: "<UID of the lease>/<its transitions>".
struct FenceNote {
    std::string lease;
    std::int64_t transitions = 0;
};
std::optional<FenceNote> fence_note(const json::object& set);

// A text that stands in Secrets only: wherever else it turns up, a secret has leaked.
inline const std::string canary = "CANARY-b41f7c";
// The ways in which a secret may be written: as it is, in base64 wherever it begins, in a URL.
std::vector<std::string> spellings_of(const std::string& secret);

}  // namespace sluice::sim
