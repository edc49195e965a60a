// The world outside of the cluster, as far as operators reach it: the wire that all APIs share, and
// what each API has behind it, one line each.
#pragma once

#include "sim/apis/pilot/hooks.hpp"
#include "sim/apis/rollout_plugin/plugin_world.hpp"
#include "sim/world/wire.hpp"

namespace sluice::sim {

// What came of a question, and what is done once it is heard.
struct Played {
    api::Said said;
    std::function<void()> heard = [] {};
};

class Egress : public Wire, public pilot::Hooks {
  public:
    explicit Egress(const ApiServer& api) : Wire(api) {}
    Egress(const Egress&) = delete;
    Egress& operator=(const Egress&) = delete;

    // A question that an operator asks, by the inquiry that its API makes of it.
    Played play(const engine::Question& question, const api::Inquiry& inquiry, Instant now,
                const std::string& asker = {});

    rollout_plugin::PluginWorld plugins;  // at every address of a plugin
};

}  // namespace sluice::sim
