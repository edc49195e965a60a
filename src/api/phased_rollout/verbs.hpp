// What people read about rollouts of the PhasedRollout API, and what each verb does to one.
#pragma once

#include "api/verb.hpp"

namespace sluice::api::phased_rollout {

extern const Dialect dialect;

}  // namespace sluice::api::phased_rollout
