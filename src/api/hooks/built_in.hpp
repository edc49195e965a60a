// The hooks themselves, as next_step() calls them. Each is a pure function from what is known to
// what to ask next; adding one is a file of its own and one line in registry.cpp.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "api/hooks/hook.hpp"
#include "api/inquiry/secrets.hpp"

namespace sluice::api::hooks {

HookStep noop(const Transition& transition, const Learnt& learnt);
HookStep elasticsearch(const Transition& transition, const Learnt& learnt);
HookStep external(const ExternalHook& hook, const Transition& transition, const Learnt& learnt);

bool is_built_in(std::string_view name);

// A Secret of a hook, from the StatefulSet's namespace. Instead of it, the step that must come
// first: to fetch it, or to refuse because it could not be fetched.
std::expected<SecretReader, HookStep> read_secret(const Transition& transition,
                                                  const Learnt& learnt, const std::string& name);

}  // namespace sluice::api::hooks
