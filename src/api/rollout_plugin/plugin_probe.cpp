#include "api/rollout_plugin/plugin_probe.hpp"

namespace sluice::api::rollout_plugin {

std::optional<PluginMethod> next_method(const PluginProbe& look, const ProbeSoFar& so_far) {
    using enum PluginMethod;
    if (!so_far.observation.error.empty()) return std::nullopt;
    if (!so_far.last) return look.inits ? Init : GetResourceStatus;
    if (so_far.last == Init) return GetResourceStatus;
    const bool is_for_this =
        !look.revision.empty() && so_far.observation.status.updated_revision == look.revision;
    if (!is_for_this || so_far.last == VerifyWeight) return std::nullopt;
    if (so_far.last == GetResourceStatus && look.act) return look.act;
    return look.verifies ? std::optional{VerifyWeight} : std::nullopt;
}

void take_answer(ProbeSoFar& so_far, PluginMethod method, const Result<PluginAnswer>& answer) {
    using enum PluginMethod;
    so_far.last = method;
    PluginObservation& observation = so_far.observation;
    if (!answer) {
        observation = {.error = answer.error().message.empty() ? "no reason was given"
                                                               : answer.error().message};
    } else if (method == GetResourceStatus) {
        observation.status = answer->status;
    } else if (method == VerifyWeight) {
        observation.verified = answer->verified;
        observation.message = answer->message;
    }
}

namespace {

Move next_move(const PluginProbe& look, const Learnt& learnt) {
    ProbeSoFar so_far;
    auto answer = learnt.calls.begin();
    while (const auto method = next_method(look, so_far)) {
        if (answer == learnt.calls.end()) {
            PluginCall call = look.call;
            call.method = *method;
            return call;
        }
        take_answer(so_far, *method, *answer++);
    }
    return engine::answer_of(std::move(so_far.observation));
}

}  // namespace

std::optional<Inquiry> inquire(const engine::Question& question, const Asking& asking) {
    const auto* look = engine::opened<PluginProbe>(question);
    if (!look) return std::nullopt;
    return Inquiry{asking.ns, plugin_bounds.deadline,
                   [look = *look](const Learnt& learnt) { return next_move(look, learnt); },
                   [](const Error& error) {
                       return engine::answer_of(PluginObservation{.error = error.message});
                   }};
}

}  // namespace sluice::api::rollout_plugin
