#include "api/pilot/hooks/hook_secrets.hpp"

namespace sluice::api::pilot {

std::expected<SecretReader, HookStep> read_secret(const Transition& transition,
                                                  const Learnt& learnt, const std::string& name) {
    const auto secret = api::read_secret(transition.ns, learnt, name);
    if (secret) return *secret;
    if (const auto* failed = std::get_if<Error>(&secret.error())) {
        return std::unexpected<HookStep>(refuse(failed->message));
    }
    return std::unexpected<HookStep>(std::get<NeedSecret>(secret.error()));
}

}  // namespace sluice::api::pilot
