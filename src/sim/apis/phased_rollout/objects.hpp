// PhasedRollouts, as people make and change them.
#pragma once

#include "sim/world/world.hpp"

namespace sluice::sim::phased_rollout {

inline constexpr const char* rollouts = "phasedrollouts.sts.plus";
inline constexpr const char* finalizer = "sts.plus/finalizer";

std::span<const WordField> fields();
// What is left out is as in the example of the document.
Response create(World& world, const RolloutOptions& rollout);
// One field of the spec; "none" takes it away.
Response change(World& world, const std::string& ns, const std::string& name,
                const std::string& field, const std::string& value);

}  // namespace sluice::sim::phased_rollout
