// The heart: where a plan stands, and whether it may go on.
#pragma once

#include <variant>

#include "engine/plan.hpp"
#include "engine/standing.hpp"
#include "engine/verdict.hpp"

namespace sluice::engine {

// All gates passed: expose this many pods.
struct TakeStep {
    PodCount target;
    int place;
};
// Every step is taken and every gate behind the last one has passed.
struct Finished {};

using Advance = std::variant<TakeStep, Finished, Hold, Fail>;

// `exposed` is how many units the lever exposes now; it says which steps are behind us. Steps must
// be in the order of their targets.
Advance advance(const Plan& plan, PodCount exposed, const Standing& standing, Instant now);

}  // namespace sluice::engine
