// The row of ExtendedJob, which runs Jobs and moves no pods.
#pragma once

#include "sim/apis/registry.hpp"

namespace sluice::sim::extended_job {

Api row();

// What the row is made of.
void promises(Observers& all, const Inspection& inspection);
extern const RandomPart random_part;

}  // namespace sluice::sim::extended_job
