// The Secrets of a hook, from the StatefulSet's namespace.
#pragma once

#include <expected>
#include <string>

#include "api/inquiry/secrets.hpp"
#include "api/pilot/hooks/hook.hpp"

namespace sluice::api::pilot {

// Instead of the Secret, the step that must come first: to fetch it, or to refuse because it could
// not be fetched.
std::expected<SecretReader, HookStep> read_secret(const Transition& transition,
                                                  const Learnt& learnt, const std::string& name);

}  // namespace sluice::api::pilot
