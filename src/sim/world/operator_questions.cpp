// The questions of an operator, whatever they are about: each API says how its own are asked.
#include "api/registry.hpp"
#include "base/assert.hpp"
#include "sim/world/operator_host.hpp"

namespace sluice::sim {

void OperatorHost::ask(const controller::Ask& effect, Access access, const api::Inquiry& inquiry) {
    const controller::Ticket ticket = effect.ticket;
    asking_[ticket] = true;
    const auto unanswered = [inquiry](const std::string& why) {
        return Played{inquiry.give_up({ErrorKind::Timeout, why})};
    };
    auto played = std::make_shared<Played>(unanswered("no answer"));
    const auto said = [this, ticket](const Played& one) {
        if (!asking_.erase(ticket)) return;
        one.heard();
        step(controller::Answered{ticket, one.said});
    };
    exchange(
        access,
        [this, played, effect, inquiry] {
            // Taken back before it left?
            if (asking_.contains(effect.ticket))
                *played =
                    egress_.play(*effect.question, inquiry, cluster_.now(), options_.identity);
        },
        [this, played, said] {
            const Duration thinking = egress_.thinking_time();
            if (thinking > 0ms) return later(thinking, [played, said] { said(*played); });
            said(*played);
        },
        [unanswered, said](const runtime::RequestFailure& failed) {
            said(unanswered(failed.message));
        });
}

void OperatorHost::run_one(controller::Ask&& effect) {
    for (const api::Api& one : api::apis()) {
        if (!one.asks.begin) continue;
        const auto inquiry = one.asks.begin(*effect.question, {effect.ns, egress_.metric_hosts});
        if (inquiry) return ask(effect, one.asks.may_act ? Access::Write : Access::Read, *inquiry);
    }
    SLUICE_ASSERT(false);  // a question that nobody can ask
}

void OperatorHost::run_one(controller::CancelQuestion&& effect) {
    asking_.erase(effect.ticket);
}

}  // namespace sluice::sim
