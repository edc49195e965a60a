#include "api/rollout_plugin/plugin.hpp"

namespace sluice::api::rollout_plugin {

std::optional<PluginMethod> next_method(const PluginQuestion& question, const PluginTalk& so_far) {
    using enum PluginMethod;
    if (!so_far.observation.error.empty()) return std::nullopt;
    if (!so_far.last) return question.inits ? Init : GetResourceStatus;
    if (so_far.last == Init) return GetResourceStatus;
    const bool is_for_this = !question.revision.empty() &&
                             so_far.observation.status.updated_revision == question.revision;
    if (!is_for_this || so_far.last == VerifyWeight) return std::nullopt;
    if (so_far.last == GetResourceStatus && question.act) return question.act;
    return question.verifies ? std::optional{VerifyWeight} : std::nullopt;
}

void take_answer(PluginTalk& so_far, PluginMethod method, const Result<PluginAnswer>& answer) {
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

Move next_move(const PluginQuestion& question, const Learnt& learnt) {
    PluginTalk so_far;
    auto answer = learnt.calls.begin();
    while (const auto method = next_method(question, so_far)) {
        if (answer == learnt.calls.end()) {
            PluginCall call = question.call;
            call.method = *method;
            return call;
        }
        take_answer(so_far, *method, *answer++);
    }
    return engine::answer_of(std::move(so_far.observation));
}

}  // namespace

std::optional<Inquiry> inquire(const engine::Question& question, const Asking& asking) {
    const auto* ours = engine::opened<PluginQuestion>(question);
    if (!ours) return std::nullopt;
    return Inquiry{asking.ns, plugin_bounds.deadline,
                   [asked = *ours](const Learnt& learnt) { return next_move(asked, learnt); },
                   [](const Error& error) {
                       return engine::answer_of(PluginObservation{.error = error.message});
                   }};
}

}  // namespace sluice::api::rollout_plugin
