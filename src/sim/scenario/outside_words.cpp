// The words about plugins outside of the operator, and about what they move.
#include <fmt/format.h>

#include <map>

#include "sim/api/state.hpp"
#include "sim/scenario/words.hpp"

namespace sluice::sim {
namespace {

constexpr const char* config = "argo-rollouts-config";
constexpr const char* home = "sluice-system";

Problem declare(World& world, Words words) {
    ApiServer& api = world.cluster.api();
    if (!api.find("configmaps", home, config))
        api.create(json::object{{"apiVersion", "v1"},
                                {"kind", "ConfigMap"},
                                {"metadata", json::object{{"name", config}, {"namespace", home}}}},
                   admin, world.cluster.now());
    const std::string text =
        words[0] == "none"
            ? std::string{}
            : fmt::format("- name: {0}\n  location: unix:///run/{0}.sock\n", words[0]);
    return problem_of(world.merge("configmaps", home, config,
                                  {{"data", json::object{{"rolloutPlugins", text}}}}));
}

Problem mood(World& world, Words words) {
    using Mood = PluginWorld::Mood;
    static const std::map<std::string, Mood> moods = {
        {"well", Mood::Well}, {"down", Mood::Down}, {"slow", Mood::Slow}, {"stuck", Mood::Stuck}};
    const auto found = moods.find(words[0]);
    if (found == moods.end()) return "plugins are well, down, slow or stuck";
    world.egress.plugins.mood = found->second;
    return std::nullopt;
}

Problem workload(World& world, Words words) {
    world.egress.plugins.set_revisions(words[0], words[1], words.back());
    return std::nullopt;
}

Seen is_at(const World& world, Words words) {
    return unless_same(joined(words.subspan(1)),
                       world.egress.plugins.text(words[0], world.cluster.now()));
}

constexpr Action action_table[] = {
    {"declare plugin", "NAME|none", 1, declare},
    {"plugins", "well|down|slow|stuck", 1, mood},
    {"workload", "NAME CURRENT [UPDATED]", 2, workload},
};

constexpr Sight sight_table[] = {
    {"workload", "NAME CURRENT UPDATED WEIGHT", 4, false, is_at},
};

}  // namespace

std::span<const Action> outside_actions() {
    return action_table;
}

std::span<const Sight> outside_sights() {
    return sight_table;
}

}  // namespace sluice::sim
