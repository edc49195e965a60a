#include "sim/apis/hooks/hooks.hpp"

#include <algorithm>

namespace sluice::sim::hooks {

using namespace api;
using namespace api::hooks;

namespace {

std::string name_or_nil(const std::optional<HookPod>& pod) {
    return pod ? pod->name : "nil";
}

}  // namespace

void Hooks::set_rule(HookRule rule) {
    std::erase_if(rules_, [&](const HookRule& one) {
        return one.hook == rule.hook && (rule.next.empty() || one.next == rule.next);
    });
    // What speaks of one pod comes before what speaks of all.
    rules_.insert(rule.next.empty() ? rules_.end() : rules_.begin(), std::move(rule));
}

void Hooks::forget_rules(const std::string& hook) {
    std::erase_if(rules_, [&](const HookRule& one) { return one.hook == hook; });
}

Result<Answer> Hooks::answer_to(const std::string& hook, const std::string& next) const {
    using Says = HookRule::Says;
    const auto rule = std::ranges::find_if(rules_, [&](const HookRule& one) {
        return one.hook == hook && (one.next.empty() || one.next == next);
    });
    const Says says = rule == rules_.end() ? Says::Allow : rule->says;
    const std::string message = rule == rules_.end() ? "" : rule->message;
    const json::object refusal{{"allowed", false}, {"message", message}};
    if (says == Says::Refuse) return Answer{200, "application/json", json::serialize(refusal)};
    if (says == Says::Rubbish) return Answer{200, "application/json", "{\"allowed\": \"perhaps\""};
    if (says == Says::Fail) return Answer{503, "text/plain", "out of order"};
    if (says == Says::Hang) return failure(ErrorKind::Timeout, "no answer within the deadline");
    return Answer{200, "application/json", "{\"allowed\": true}"};
}

std::optional<Result<Answer>> Hooks::answer(const engine::Question& question) const {
    const auto* asked = engine::opened<api::hooks::HookCall>(question);
    if (!asked) return std::nullopt;
    return answer_to(asked->transition.hook, name_or_nil(asked->transition.next));
}

void Hooks::note(const engine::Question& question, const engine::Answer& said, Instant now) {
    const auto* asked = engine::opened<api::hooks::HookCall>(question);
    const auto* verdict = engine::opened<HookVerdict>(said);
    if (!asked || !verdict) return;
    const Transition& about = asked->transition;
    calls_.push_back({now, about.idempotency_key, about.workload, name_or_nil(about.prev),
                      name_or_nil(about.next), verdict->allowed});
}

}  // namespace sluice::sim::hooks
