#include "sim/world/egress.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/analysis/inquire.hpp"
#include "api/metrics/prometheus.hpp"
#include "base/base64.hpp"

namespace sluice::sim {

using namespace api;
using namespace api::pilot;

namespace {

// More steps than any hook takes: whoever needs more goes in circles.
constexpr int steps_max = 32;

std::string name_or_nil(const std::optional<HookPod>& pod) {
    return pod ? pod->name : "nil";
}

bool fits(const HookRule& rule, const std::string& hook, const std::string& next) {
    return rule.hook == hook && (rule.next.empty() || rule.next == next);
}

}  // namespace

void Egress::set_rule(HookRule rule) {
    std::erase_if(rules_, [&](const HookRule& one) {
        return one.hook == rule.hook && (rule.next.empty() || one.next == rule.next);
    });
    // What speaks of one pod comes before what speaks of all.
    rules_.insert(rule.next.empty() ? rules_.end() : rules_.begin(), std::move(rule));
}

void Egress::forget_rules(const std::string& hook) {
    std::erase_if(rules_, [&](const HookRule& one) { return one.hook == hook; });
}

void Egress::fetch(std::optional<HookPod>& pod, const std::string& ns) const {
    if (!pod) return;
    const ObjectPtr found = api_.find("pods", ns, pod->name);
    if (!found || text_at(found->object(), "/metadata/uid") != pod->uid) return;
    pod->ip = text_at(found->object(), "/status/podIP");
    pod->json = found->text();
}

Result<Secret> Egress::secret(const std::string& ns, const std::string& name) const {
    const ObjectPtr found = api_.find("secrets", ns, name);
    if (!found)
        return failure(ErrorKind::NotFound, fmt::format("there is no Secret {}/{}", ns, name));
    Secret secret;
    for (const auto& [key, value] : object_at(found->object(), "/data"))
        if (auto plain = decode_base64(text_at(object_at(found->object(), "/data"), key)))
            secret.data[std::string{key}] = std::move(*plain);
    for (const auto& [key, value] : object_at(found->object(), "/metadata/annotations"))
        if (key.starts_with("sluice.dev/") && value.is_string())
            secret.annotations.emplace(key, value.get_string());
    return secret;
}

Result<Answer> Egress::answer(const std::string& hook, const std::string& next) const {
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

std::optional<HookVerdict> Egress::ask(const HookCatalogue& hooks, Transition transition,
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
    Learnt learnt;
    for (int step = 0; step < steps_max; ++step) {
        HookStep next = next_step(hooks, transition, learnt);
        if (auto* verdict = std::get_if<HookVerdict>(&next)) {
            call.answered = true;
            call.allowed = verdict->allowed;
            calls_.push_back(call);
            return std::move(*verdict);
        }
        if (auto* need = std::get_if<NeedSecret>(&next))
            learnt.secrets.emplace(need->name, secret(transition.ns, need->name));
        else if (const Ask& ask = std::get<Ask>(next); ask.url.contains("/api/v1/query"))
            learnt.answers.push_back(prometheus.answer(ask, now));
        else
            learnt.answers.push_back(answer(transition.hook, call.next));
    }
    calls_.push_back(call);
    return std::nullopt;
}

// Goes through an inquiry, step by step; nothing if it goes in circles.
template <class Outcome, class Next>
std::optional<Outcome> Egress::inquire(const std::string& ns, Instant now, Next next_step) const {
    Learnt learnt;
    for (int step = 0; step < steps_max; ++step) {
        Step<Outcome> next = next_step(learnt);
        if (auto* outcome = std::get_if<Outcome>(&next)) return std::move(*outcome);
        if (auto* need = std::get_if<NeedSecret>(&next))
            learnt.secrets.emplace(need->name, secret(ns, need->name));
        else if (const Ask& ask = std::get<Ask>(next); ask.url.contains("/api/v1/query"))
            learnt.answers.push_back(prometheus.answer(ask, now));
        else
            learnt.answers.push_back(web.answer(ask));
    }
    return std::nullopt;
}

metrics::MetricReading Egress::ask(const engine::MetricQuery& query, const std::string& ns,
                                   Instant now, const std::string& asker) {
    auto reading = inquire<metrics::MetricReading>(ns, now, [&](const Learnt& learnt) {
        return metrics::ask_prometheus(query, ns, metric_hosts, learnt);
    });
    if (!reading) reading = metrics::unknown("the question went in circles");
    metric_calls_.push_back({now, ns, query, *reading, asker});
    return std::move(*reading);
}

analysis::MeasurementAnswer Egress::ask(const analysis::Question& question, const std::string& ns,
                                        Instant now) {
    const auto found = inquire<analysis::Finding>(ns, now, [&](const Learnt& learnt) {
        if (const auto* page = std::get_if<analysis::WebQuestion>(&question.what))
            return analysis::inquire(*page, ns, metric_hosts, learnt);
        return analysis::inquire(std::get<analysis::PrometheusQuestion>(question.what), ns,
                                 metric_hosts, learnt);
    });
    analysis::MeasurementAnswer answer{
        question.key, analysis::NotMeasured{"the question went in circles"}, {}};
    if (found) std::visit([&](const auto& what) { answer.what = what; }, *found);
    measurements_.push_back({now, ns, answer});
    return answer;
}

}  // namespace sluice::sim
