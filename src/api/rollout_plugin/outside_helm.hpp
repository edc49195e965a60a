// The inside of steer_outside(): one function for each turn that a rollout can take. Nobody else
// includes it.
#pragma once

#include <fmt/format.h>

#include <string>

#include "api/rollout_plugin/goal.hpp"
#include "api/rollout_plugin/outside_state.hpp"
#include "api/rollout_plugin/turn.hpp"
#include "engine/advance.hpp"
#include "engine/verdict.hpp"

namespace sluice::api::rollout_plugin {

inline constexpr int all = 100;  // hundredths of whatever the plugin moves
// Between two looks: while a change is awaited, while somebody else must go on, while nothing is to
// be done, and after an error.
inline constexpr Duration working_pace = 2s;
inline constexpr Duration resting_pace = 15s;
inline constexpr Duration idle_pace = 15s;
inline constexpr Duration error_pace = 5s;
// What a step rests on is no older than this.
inline constexpr Duration fresh = 5s;

// One look at one RolloutPlugin.
class Outside {
  public:
    Outside(const engine::Snapshot& seen, const model::CustomObject& object, const Spec& spec,
            const PluginAddress& plugin, Instant now);

    engine::Decision decide();

  private:
    engine::Decision think();
    engine::Decision think_of_rollout();
    engine::Decision watch();
    engine::Decision go_back(const Goal& goal, const PluginObservation& observation);
    engine::Decision finish(const Goal& goal, const PluginObservation& observation);
    engine::Decision proceed(const Goal& goal, const PluginObservation& observation);
    engine::Decision follow(const Goal& goal, engine::Advance next);
    engine::Decision go_home();
    engine::Decision begin(const ResourceStatus& reality);
    engine::Decision take(int weight, int place);
    engine::Decision promote();
    engine::Decision complete(std::string message);
    engine::Decision returned();
    engine::Decision turn_back(engine::Reason reason, const std::string& why);
    engine::Decision late(const Goal& goal, const std::string& message);
    Circumstances here() const;

    engine::Decision say(engine::Phase phase, engine::Reason reason, std::string message);
    engine::Decision hold(const Goal& goal, engine::Hold held, Duration pace);
    engine::Decision wait(const Goal& goal, engine::Reason reason, std::string message,
                          Duration pace);
    engine::Decision working(const Goal& goal, engine::Reason reason, std::string message);
    engine::Decision erring(const Goal& goal, const std::string& error);
    engine::Decision look_again(const Goal& goal);
    void ask(engine::Decision& decision, const Goal& goal, Duration pace) const;
    Goal goal() const;

    int last_step() const { return static_cast<int>(spec_.steps.size()); }
    int weight() const { return workload_state_.weight.value_or(0); }
    // Who holds it; empty: nobody.
    std::string paused() const { return orders_.promotes_fully ? "" : paused_by(object_, &spec_); }
    bool is_fresh() const { return now_ - evidence_.at() <= fresh; }
    // Of the last look, or what was said last before anybody has looked again.
    std::string last_error() const {
        const bool was_erring = reported_.reason == engine::entry(engine::Reason::PluginError).name;
        const std::string error = evidence_.error();
        return error.empty() && was_erring && !evidence_.reality() ? reported_.message : error;
    }
    std::string plugin() const { return fmt::format("Plugin {}", spec_.plugin.name); }

    const engine::Snapshot& seen_;
    const model::CustomObject& object_;
    const Spec& spec_;
    Instant now_;
    Status reported_;
    PluginEvidence evidence_;
    std::string binding_;
    WorkloadState workload_state_;  // without its memory until all is decided
    bool is_known_ = false;
    engine::Memory memory_;
    Orders orders_;
    Position at_;
    Runs runs_;
    bool says_nothing_ = false;  // what the status says stands
};

}  // namespace sluice::api::rollout_plugin
