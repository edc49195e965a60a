#include "engine/reason.hpp"

namespace sluice::engine {
namespace {

constexpr ReasonEntry table[] = {
#define X(name, tone, meaning, unblock) {#name, meaning, unblock, Reason::name, Tone::tone},
    SLUICE_REASONS(X)
#undef X
};

}  // namespace

std::span<const ReasonEntry> reasons() {
    return table;
}

const ReasonEntry& entry(Reason reason) {
    return table[static_cast<std::size_t>(reason)];
}

}  // namespace sluice::engine
