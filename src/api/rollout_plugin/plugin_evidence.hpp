// What a plugin outside of the operator said last about a workload, and what it is asked next. An
// answer counts only for the probe that it was given to: the RolloutPlugin with its spec, the
// plugin, the rollout and its revision, and the weight.
#pragma once

#include <optional>
#include <string>

#include "api/rollout_plugin/plugin.hpp"
#include "api/rollout_plugin/spec.hpp"
#include "engine/probe.hpp"
#include "engine/snapshot.hpp"
#include "engine/weight_lever.hpp"

namespace sluice::api::rollout_plugin {

class PluginEvidence final : public engine::WeightPlugin {
  public:
    PluginEvidence(const engine::Snapshot& seen, const model::CustomObject& object,
                   const Spec& spec, const PluginAddress& plugin);

    // What any probe of this RolloutPlugin brought last; null: nothing, or an error.
    const ResourceStatus* status() const;

    std::string title() const override { return "Plugin " + spec_.plugin.name; }
    std::optional<engine::WeightReality> reality() const override;
    std::string error() const override { return last_ ? last_->error : std::string{}; }
    std::optional<engine::WeightObservation> observed(
        const engine::WeightGoal& goal) const override;
    Instant at() const override { return at_; }
    // A change is asked for again with every probe until it is there: the plugin may have been
    // restarted.
    engine::Probe probe(const engine::WeightGoal& goal, bool inits) const override;

  private:
    std::string key(const engine::WeightGoal& goal) const;
    bool is_there(const engine::WeightGoal& goal) const;

    const model::CustomObject& object_;
    const Spec& spec_;
    const PluginAddress& plugin_;
    std::string about_;  // what every key begins with
    std::string last_key_;
    std::optional<PluginObservation> last_;
    Instant at_{};
};

}  // namespace sluice::api::rollout_plugin
