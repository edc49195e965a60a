// What people read about rollouts of the RolloutPlugin API, and what each verb does to one.
#pragma once

#include "api/verb.hpp"

namespace sluice::api::rollout_plugin {

extern const Dialect dialect;

}  // namespace sluice::api::rollout_plugin
