#include "api/hooks/gate.hpp"
#include "api/pilot/spec.hpp"
#include "base/printable.hpp"

namespace sluice::api::pilot {

std::optional<Subscription> read_subscription(const model::StatefulSet& set) {
    const auto found = set.labels.find(std::string{label});
    if (found == set.labels.end()) return std::nullopt;
    return Subscription{found->second, annotation(set, key::allow_unready) == "true"};
}

bool concerns(const model::StatefulSet& set, const std::vector<model::CustomObject>&) {
    const std::string& claim = annotation(set, key::claim);
    const bool marked = claim.empty() && !annotation(set, key::phase).empty();
    return read_subscription(set) || claim == own_claim(set) || marked;
}

void prepare(engine::Snapshot& seen) {
    if (const auto subscription = read_subscription(seen.workload))
        hooks::prepare(seen, subscription->hook);
}

std::string own_claim(const model::StatefulSet& set) {
    return "pilot/" + set.meta.key.name;
}

std::optional<std::string> other_claim(const model::StatefulSet& set) {
    const std::string& claim = annotation(set, key::claim);
    if (claim.empty() || claim == own_claim(set)) return std::nullopt;
    return printable(claim, 64);
}

}  // namespace sluice::api::pilot
