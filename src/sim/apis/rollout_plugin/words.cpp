// The words about RolloutPlugins: what people do with them, the runs that they have, and the
// plugins outside of the operator with what these move.
#include <fmt/format.h>

#include "sim/apis/analysis/objects.hpp"
#include "sim/apis/rollout_plugin/api.hpp"
#include "sim/apis/rollout_plugin/objects.hpp"
#include "sim/apis/rollout_plugin/plugin_world.hpp"

namespace sluice::sim::rollout_plugin {
namespace {

Problem create_plugin(World& world, Words words) {
    RolloutOptions plugin;
    plugin.name = words[0];
    for (std::size_t i = 1; i + 1 < words.size(); i += 2) {
        if (!find_field(fields(), words[i]))
            return fmt::format("a RolloutPlugin has no \"{}\"", words[i]);
        plugin.fields[words[i]] = words[i + 1];
    }
    return problem_of(create(world, plugin));
}

Problem change_plugin(World& world, Words words) {
    if (!find_field(fields(), words[1]))
        return fmt::format("a RolloutPlugin has no \"{}\"", words[1]);
    return problem_of(change(world, shop, words[0], words[1], words[2]));
}

Response promote(World& world, Words words) {
    json::object status{{"pauseConditions", nullptr}};
    if (words.size() > 1 && words[1] == "full") status = {{"promoteFull", true}};
    if (words.size() > 1 && words[1] == "as-before")
        status = {{"paused", false}, {"pauseStartTime", nullptr}};
    return command(world, shop, words[0], std::move(status));
}

Response declare(World& world, Words words) {
    const std::string text =
        words[0] == "none"
            ? std::string{}
            : fmt::format("- name: {0}\n  location: unix:///run/{0}.sock\n", words[0]);
    return world.put_setting("argo-rollouts-config", "rolloutPlugins", json::value(text));
}

Problem set_mood(World& world, Words words) {
    const auto mood = called<PluginWorld::Mood>(words[0], {"well", "down", "slow", "stuck"});
    if (!mood) return "plugins are well, down, slow or stuck";
    world.egress.of<PluginWorld>().mood = *mood;
    return std::nullopt;
}

std::vector<ObjectPtr> runs_of(const World& world, const std::string& plugin) {
    std::vector<ObjectPtr> owned = world.cluster.api().list(analysis::runs, shop);
    std::erase_if(owned, [&](const ObjectPtr& one) {
        return text_at(one->object(), "/metadata/ownerReferences/0/name") != plugin;
    });
    return owned;
}

// The youngest for a step, or the youngest in the background.
ObjectPtr youngest(const World& world, const std::string& plugin, const std::string& step) {
    ObjectPtr found;
    const auto born = [](const ObjectPtr& one) {
        return text_at(one->object(), "/metadata/creationTimestamp");
    };
    for (const ObjectPtr& one : runs_of(world, plugin))
        if (text_at(one->object(), "/metadata/labels/step-index") == step &&
            (!found || born(one) >= born(found)))
            found = one;
    return found;
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
    {"abort", "NAME", 1,
     [](World& world, Words words) { return command(world, shop, words[0], {{"abort", true}}); }},
    {"restart", "NAME", 1,
     [](World& world, Words words) { return command(world, shop, words[0], {{"restart", true}}); }},
    {"annotate rolloutplugin", "NAME KEY=VALUE|KEY-", 2,
     [](World& world, Words words) { return annotate(world, plugins, words); }},
    {"delete rolloutplugin", "NAME", 1,
     [](World& world, Words words) { return world.remove(plugins, shop, words[0]); }},
    {"declare plugin", "NAME|none", 1, declare},
    {"plugins", "well|down|slow|stuck", 1, set_mood},
    {"workload", "NAME CURRENT [UPDATED]", 2,
     [](World& world, Words words) {
         world.egress.of<PluginWorld>().set_revisions(words[0], words[1], words.back());
     }},
};

constexpr Expectation expectation_table[] = {
    {"step run", "ROLLOUTPLUGIN STEP, and as run: of the youngest run for this step", 3, true,
     [](const World& world, Words words) {
         return analysis::run_seen(youngest(world, words[0], words[1]), words.subspan(2));
     }},
    {"background run", "ROLLOUTPLUGIN, and as run: of the youngest in the background", 2, true,
     [](const World& world, Words words) {
         return analysis::run_seen(youngest(world, words[0], ""), words.subspan(1));
     }},
    {"runs of", "ROLLOUTPLUGIN NUMBER", 2, true,
     [](const World& world, Words words) {
         return unless_same(words[1], std::to_string(runs_of(world, words[0]).size()));
     }},
    {"workload", "NAME CURRENT UPDATED WEIGHT", 4, false,
     [](const World& world, Words words) {
         return unless_same(joined(words.subspan(1)),
                            world.egress.of<PluginWorld>().text(words[0], world.cluster.now()));
     }},
};

// A word for once, which is taken away when it was acted on; and the end of a pause by a full
// promotion.
constexpr std::string_view own_fields[] = {"/spec/restartAt", "/spec/paused"};

// Runs that it has made.
constexpr std::string_view judged[] = {analysis::runs};

constexpr ReportField report_fields[] = {
    {"index", "/status/currentStepIndex"},
    {"weight", "/status/rollout/weight"},
    {"aborted", "/status/aborted"},
    {"restarts", "/status/restartCount"},
    {"replicas", "/status/replicas"},
    {"updated-replicas", "/status/updatedReplicas"},
    {"commanded-abort", "/status/abort"},
    {"commanded-promotion", "/status/promoteFull"},
    {"promotion-seen", "/status/promoteFullGeneration"},
    {"commanded-restart", "/status/restart"},
    {"restart-at", "/spec/restartAt"},
    {"held", "/spec/paused"},
};

}  // namespace

Api row() {
    return {
        .name = "rolloutplugin",
        .kind = "RolloutPlugin",
        .resource = plugins,
        .target = "/spec/workloadRef/name",
        .own_fields = own_fields,
        .judged = judged,
        .lets_many_go = true,
        .fields = report_fields,
        .actions = [] { return std::span<const Action>{action_table}; },
        .expectations = [] { return std::span<const Expectation>{expectation_table}; },
        .promises = promises,
        .random = &random_part,
        .stories = stories,
        .service = [] -> std::unique_ptr<OwnService> { return std::make_unique<PluginWorld>(); }};
}

}  // namespace sluice::sim::rollout_plugin
