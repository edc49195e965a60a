#include "api/rollout_plugin/look.hpp"

namespace sluice::api::rollout_plugin {

std::optional<PluginMethod> next_method(const PluginLook& look, const LookSoFar& so_far) {
    using enum PluginMethod;
    if (!so_far.sight.error.empty()) return std::nullopt;
    if (!so_far.last) return look.inits ? Init : GetResourceStatus;
    if (so_far.last == Init) return GetResourceStatus;
    const bool is_for_this =
        !look.revision.empty() && so_far.sight.status.updated_revision == look.revision;
    if (!is_for_this || so_far.last == VerifyWeight) return std::nullopt;
    if (so_far.last == GetResourceStatus && look.act) return look.act;
    return look.verifies ? std::optional{VerifyWeight} : std::nullopt;
}

void take_answer(LookSoFar& so_far, PluginMethod method, const Result<PluginAnswer>& answer) {
    using enum PluginMethod;
    so_far.last = method;
    PluginSight& sight = so_far.sight;
    if (!answer) {
        sight = {.error = answer.error().message.empty() ? "no reason was given"
                                                         : answer.error().message};
    } else if (method == GetResourceStatus) {
        sight.status = answer->status;
    } else if (method == VerifyWeight) {
        sight.verified = answer->verified;
        sight.message = answer->message;
    }
}

}  // namespace sluice::api::rollout_plugin
