#include "sim/apis/pilot/hooks.hpp"

#include <algorithm>

namespace sluice::sim::pilot {

using namespace api;
using namespace api::pilot;

namespace {

std::string name_or_nil(const std::optional<HookPod>& pod) {
    return pod ? pod->name : "nil";
}

bool fits(const HookRule& rule, const std::string& hook, const std::string& next) {
    return rule.hook == hook && (rule.next.empty() || rule.next == next);
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

void Hooks::fetch(std::optional<HookPod>& pod, const std::string& ns) const {
    if (!pod) return;
    const ObjectPtr found = services_.api().find("pods", ns, pod->name);
    if (!found || text_at(found->object(), "/metadata/uid") != pod->uid) return;
    pod->ip = text_at(found->object(), "/status/podIP");
    pod->json = found->text();
}

Result<Answer> Hooks::answer(const std::string& hook, const std::string& next) const {
    using Says = HookRule::Says;
    const auto rule =
        std::ranges::find_if(rules_, [&](const HookRule& one) { return fits(one, hook, next); });
    const Says says = rule == rules_.end() ? Says::Allow : rule->says;
    const std::string message = rule == rules_.end() ? "" : rule->message;
    const json::object refusal{{"allowed", false}, {"message", message}};
    if (says == Says::Refuse) return Answer{200, "application/json", json::serialize(refusal)};
    if (says == Says::Rubbish) return Answer{200, "application/json", "{\"allowed\": \"perhaps\""};
    if (says == Says::Fail) return Answer{503, "text/plain", "out of order"};
    if (says == Says::Hang) return failure(ErrorKind::Timeout, "no answer within the deadline");
    return Answer{200, "application/json", "{\"allowed\": true}"};
}

std::optional<HookVerdict> Hooks::ask(const HookCatalogue& hooks, Transition transition,
                                      Instant now) {
    if (needs_pods(transition.hook)) {
        fetch(transition.prev, transition.ns);
        fetch(transition.next, transition.ns);
    }
    HookCall call{now,
                  transition.idempotency_key,
                  transition.ns,
                  transition.statefulset,
                  name_or_nil(transition.prev),
                  name_or_nil(transition.next)};
    auto verdict = services_.inquire<HookVerdict>(
        transition.ns, now,
        [&](const Learnt& learnt) { return next_step(hooks, transition, learnt); },
        [&](const Ask&) { return answer(transition.hook, call.next); });
    call.answered = verdict.has_value();
    call.allowed = verdict && verdict->allowed;
    calls_.push_back(call);
    return verdict;
}

}  // namespace sluice::sim::pilot
