#include <algorithm>
#include <array>
#include <ranges>
#include <set>

#include "api/hooks/built_in.hpp"
#include "base/printable.hpp"

namespace sluice::api::hooks {

namespace {

struct BuiltIn {
    std::string_view name;
    HookStep (*next)(const Transition&, const Learnt&);
    bool needs_pods;
    When when;
};

constexpr std::array built_in_hooks{
    // Shards are allocated again when it is asked; a pod that waits for them is not ready before.
    BuiltIn{"elasticsearch", elasticsearch, true, When::Running},
    BuiltIn{"noop", noop, false, When::Ready},
};

const BuiltIn* built_in(std::string_view name) {
    const auto found = std::ranges::find(built_in_hooks, name, &BuiltIn::name);
    return found == built_in_hooks.end() ? nullptr : &*found;
}

// All names, in order; a long catalogue is cut, for the sentence goes into an event.
std::string known_names(const HookCatalogue& catalogue) {
    constexpr std::size_t names_max = 10;
    std::set<std::string> names;
    for (const BuiltIn& hook : built_in_hooks)
        names.emplace(hook.name);
    for (const auto& [name, hook] : catalogue.external)
        names.insert(name);

    std::string text;
    for (const std::string& name : names | std::views::take(names_max)) {
        text += (text.empty() ? "" : ", ") + printable(name, 63);
    }
    if (names.size() > names_max) {
        text += " and " + std::to_string(names.size() - names_max) + " more";
    }
    return text;
}

}  // namespace

HookVerdict refuse(std::string_view message) {
    return {false, printable(message)};
}

std::expected<SecretReader, HookStep> read_secret(const Transition& transition,
                                                  const Learnt& learnt, const std::string& name) {
    const auto secret = api::read_secret(transition.ns, learnt, name);
    if (secret) return *secret;
    if (const auto* failed = std::get_if<Error>(&secret.error())) {
        return std::unexpected<HookStep>(refuse(failed->message));
    }
    return std::unexpected<HookStep>(std::get<NeedSecret>(secret.error()));
}

bool is_built_in(std::string_view name) {
    return built_in(name) != nullptr;
}

bool needs_pods(const std::string& name) {
    const BuiltIn* hook = built_in(name);
    return !hook || hook->needs_pods;
}

When when_of(const HookCatalogue& catalogue, const std::string& name) {
    if (const BuiltIn* hook = built_in(name)) return hook->when;
    const auto declared = catalogue.external.find(name);
    const bool is_usable = declared != catalogue.external.end() && declared->second;
    return is_usable ? declared->second->when : When::Ready;
}

Result<void> find_hook(const HookCatalogue& catalogue, const std::string& name) {
    if (is_built_in(name)) return {};
    const auto declared = catalogue.external.find(name);
    if (declared == catalogue.external.end()) {
        return failure(ErrorKind::NotFound, "there is no hook " + quoted(name) +
                                                "; the hooks are: " + known_names(catalogue));
    }
    if (!declared->second) return std::unexpected(declared->second.error());
    return {};
}

HookStep next_step(const HookCatalogue& catalogue, const Transition& transition,
                   const Learnt& learnt) {
    if (const BuiltIn* hook = built_in(transition.hook)) return hook->next(transition, learnt);
    if (const Result<void> found = find_hook(catalogue, transition.hook); !found) {
        return refuse(found.error().message);
    }
    return external(*catalogue.external.at(transition.hook), transition, learnt);
}

}  // namespace sluice::api::hooks
