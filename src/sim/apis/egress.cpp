#include "sim/apis/egress.hpp"

namespace sluice::sim {

Played Egress::play(const engine::Question& question, const api::Inquiry& inquiry, Instant now,
                    const std::string& asker) {
    const auto serve = [&](const api::Ask& ask) {
        auto of_hook = Hooks::answer(question);
        return of_hook ? std::move(*of_hook) : web.answer(ask);
    };
    const auto call = [&](const api::PluginCall& asked) { return plugins.answer(asked, now); };
    const api::Said said = carry_out(inquiry, now, serve, call);
    Hooks::note(question, *said, now);
    const auto check = Services::note(question, *said, inquiry.ns, now, asker);
    if (!check) return {said};
    return {said, [this, check = *check] { heard(check); }};
}

}  // namespace sluice::sim
