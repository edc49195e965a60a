// What the pilot promises of hooks: they are asked before every step, and what they say counts.
#include <fmt/format.h>

#include "sim/api/state.hpp"
#include "sim/apis/hooks/hooks.hpp"
#include "sim/apis/pilot/api.hpp"
#include "sim/promises/promise.hpp"

namespace sluice::sim::pilot {
namespace {

constexpr Duration age_max = 80s;  // 60 s, and the time of the requests

bool is_ours(const SetWrite& step) {
    const Api* api = api_of_claim(text_at(step.now(), claim_at));
    return step.read && api && api->name == "pilot";
}

// The last answer to the very transition of a step, of these very pods; null: there was none.
const hooks::HookCall* last_answer(const SetWrite& step, const Egress& egress) {
    const json::object& set = step.read->set->object();
    const std::int64_t index = partition_of(step.now());
    const auto uid_at = [&](std::int64_t which) -> std::string {
        const json::object* pod = named(step.read->pods, pod_at(set, which));
        return pod ? uid_in(*pod) : "nil";
    };
    const bool is_first = index + 1 >= number_at(set, "/spec/replicas");
    const std::string key =
        fmt::format("{}/{}/{}/{}", uid_in(set), text_at(set, "/status/updateRevision"),
                    is_first ? "nil" : uid_at(index + 1), uid_at(index));
    const hooks::HookCall* last = nullptr;
    for (const hooks::HookCall& call : egress.of<hooks::Hooks>().calls())
        if (call.key == key) last = &call;
    return last;
}

// S1: the hook's last answer was yes.
void hook_allowed(const Promise& promise, const SetWrite& step) {
    if (!is_ours(step)) return;
    promise.tested();
    const hooks::HookCall* last = last_answer(step, promise.in.egress);
    if (last && !last->allowed)
        promise.broken("the gate of {} was lowered though the hook had refused last",
                       step.change.place.name);
}

// S6: it was given to this very transition, and lately.
void hook_was_asked(const Promise& promise, const SetWrite& step) {
    if (!is_ours(step)) return;
    promise.tested();
    const hooks::HookCall* last = last_answer(step, promise.in.egress);
    if (!last)
        promise.broken("no hook was asked about this transition of {}", step.change.place.name);
    else if (last->allowed && promise.now() - last->at > age_max)
        promise.broken("the gate was lowered on an approval that is too old");
}

constexpr Rule<> rules[] = {
    {.name = "S1", .on_step = hook_allowed},
    {.name = "S6", .on_step = hook_was_asked},
};

}  // namespace

void promises(Observers& all, const Inspection& inspection) {
    add(all, rules, inspection);
}

}  // namespace sluice::sim::pilot
