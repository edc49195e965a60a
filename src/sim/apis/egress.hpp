// The world outside of the cluster, as far as operators reach it: the services that all APIs share,
// and what each API has beside them, one line each.
#pragma once

#include "sim/apis/analysis/measurements.hpp"
#include "sim/apis/pilot/hooks.hpp"
#include "sim/apis/rollout_plugin/plugin_world.hpp"
#include "sim/world/services.hpp"

namespace sluice::sim {

class Egress : public Services, public pilot::Hooks, public analysis::Measurements {
  public:
    explicit Egress(const ApiServer& api)
        : Services(api),
          Hooks(static_cast<const Services&>(*this)),
          Measurements(static_cast<const Services&>(*this)) {}
    Egress(const Egress&) = delete;
    Egress& operator=(const Egress&) = delete;

    using Hooks::ask;
    using Measurements::ask;
    using Services::ask;

    rollout_plugin::PluginWorld plugins;  // at every address of a plugin
};

}  // namespace sluice::sim
