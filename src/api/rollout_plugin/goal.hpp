// What a look at a workload is for, and what the last one came to. An answer counts only for the
// look that it was given to: the RolloutPlugin with its spec, the plugin, the rollout and its
// revision, and the weight.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/rollout_plugin/plugin.hpp"
#include "api/rollout_plugin/spec.hpp"
#include "engine/probe.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api::rollout_plugin {

struct Goal {
    enum class What : std::uint8_t { Watch, Weigh, Promote, Return };
    What what = What::Watch;
    std::int64_t rollout = 0;
    std::string revision{};  // that is moved; empty: nothing is
    int weight = 0;
    bool restarts = false;  // of Weigh: the plugin forgets an abort first
};

class PluginEvidence {
  public:
    PluginEvidence(const engine::Snapshot& seen, const model::CustomObject& object,
                   const Spec& spec, const PluginAddress& plugin);

    // What any look at this RolloutPlugin brought last; null: nothing, or an error.
    const ResourceStatus* reality() const;
    // Why the last look failed, whatever it was for; empty: it did not.
    std::string error() const { return last_ ? last_->error : std::string{}; }
    // What the last look brought, if it was for this.
    const PluginObservation* observed(const Goal& goal) const;
    Instant at() const { return at_; }

    // The look that is due. `inits`: none was made under this spec so far. A change is asked for
    // again at every look until it is there: the plugin may have been restarted.
    engine::Probe look(const Goal& goal, bool inits) const;

  private:
    std::string key(const Goal& goal) const;
    bool is_there(const Goal& goal) const;

    const model::CustomObject& object_;
    const Spec& spec_;
    const PluginAddress& plugin_;
    std::string about_;  // what every key begins with
    std::string last_key_;
    std::optional<PluginObservation> last_;
    Instant at_{};
};

}  // namespace sluice::api::rollout_plugin
