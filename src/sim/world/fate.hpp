// The inside of random worlds: who lives in them and what may be done to them. Nobody else includes
// it.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/world/random_world.hpp"
#include "sim/world/world.hpp"

namespace sluice::sim {

class Fate {
  public:
    explicit Fate(std::uint64_t seed)
        : dice_(seed * 0x9e3779b97f4a7c15 + 1), world_(std::make_unique<World>(options(seed))) {}

    RandomOutcome play();

  private:
    WorldOptions options(std::uint64_t seed);
    void begin();
    void trouble(Duration length);
    void heal();
    std::pair<std::string, std::string> said_of(const std::string& name) const;
    std::string what_is_wrong() const;
    void check_end();
    void help(Duration waited);

    std::uint64_t below(std::uint64_t limit) { return dice_.roll() % limit; }
    bool chance(int percent) { return below(100) < static_cast<std::uint64_t>(percent); }
    std::string some_set() { return sets_[below(sets_.size())]; }
    std::string some_pod() { return fmt::format("{}-{}", some_set(), below(4)); }
    void did(std::string what);

    // Each does one thing to the world.
    void change_image();
    void rescale();
    void hook_says();
    void annotate();
    void relabel();
    void move_partition();
    void delete_pod();
    void break_pod();
    void hit_operator();
    void hit_cluster();
    void toggle_policies();
    // inhabitants that PhasedRollouts steer
    std::string rollout_of(const std::string& set) const { return set + "-gentle"; }
    bool is_phased(const std::string& set) const { return phased_.contains(set); }
    void create_rollout(const std::string& set);
    void metric_says();
    void prometheus_mood();
    void change_rollout();
    void annotate_rollout();
    void delete_rollout();
    // inhabitants that RolloutPlugins steer
    std::string template_of(const std::string& set) const { return set + "-errors"; }
    std::string metric_of(const std::string& set) const { return "errors_" + set; }
    bool is_plugged(const std::string& set) const { return plugged_.contains(set); }
    std::string some_steps(const std::string& set);
    void create_template(const std::string& set);
    void create_plugin(const std::string& set);
    void command_plugin();
    void change_plugin();
    void disturb_analyses();
    void delete_plugin(const std::string& set);
    void replace_plugin();
    void heal_plugin(const std::string& set);
    void heal_set(const std::string& set);
    void heal_rollout(const std::string& set);

    Dice dice_;
    std::unique_ptr<World> world_;
    std::vector<std::string> sets_;
    std::set<std::string> phased_;   // those of them that a PhasedRollout steers
    std::set<std::string> plugged_;  // and a RolloutPlugin
    std::vector<std::string> history_;
    Instant start_;
    int images_ = 0;
    bool policies_ = true;
};

}  // namespace sluice::sim
