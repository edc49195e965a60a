// The custom resources that Sluice serves, in a simulated cluster: the definitions that this binary
// carries, as somebody installs them who applies `sluice manifests crds`.
#pragma once

#include "sim/actors/cluster.hpp"

namespace sluice::sim {

void install_definitions(Cluster& cluster);

}  // namespace sluice::sim
