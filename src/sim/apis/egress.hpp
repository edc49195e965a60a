// The world outside of the cluster, as far as operators reach it: the services that all APIs share,
// and what each API has beside them, one line each.
#pragma once

#include "sim/apis/pilot/hooks.hpp"
#include "sim/apis/rollout_plugin/plugin_world.hpp"
#include "sim/world/services.hpp"

namespace sluice::sim {

// What came of a question, and what is done once it is heard.
struct Played {
    api::Said said;
    std::function<void()> heard = [] {};
};

class Egress : public Services, public pilot::Hooks {
  public:
    explicit Egress(const ApiServer& api) : Services(api) {}
    Egress(const Egress&) = delete;
    Egress& operator=(const Egress&) = delete;

    // A question that an operator asks, by the inquiry that its API makes of it.
    Played play(const engine::Question& question, const api::Inquiry& inquiry, Instant now,
                const std::string& asker = {});

    rollout_plugin::PluginWorld plugins;  // at every address of a plugin
};

}  // namespace sluice::sim
