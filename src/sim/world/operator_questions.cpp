// The questions of an operator: to hooks, to Prometheus, to web servers and to plugins.
#include <fmt/format.h>

#include "base/assert.hpp"
#include "sim/world/operator_host.hpp"

namespace sluice::sim {

using api::analysis::MeasurementAnswer;
using api::analysis::NotMeasured;

namespace {

using engine::answer_of;
using engine::opened;
using Said = std::shared_ptr<const engine::Answer>;

// What becomes of a question that never came back, as in production.
Said unanswered(const api::pilot::HookCall&, const std::string&) {
    return answer_of(api::pilot::HookVerdict{false, "the hook did not answer"});
}
Said unanswered(const engine::MetricQuery&, const std::string& why) {
    return answer_of(api::metrics::to_answer(api::metrics::unknown(why)));
}
Said unanswered(const api::analysis::Question& question, const std::string& why) {
    return answer_of(MeasurementAnswer{question.key, NotMeasured{why}, {}});
}
Said unanswered(const api::rollout_plugin::PluginProbe&, const std::string& why) {
    return answer_of(api::rollout_plugin::PluginObservation{.error = why});
}

Access access_of(const api::pilot::HookCall&) {
    return Access::Write;
}
Access access_of(const engine::MetricQuery&) {
    return Access::Read;
}
Access access_of(const api::analysis::Question&) {
    return Access::Read;
}
Access access_of(const api::rollout_plugin::PluginProbe&) {
    return Access::Write;
}

}  // namespace

OperatorHost::Played OperatorHost::play(const api::pilot::HookCall& call, const std::string&) {
    auto verdict = egress_.ask(*call.hooks, call.transition, cluster_.now());
    if (!verdict) verdict = {false, "the hook did not come to a verdict"};
    return {answer_of(std::move(*verdict))};
}

OperatorHost::Played OperatorHost::play(const engine::MetricQuery& query, const std::string& ns) {
    const auto reading = egress_.ask(query, ns, cluster_.now(), options_.identity);
    return {answer_of(to_answer(reading)),
            [this, call = egress_.metric_calls().size() - 1] { egress_.heard(call); }};
}

OperatorHost::Played OperatorHost::play(const api::analysis::Question& question,
                                        const std::string& ns) {
    return {answer_of(egress_.ask(question, ns, cluster_.now()))};
}

OperatorHost::Played OperatorHost::play(const api::rollout_plugin::PluginProbe& look,
                                        const std::string&) {
    return {answer_of(egress_.plugins.look(look, cluster_.now()))};
}

template <class What>
bool OperatorHost::ask(const controller::Ask& effect) {
    const What* what = opened<What>(*effect.question);
    if (!what) return false;
    const controller::Ticket ticket = effect.ticket;
    asking_[ticket] = true;
    auto played = std::make_shared<Played>(Played{unanswered(*what, "no answer")});
    const auto said = [this, ticket](const Played& one) {
        if (!asking_.erase(ticket)) return;
        one.heard();
        step(controller::Answered{ticket, one.said});
    };
    exchange(
        access_of(*what),
        [this, played, effect, what] {
            // Taken back before it left?
            if (asking_.contains(effect.ticket)) *played = play(*what, effect.ns);
        },
        [this, played, said] {
            const Duration thinking = egress_.thinking_time();
            if (thinking > 0ms) return later(thinking, [played, said] { said(*played); });
            said(*played);
        },
        [effect, what, said](const runtime::RequestFailure& failed) {
            said({unanswered(*what, failed.message)});
        });
    return true;
}

void OperatorHost::run_one(controller::Ask&& effect) {
    const bool is_known = ask<api::pilot::HookCall>(effect) || ask<engine::MetricQuery>(effect) ||
                          ask<api::analysis::Question>(effect) ||
                          ask<api::rollout_plugin::PluginProbe>(effect);
    SLUICE_ASSERT(is_known);
}

void OperatorHost::run_one(controller::CancelQuestion&& effect) {
    asking_.erase(effect.ticket);
}

}  // namespace sluice::sim
