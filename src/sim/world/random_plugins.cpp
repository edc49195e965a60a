// What is done to RolloutPlugins and their analyses in random worlds.
#include "sim/world/fate.hpp"

namespace sluice::sim {
namespace {

constexpr const char* shop = "shop";
constexpr const char* plugins = "rolloutplugins.argoproj.io";
constexpr const char* templates = "analysistemplates.argoproj.io";
constexpr const char* runs = "analysisruns.argoproj.io";

}  // namespace

// Weights that rise, and between them pauses and now and then an analysis.
std::string Fate::some_steps(const std::string& set) {
    std::string steps;
    for (std::uint64_t weight = below(30); weight <= 100; weight += 10 + below(50)) {
        steps += fmt::format("{} ", weight);
        if (chance(50)) steps += fmt::format("pause={}s ", 3 + below(40));
        if (chance(10)) steps += "pause ";
        if (chance(30)) steps += fmt::format("analysis={} ", template_of(set));
    }
    return steps;
}

// All is well while the metric of the set is not there.
void Fate::create_template(const std::string& set) {
    world_->create_analysis({.name = template_of(set),
                             .what = fmt::format("absent({})", metric_of(set)),
                             .fields = {{"success", "len(result) == 1"},
                                        {"interval", fmt::format("{}s", 3 + below(10))},
                                        {"count", fmt::format("{}", 1 + below(4))},
                                        {"errors", fmt::format("{}", below(5))}}});
}

void Fate::create_plugin(const std::string& set) {
    RolloutOptions plugin;
    plugin.name = rollout_of(set);
    plugin.target = set;
    plugin.fields["steps"] = some_steps(set);
    if (chance(30)) plugin.fields["background"] = template_of(set);
    if (chance(30)) plugin.fields["keep-successful"] = fmt::format("{}", below(3));
    if (chance(30)) plugin.fields["keep-unsuccessful"] = fmt::format("{}", below(3));
    if (chance(30)) plugin.fields["deadline"] = fmt::format("{}m", 3 + below(5));
    if (chance(30)) plugin.fields["deadline-abort"] = "true";
    if (chance(30)) plugin.fields["on-failure"] = "Rollback";
    if (chance(20)) plugin.fields["min-ready"] = fmt::format("{}s", below(20));
    did(fmt::format("create {} with {}", plugin.name, plugin.fields["steps"]));
    world_->create_plugin(plugin);
}

void Fate::command_plugin() {
    struct Word {
        const char* word;
        const char* status;
    };
    constexpr Word words[] = {{"promote", R"({"pauseConditions":null})"},
                              {"promote", R"({"pauseConditions":null})"},
                              {"promote", R"({"paused":false,"pauseStartTime":null})"},
                              {"promote fully", R"({"promoteFull":true})"},
                              {"abort", R"({"abort":true})"},
                              {"restart", R"({"restart":true})"},
                              {"restart", R"({"restart":true})"}};
    const std::string set = some_set();
    if (!is_plugged(set)) return;
    const Word& one = words[below(std::size(words))];
    did(fmt::format("{} {}", one.word, rollout_of(set)));
    world_->command(shop, rollout_of(set), json::parse(one.status).as_object());
}

void Fate::change_plugin() {
    struct Edit {
        const char* field;
        const char* value;
    };
    constexpr Edit edits[] = {
        {"paused", "true"},   {"paused", "none"},         {"paused", "none"},
        {"restart-at", "0"},  {"on-failure", "Hold"},     {"on-failure", "Rollback"},
        {"deadline", "none"}, {"deadline-abort", "none"}, {"target", "somewhere"},
        {"min-ready", "5s"},  {"background", "none"},     {"steps", ""},
        {"steps", ""}};
    const std::string set = some_set();
    if (!is_plugged(set)) return;
    const Edit& edit = edits[below(std::size(edits))];
    const std::string value = *edit.value ? edit.value : some_steps(set);
    did(fmt::format("alter {} {} {}", rollout_of(set), edit.field, value));
    world_->change_plugin(shop, rollout_of(set), edit.field, value);
    // Somebody notices soon that it names nothing.
    if (std::string{edit.field} == "target") {
        world_->cluster.run_for(dice_.between(0s, 20s));
        world_->change_plugin(shop, rollout_of(set), "target", set);
    }
}

// Templates and runs are deleted by people too, and templates made anew.
void Fate::disturb_analyses() {
    const std::string set = some_set();
    if (!is_plugged(set)) return;
    const Instant now = world_->cluster.now();
    if (chance(50)) {
        did(fmt::format("delete analysistemplate {}", template_of(set)));
        world_->cluster.api().remove(templates, shop, template_of(set), admin, now);
        world_->cluster.run_for(dice_.between(0s, 90s));
        create_template(set);
        return;
    }
    const std::vector<ObjectPtr> all = world_->cluster.api().list(runs, shop);
    if (all.empty()) return;
    const std::string run = text_at(all[below(all.size())]->object(), "/metadata/name");
    const bool ends = chance(50);
    did(fmt::format("{} analysisrun {}", ends ? "end" : "delete", run));
    if (ends)
        world_->merge(runs, shop, run, {{"spec", json::object{{"terminate", true}}}});
    else
        world_->cluster.api().remove(runs, shop, run, admin, now);
}

void Fate::delete_plugin(const std::string& set) {
    did(fmt::format("delete {}", rollout_of(set)));
    world_->cluster.api().remove(plugins, shop, rollout_of(set), admin, world_->cluster.now());
}

void Fate::replace_plugin() {
    const std::string set = some_set();
    if (!is_plugged(set)) return;
    delete_plugin(set);
    world_->cluster.run_for(dice_.between(0s, 60s));
    create_plugin(set);
}

// Everybody goes on wherever a person is waited for.
void Fate::heal_plugin(const std::string& set) {
    world_->egress.prometheus.forget(metric_of(set));
    if (!world_->rollout(shop, rollout_of(set))) create_plugin(set);
    for (const char* field : {"paused", "deadline", "deadline-abort", "restart-at", "background"})
        world_->change_plugin(shop, rollout_of(set), field, "none");
    world_->change_plugin(shop, rollout_of(set), "target", set);
    world_->change_plugin(shop, rollout_of(set), "steps",
                          fmt::format("30 pause=10s 60 analysis={}", template_of(set)));
    world_->annotate(plugins, shop, rollout_of(set), "sluice.dev/paused", "");
}

}  // namespace sluice::sim
