// The words about RolloutPlugins: what people do with them.
#include <fmt/format.h>

#include <algorithm>

#include "sim/api/state.hpp"
#include "sim/scenario/words.hpp"

namespace sluice::sim {
namespace {

constexpr const char* plugins = "rolloutplugins.argoproj.io";

bool is_field(const std::string& word) {
    return std::ranges::find(plugin_fields(), std::string_view{word}, &RolloutField::word) !=
           plugin_fields().end();
}

Problem create_plugin(World& world, Words words) {
    RolloutOptions plugin;
    plugin.name = words[0];
    for (std::size_t i = 1; i + 1 < words.size(); i += 2) {
        if (!is_field(words[i])) return fmt::format("a RolloutPlugin has no \"{}\"", words[i]);
        plugin.fields[words[i]] = words[i + 1];
    }
    return problem_of(world.create_plugin(plugin));
}

Problem change_plugin(World& world, Words words) {
    if (!is_field(words[1])) return fmt::format("a RolloutPlugin has no \"{}\"", words[1]);
    return problem_of(world.change_plugin(shop, words[0], words[1], words[2]));
}

Problem promote(World& world, Words words) {
    json::object status{{"pauseConditions", nullptr}};
    if (words.size() > 1 && words[1] == "full") status = {{"promoteFull", true}};
    if (words.size() > 1 && words[1] == "as-before")
        status = {{"paused", false}, {"pauseStartTime", nullptr}};
    return problem_of(world.command(shop, words[0], std::move(status)));
}

Problem abort_rollout(World& world, Words words) {
    return problem_of(world.command(shop, words[0], {{"abort", true}}));
}

Problem restart(World& world, Words words) {
    return problem_of(world.command(shop, words[0], {{"restart", true}}));
}

Problem annotate_plugin(World& world, Words words) {
    const auto [key, value] = pair_of(words[1]);
    return problem_of(world.annotate(plugins, shop, words[0], key, value));
}

Problem delete_plugin(World& world, Words words) {
    return problem_of(
        world.cluster.api().remove(plugins, shop, words[0], admin, world.cluster.now()));
}

constexpr Action action_table[] = {
    {"rolloutplugin",
     "NAME target SET steps \"20 pause 40 pause=5m analysis=TEMPLATE,ARG=VALUE 100\" [background "
     "TEMPLATE] [starting-step N] [keep-successful N] [keep-unsuccessful N] [paused true] "
     "[deadline TIME] [deadline-abort true] [timeout TIME] [timeout-abort true] [on-failure "
     "Rollback] [min-ready TIME] [plugin NAME]; "
     "cluster-analysis and cluster-background are of a ClusterAnalysisTemplate",
     3, create_plugin},
    {"alter", "NAME FIELD VALUE|none, of a RolloutPlugin", 3, change_plugin},
    {"promote", "NAME [full|as-before]", 1, promote},
    {"abort", "NAME", 1, abort_rollout},
    {"restart", "NAME", 1, restart},
    {"annotate rolloutplugin", "NAME KEY=VALUE|KEY-", 2, annotate_plugin},
    {"delete rolloutplugin", "NAME", 1, delete_plugin},
};

}  // namespace

std::span<const Action> plugin_actions() {
    return action_table;
}

}  // namespace sluice::sim
