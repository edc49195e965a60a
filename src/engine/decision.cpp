#include "engine/decision.hpp"

namespace sluice::engine {

const char* to_text(Phase phase) {
    constexpr const char* names[] = {"Idle", "Waiting", "Rolling", "Held", "Blocked"};
    return names[static_cast<std::size_t>(phase)];
}

}  // namespace sluice::engine
