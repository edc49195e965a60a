// The hooks themselves, as next_step() calls them. Each is a pure function from what is known to
// what to ask next; adding one is a file of its own and one line in registry.cpp.
#pragma once

#include <string_view>

#include "api/pilot/hooks/hook.hpp"

namespace sluice::api::pilot {

HookStep noop(const Transition& transition, const Learnt& learnt);
HookStep elasticsearch(const Transition& transition, const Learnt& learnt);
HookStep external(const ExternalHook& hook, const Transition& transition, const Learnt& learnt);

bool is_built_in(std::string_view name);

}  // namespace sluice::api::pilot
