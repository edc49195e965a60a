#include <fmt/format.h>

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

std::optional<Error> hook_problem(const model::StatefulSet& set, const HookCatalogue& hooks) {
    const auto subscription = read_subscription(set);
    if (!subscription) return std::nullopt;
    auto found = find_hook(hooks, subscription->hook);
    if (found) return std::nullopt;
    return std::move(found.error());
}

std::string hook_binding(const model::StatefulSet& set, const HookCatalogue& hooks) {
    const auto subscription = read_subscription(set);
    if (!subscription) return {};
    std::string binding = subscription->hook;
    const auto declared = hooks.external.find(subscription->hook);
    if (declared != hooks.external.end() && declared->second) {
        const ExternalHook& hook = *declared->second;
        binding += fmt::format(" {} {} {}", hook.url, hook.ca_secret, hook.headers_secret);
    }
    for (const auto& [name, value] : set.annotations) {
        if (name.starts_with("sluice.dev/elasticsearch-"))
            binding += fmt::format(" {}={}", name, value);
    }
    return binding;
}

void prepare(engine::Snapshot& seen) {
    const auto& hooks = static_cast<const HookCatalogue&>(*seen.settings);
    seen.hook_problem = hook_problem(seen.workload, hooks);
    seen.hook_binding = hook_binding(seen.workload, hooks);
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
