#include "api/pilot/spec.hpp"

namespace sluice::api::pilot {

std::optional<Subscription> read_subscription(const model::StatefulSet& set) {
    const auto label = set.labels.find(std::string{model::pilot_label});
    if (label == set.labels.end()) return std::nullopt;
    return Subscription{label->second};
}

bool concerns(const model::StatefulSet& set) {
    return read_subscription(set) || annotation(set, key::claim) == own_claim(set);
}

std::optional<Error> hook_problem(const model::StatefulSet& set, const HookCatalogue& hooks) {
    const auto subscription = read_subscription(set);
    if (!subscription) return std::nullopt;
    auto found = find_hook(hooks, subscription->hook);
    if (found) return std::nullopt;
    return std::move(found.error());
}

std::string own_claim(const model::StatefulSet& set) {
    return "pilot/" + set.meta.key.name;
}

std::optional<std::string> other_claim(const model::StatefulSet& set) {
    const std::string& claim = annotation(set, key::claim);
    if (claim.empty() || claim == own_claim(set)) return std::nullopt;
    return claim;
}

std::optional<engine::Memory> recall(const model::StatefulSet& set) {
    auto memory = engine::decode_memory(annotation(set, key::rollout));
    if (!memory || memory->uid != set.meta.uid) return std::nullopt;
    return memory;
}

}  // namespace sluice::api::pilot
