// What people read about rollouts of the pilot API, and what each verb does to one.
#pragma once

#include "api/verb.hpp"

namespace sluice::api::pilot {

extern const Dialect dialect;

}  // namespace sluice::api::pilot
