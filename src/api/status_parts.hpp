// What the statuses of all kinds have in common: bounds, what stands at their head, and the rule of
// conditions. Each kind keeps its own types; the templates here name the members they need.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "api/condition.hpp"
#include "api/json_parts.hpp"
#include "api/status_head.hpp"

namespace sluice::api {

// The bounds of deploy/crds.
inline constexpr std::size_t word_max = 64;
inline constexpr std::size_t short_max = 32;
inline constexpr std::size_t name_max = 253;
inline constexpr std::size_t sentence_max = 1024;
inline constexpr std::size_t conditions_max = 16;

// The fields at the head of a status, to read and to write.
inline constexpr auto head_fields = [](auto& json, auto& status) {
    json.field("phase", status.phase, word_max)
        .field("reason", status.reason, word_max)
        .field("message", status.message, sentence_max)
        .field("unblock", status.unblock, sentence_max)
        .field("since", status.since)
        .always("observedGeneration", status.observed_generation)
        .field("guarantee", status.guarantee, short_max);
};

inline constexpr auto condition_fields = [](auto& json, auto& condition) {
    json.key("type", condition.type, word_max)
        .field("status", condition.status, short_max)
        .field("reason", condition.reason, word_max)
        .always("message", condition.message, sentence_max)
        .always("observedGeneration", condition.observed_generation)
        .always("lastTransitionTime", condition.since);
};

// The conditions with this one in place of one of its type. Of an older one with the same status,
// the time of the transition stays.
template <class One>
std::vector<One> with_newer(std::vector<One> conditions, One condition) {
    const auto old = std::ranges::find(conditions, condition.type, &One::type);
    if (old == conditions.end()) {
        conditions.push_back(std::move(condition));
        return conditions;
    }
    if (old->status == condition.status) condition.since = old->since;
    *old = std::move(condition);
    return conditions;
}

}  // namespace sluice::api
