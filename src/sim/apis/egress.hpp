// The world outside of the cluster, as far as operators reach it: the wire that all APIs share, and
// what each API has behind it, one line each.
#pragma once

#include "sim/apis/analysis/measurements.hpp"
#include "sim/apis/pilot/hooks.hpp"
#include "sim/apis/rollout_plugin/plugin_world.hpp"
#include "sim/world/wire.hpp"

namespace sluice::sim {

class Egress : public Wire, public pilot::Hooks, public analysis::Measurements {
  public:
    explicit Egress(const ApiServer& api)
        : Wire(api),
          Hooks(static_cast<const Wire&>(*this)),
          Measurements(static_cast<const Wire&>(*this)) {}
    Egress(const Egress&) = delete;
    Egress& operator=(const Egress&) = delete;

    using Hooks::ask;
    using Measurements::ask;
    using Wire::ask;

    rollout_plugin::PluginWorld plugins;  // at every address of a plugin
};

}  // namespace sluice::sim
