// The part of RolloutPlugins and their analyses in random worlds.
#include "sim/apis/analysis/objects.hpp"
#include "sim/apis/rollout_plugin/api.hpp"
#include "sim/apis/rollout_plugin/objects.hpp"
#include "sim/world/chaos.hpp"

namespace sluice::sim::rollout_plugin {
namespace {

constexpr const char* shop = "shop";

std::string template_of(const std::string& set) {
    return set + "-errors";
}

// Weights that rise, and between them pauses and now and then an analysis.
std::string some_steps(Chaos& chaos, const std::string& set) {
    std::string steps;
    for (std::uint64_t weight = chaos.below(30); weight <= 100; weight += 10 + chaos.below(50)) {
        steps += fmt::format("{} ", weight);
        if (chaos.chance(50)) steps += fmt::format("pause={}s ", 3 + chaos.below(40));
        if (chaos.chance(10)) steps += "pause ";
        if (chaos.chance(30)) steps += fmt::format("analysis={} ", template_of(set));
    }
    return steps;
}

// All is well while the metric of the set is not there.
void create_template(Chaos& chaos, const std::string& set) {
    analysis::create(chaos.world(),
                     {.name = template_of(set),
                      .what = fmt::format("absent({})", chaos.metric_of(set)),
                      .fields = {{"success", "len(result) == 1"},
                                 {"interval", fmt::format("{}s", 3 + chaos.below(10))},
                                 {"count", fmt::format("{}", 1 + chaos.below(4))},
                                 {"errors", fmt::format("{}", chaos.below(5))}}});
}

void create_plugin(Chaos& chaos, const std::string& set) {
    RolloutOptions plugin;
    plugin.name = chaos.rollout_of(set);
    plugin.target = set;
    plugin.fields["steps"] = some_steps(chaos, set);
    if (chaos.chance(30)) plugin.fields["background"] = template_of(set);
    if (chaos.chance(30)) plugin.fields["keep-successful"] = fmt::format("{}", chaos.below(3));
    if (chaos.chance(30)) plugin.fields["keep-unsuccessful"] = fmt::format("{}", chaos.below(3));
    if (chaos.chance(30)) plugin.fields["deadline"] = fmt::format("{}m", 3 + chaos.below(5));
    if (chaos.chance(30)) plugin.fields["deadline-abort"] = "true";
    if (chaos.chance(30)) plugin.fields["on-failure"] = "Rollback";
    if (chaos.chance(20)) plugin.fields["min-ready"] = fmt::format("{}s", chaos.below(20));
    chaos.did("create {} with {}", plugin.name, plugin.fields["steps"]);
    create(chaos.world(), plugin);
}

void command_plugin(Chaos& chaos) {
    constexpr std::pair<const char*, const char*> words[] = {
        {"promote", R"({"pauseConditions":null})"},
        {"promote", R"({"pauseConditions":null})"},
        {"promote", R"({"paused":false,"pauseStartTime":null})"},
        {"promote fully", R"({"promoteFull":true})"},
        {"abort", R"({"abort":true})"},
        {"restart", R"({"restart":true})"},
        {"restart", R"({"restart":true})"}};
    const std::string set = chaos.some_set();
    if (!chaos.is_of(set, random_part)) return;
    const auto [word, status] = words[chaos.below(std::size(words))];
    chaos.did("{} {}", word, chaos.rollout_of(set));
    command(chaos.world(), shop, chaos.rollout_of(set), json::parse(status).as_object());
}

void change_plugin(Chaos& chaos) {
    constexpr std::pair<const char*, const char*> edits[] = {
        {"paused", "true"},   {"paused", "none"},         {"paused", "none"},
        {"restart-at", "0"},  {"on-failure", "Hold"},     {"on-failure", "Rollback"},
        {"deadline", "none"}, {"deadline-abort", "none"}, {"target", "somewhere"},
        {"min-ready", "5s"},  {"background", "none"},     {"steps", ""},
        {"steps", ""}};
    const std::string set = chaos.some_set();
    if (!chaos.is_of(set, random_part)) return;
    const auto [field, text] = edits[chaos.below(std::size(edits))];
    const std::string value = *text ? text : some_steps(chaos, set);
    chaos.did("alter {} {} {}", chaos.rollout_of(set), field, value);
    change(chaos.world(), shop, chaos.rollout_of(set), field, value);
    // Somebody notices soon that it names nothing.
    if (std::string_view{field} == "target") {
        chaos.world().cluster.run_for(chaos.between(0s, 20s));
        change(chaos.world(), shop, chaos.rollout_of(set), "target", set);
    }
}

// Templates and runs are deleted by people too, and templates made anew.
void disturb_analyses(Chaos& chaos) {
    const std::string set = chaos.some_set();
    if (!chaos.is_of(set, random_part)) return;
    if (chaos.chance(50)) {
        chaos.did("delete analysistemplate {}", template_of(set));
        chaos.world().remove(analysis::templates, shop, template_of(set));
        chaos.world().cluster.run_for(chaos.between(0s, 90s));
        create_template(chaos, set);
        return;
    }
    const std::vector<ObjectPtr> all = chaos.world().cluster.api().list(analysis::runs, shop);
    if (all.empty()) return;
    const std::string run = text_at(all[chaos.below(all.size())]->object(), "/metadata/name");
    const bool ends = chaos.chance(50);
    chaos.did("{} analysisrun {}", ends ? "end" : "delete", run);
    if (ends)
        analysis::end_run(chaos.world(), run);
    else
        chaos.world().remove(analysis::runs, shop, run);
}

void delete_plugin(Chaos& chaos, const std::string& set) {
    chaos.did("delete {}", chaos.rollout_of(set));
    chaos.world().remove(plugins, shop, chaos.rollout_of(set));
}

void replace_plugin(Chaos& chaos) {
    const std::string set = chaos.some_set();
    if (!chaos.is_of(set, random_part)) return;
    delete_plugin(chaos, set);
    chaos.world().cluster.run_for(chaos.between(0s, 60s));
    create_plugin(chaos, set);
}

// Everybody goes on wherever a person is waited for.
void heal_plugin(Chaos& chaos, const std::string& set) {
    chaos.world().egress.prometheus.forget(chaos.metric_of(set));
    if (!chaos.world().rollout(shop, chaos.rollout_of(set))) create_plugin(chaos, set);
    for (const char* field : {"paused", "deadline", "deadline-abort", "restart-at", "background"})
        change(chaos.world(), shop, chaos.rollout_of(set), field, "none");
    change(chaos.world(), shop, chaos.rollout_of(set), "target", set);
    change(chaos.world(), shop, chaos.rollout_of(set), "steps",
           fmt::format("30 pause=10s 60 analysis={}", template_of(set)));
    chaos.world().annotate(plugins, shop, chaos.rollout_of(set), "sluice.dev/paused", "");
}

void create_with_template(Chaos& chaos, const std::string& set) {
    create_template(chaos, set);
    create_plugin(chaos, set);
}

std::pair<std::string, std::string> report(Chaos& chaos, const std::string& set) {
    const ObjectPtr plugin = chaos.world().rollout(shop, chaos.rollout_of(set));
    if (!plugin) return {"gone", ""};
    return {text_at(plugin->object(), "/status/phase"),
            text_at(plugin->object(), "/status/message")};
}

bool is_gone(Chaos& chaos, const std::string& set) {
    return !chaos.world().rollout(shop, chaos.rollout_of(set));
}

constexpr RandomAction actions[] = {
    {command_plugin, 20}, {change_plugin, 6}, {disturb_analyses, 3}, {replace_plugin, 2}};

}  // namespace

const RandomPart random_part{.create = create_with_template,
                             .actions = actions,
                             .heal = heal_plugin,
                             .report = report,
                             .release = delete_plugin,
                             .is_released = is_gone,
                             .give_back = heal_plugin};

}  // namespace sluice::sim::rollout_plugin
