#include "engine/side_by_side_lever.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::engine {

bool SideBySideLever::asks_for_retry() const {
    return versions_.tries_again || MembersLever::asks_for_retry();
}

std::ptrdiff_t SideBySideLever::updated_pods() const {
    return std::ranges::count_if(
        seen_.pods, [&](const model::Pod& pod) { return pod.revision == standing().updated; });
}

// The next attempt begins with fresh pods.
std::optional<Decision> SideBySideLever::take_back(const Memory&) const {
    if (versions_.keeps_failed || updated_pods() == 0) return std::nullopt;
    return wait(Phase::Held, Reason::RollingBack,
                fmt::format("Waiting for the pods of {} to be gone.", standing().updated));
}

// Those that stayed behind from the attempt before.
std::optional<Decision> SideBySideLever::unsure() const {
    if (standing().exposed.value > 0 || updated_pods() == 0) return std::nullopt;
    return wait(Phase::Waiting, Reason::PodsNotReady,
                fmt::format("Waiting for the pods of {} to be gone that were tried before.",
                            standing().updated));
}

Lever::StepText SideBySideLever::step_text(const TakeStep& step) const {
    const Standing& at = standing();
    return {{Phase::Rolling,
             Reason::PodsNotReady,
             fmt::format("Waiting for {} of {} pods of {} to be ready.", step.target.value,
                         at.units.value, at.updated),
             {}},
            fmt::format("{} of {} pods of {} may be made.", step.target.value, at.units.value,
                        at.updated)};
}

std::string SideBySideLever::completed_text() const {
    return fmt::format("All {} pods of {} are ready; the version before it goes.",
                       standing().units.value, standing().updated);
}

std::string SideBySideLever::returning_text() const {
    return fmt::format("The pods of {} go again; {} goes on.", standing().updated,
                       standing().current);
}

std::string SideBySideLever::returned_text() const {
    return fmt::format("{} failed, and {} goes on.", standing().updated, standing().current);
}

}  // namespace sluice::engine
