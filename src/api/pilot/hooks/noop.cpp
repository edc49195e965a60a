#include "api/pilot/hooks/built_in.hpp"

namespace sluice::api::pilot {

// Allows every transition: the pods are still updated one by one, each waited for.
HookStep noop(const Transition&, const Learnt&) {
    return HookVerdict{true, ""};
}

}  // namespace sluice::api::pilot
