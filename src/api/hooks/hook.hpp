// A hook is asked between two pod updates whether the next one may go. It is a pure function: given
// the transition and all answers so far, it says what to ask next, or gives its verdict. The probe
// layer below the line does the asking. A hook that cannot tell refuses; silence is never consent.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "api/inquiry/inquiry.hpp"
#include "api/settings.hpp"

namespace sluice::api::hooks {

inline constexpr std::string_view config_map = "sluice-hooks";  // where hooks are declared

struct HookPod {
    std::string name;
    std::string uid;
    std::string ip;    // status.podIP; may be empty
    std::string json;  // the whole pod, as the API server gave it, without managedFields
};

// prev is the pod updated last (none at the start), next the one about to go (none at the end).
struct Transition {
    std::string hook;
    std::string ns;
    std::string workload;
    std::map<std::string, std::string> annotations;  // of the workload: its own hook settings
    std::optional<HookPod> prev;
    std::optional<HookPod> next;
    std::string idempotency_key;
    std::string kind = "statefulset";  // of the workload; external hooks find its name under it
};

// For status and event: the message is capped, without control characters and without secrets.
using HookVerdict = engine::HookAnswer;
using HookStep = Step<HookVerdict>;

// "No", and why. The message is made printable.
HookVerdict refuse(std::string_view message);

// When a hook wants to be asked about the next pod. Either way no pod goes before all are ready.
enum class When : std::uint8_t {
    Ready,    // once all pods are ready
    Running,  // as soon as those that were updated run: they may need the hook to become ready
};

// One external hook, declared in the ConfigMap `sluice-hooks`.
struct ExternalHook {
    std::string url;
    Duration timeout = 10s;
    std::string ca_secret;       // key ca.crt
    std::string headers_secret;  // each key a header name, each value its value
    When when = When::Ready;
    friend bool operator==(const ExternalHook&, const ExternalHook&) = default;
};

// The hooks that exist right now: the built-in ones and those of the ConfigMap. A broken entry is
// kept with its error, so that whoever uses it is told what is wrong.
struct HookCatalogue final : engine::OwnSettings {
    std::map<std::string, Result<ExternalHook>> external;
};

// What the operator is asked for.
struct HookCall {
    Transition transition;  // pods by name and UID; their bodies are fetched on the way
    std::shared_ptr<const HookCatalogue> hooks;
};

// Reads the data of the ConfigMap `sluice-hooks`: name -> YAML text. Never fails as a whole.
HookCatalogue read_catalogue(const std::map<std::string, std::string>& data);
Settings read_settings(const std::map<std::string, std::string>& data);

// Is there a hook of this name? An Error says why not: unknown (with the names that exist), or
// declared but broken (with the field).
Result<void> find_hook(const HookCatalogue& catalogue, const std::string& name);

When when_of(const HookCatalogue& catalogue, const std::string& name);

// Whether the hook looks at the pods themselves, so that they must be fetched before it is asked.
bool needs_pods(const std::string& name);

// How a HookCall is asked.
inline constexpr InquiryBounds hook_bounds{
    .calls_max = 64, .per_namespace_max = 8, .first_places = 32};
std::optional<Inquiry> inquire(const engine::Question& question, const Asking& asking);

// The next step of the named hook in this transition.
HookStep next_step(const HookCatalogue& catalogue, const Transition& transition,
                   const Learnt& learnt);

}  // namespace sluice::api::hooks
