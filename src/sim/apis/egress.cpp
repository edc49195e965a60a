#include "sim/apis/egress.hpp"

#include "sim/apis/registry.hpp"

namespace sluice::sim {

Egress::Egress(const ApiServer& api) : Services(api) {
    for (const Api& one : apis())
        if (one.service) own_.push_back(one.service());
}

Played Egress::play(const engine::Question& question, const api::Inquiry& inquiry, Instant now,
                    const std::string& asker) {
    const auto serve = [&](const api::Ask& ask) {
        for (const auto& one : own_)
            if (auto said = one->answer(question)) return std::move(*said);
        return web.answer(ask);
    };
    const auto call = [&](const api::PluginCall& asked) -> Result<api::PluginAnswer> {
        for (const auto& one : own_)
            if (auto said = one->call(asked, now)) return std::move(*said);
        return failure(ErrorKind::NotFound, "there is no plugin");
    };
    const api::Said said = carry_out(inquiry, now, serve, call);
    for (const auto& one : own_)
        one->note(question, *said, now);
    const auto check = Services::note(question, *said, inquiry.ns, now, asker);
    if (!check) return {said};
    return {said, [this, check = *check] { heard(check); }};
}

}  // namespace sluice::sim
