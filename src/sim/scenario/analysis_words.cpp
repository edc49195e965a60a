// The words about AnalysisRuns and the templates that they are made from: how these are made, what
// web servers say, and what can be seen.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "sim/api/state.hpp"
#include "sim/scenario/words.hpp"

namespace sluice::sim {
namespace {

constexpr const char* runs = "analysisruns.argoproj.io";

// NAME metric QUERY|web URL|job HOW, and fields of the metric.
Problem create_analysis(World& world, const char* kind, Words words) {
    AnalysisOptions analysis{
        .kind = kind, .name = words[0], .provider = words[1], .what = words[2]};
    const bool known = words[1] == "metric" || words[1] == "web" || words[1] == "job";
    if (!known) return "what is measured is \"metric\", \"web\" or \"job\"";
    for (std::size_t i = 3; i + 1 < words.size(); i += 2) {
        if (words[i] != "arg" && !is_analysis_field(words[i]))
            return fmt::format("an analysis has no \"{}\"", words[i]);
        const std::size_t equals = words[i + 1].find('=');
        if (words[i] != "arg")
            analysis.fields[words[i]] = words[i + 1];
        else
            analysis.args[words[i + 1].substr(0, equals)] =
                equals == std::string::npos ? "" : words[i + 1].substr(equals + 1);
    }
    return problem_of(world.create_analysis(analysis));
}

Problem create_run(World& world, Words words) {
    return create_analysis(world, "AnalysisRun", words);
}

Problem create_template(World& world, Words words) {
    return create_analysis(world, "AnalysisTemplate", words);
}

Problem create_cluster_template(World& world, Words words) {
    return create_analysis(world, "ClusterAnalysisTemplate", words);
}

Problem delete_template(World& world, Words words) {
    return problem_of(world.cluster.api().remove("analysistemplates.argoproj.io", shop, words[0],
                                                 admin, world.cluster.now()));
}

Problem delete_run(World& world, Words words) {
    return problem_of(world.cluster.api().remove(runs, shop, words[0], admin, world.cluster.now()));
}

Problem serve_run(World& world, Words words) {
    const json::object note{{"sluice.dev/serve", "true"}};
    return problem_of(
        world.merge(runs, shop, words[0], {{"metadata", json::object{{"annotations", note}}}}));
}

Problem end_run(World& world, Words words) {
    return problem_of(
        world.merge(runs, shop, words[0], {{"spec", json::object{{"terminate", true}}}}));
}

// In a scenario the quotes of a document are single ones.
Problem web_says(World& world, Words words) {
    std::string document = words[1] == "nothing" ? "" : words[1];
    std::ranges::replace(document, '\'', '"');
    world.egress.web.set(words[0], std::move(document));
    return std::nullopt;
}

Problem web_mood(World& world, Words words) {
    using Mood = WebServer::Mood;
    static const std::map<std::string, Mood> moods = {
        {"well", Mood::Well}, {"down", Mood::Down}, {"slow", Mood::Slow}};
    const auto mood = moods.find(words[0]);
    if (mood == moods.end()) return "web servers are well, down or slow";
    world.egress.web.mood = mood->second;
    return std::nullopt;
}

Seen look_at_run(const ObjectPtr& object, Words words) {
    if (words[0] == "gone") return object ? Seen{"it is still there"} : Seen{};
    if (!object) return "it is gone";
    if (words[0] == "ended")
        return has(object->object(), "/spec/terminate") ? Seen{} : Seen{"nobody ended it"};
    if (words.size() < 2) return "a sight that says too little";
    const json::object& status = object_at(object->object(), "/status");
    if (words[0] == "phase") return unless_same(words[1], text_at(status, "/phase"));
    if (words[0] == "measured")
        return unless_same(words[1], std::to_string(number_at(status, "/metricResults/0/count")));
    const std::string said = text_at(status, "/message");
    return said.find(joined(words.subspan(1))) != std::string::npos ? Seen{} : Seen{said};
}

Seen run(const World& world, Words words) {
    return look_at_run(world.cluster.api().find(runs, shop, words[0]), words.subspan(1));
}

std::vector<ObjectPtr> runs_of(const World& world, const std::string& plugin) {
    std::vector<ObjectPtr> owned = world.cluster.api().list(runs, shop);
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

Seen step_run(const World& world, Words words) {
    return look_at_run(youngest(world, words[0], words[1]), words.subspan(2));
}

Seen background_run(const World& world, Words words) {
    return look_at_run(youngest(world, words[0], ""), words.subspan(1));
}

Seen count_runs(const World& world, Words words) {
    return unless_same(words[1], std::to_string(runs_of(world, words[0]).size()));
}

Seen jobs(const World& world, Words words) {
    return unless_same(words[0],
                       std::to_string(world.cluster.api().list("jobs.batch", shop).size()));
}

constexpr Action action_table[] = {
    {"analysisrun",
     "NAME metric QUERY | web URL [path PATH] [bytes N] | job succeed|fail [success CONDITION] "
     "[failure CONDITION] [interval TIME] [count N] [delay TIME] [failures N] [inconclusive N] "
     "[errors N] "
     "[arg NAME=VALUE] [ttl TIME] [serve true|false]",
     3, create_run},
    {"analysistemplate", "as analysisrun; [arg NAME] has no value", 3, create_template},
    {"clusteranalysistemplate", "as analysistemplate", 3, create_cluster_template},
    {"delete analysistemplate", "NAME", 1, delete_template},
    {"delete analysisrun", "NAME", 1, delete_run},
    {"end analysisrun", "NAME", 1, end_run},
    {"serve analysisrun", "NAME", 1, serve_run},
    {"web", "URL JSON|nothing", 2, web_says},
    {"web servers", "well|down|slow", 1, web_mood},
};

constexpr Sight sight_table[] = {
    {"run", "NAME gone | ended | phase PHASE | measured NUMBER | says TEXT", 2, true, run},
    {"step run", "ROLLOUTPLUGIN STEP, and as run: of the youngest run for this step", 3, true,
     step_run},
    {"background run", "ROLLOUTPLUGIN, and as run: of the youngest in the background", 2, true,
     background_run},
    {"runs of", "ROLLOUTPLUGIN NUMBER", 2, true, count_runs},
    {"jobs", "NUMBER", 1, true, jobs},
};

}  // namespace

std::span<const Action> analysis_actions() {
    return action_table;
}

std::span<const Sight> analysis_sights() {
    return sight_table;
}

}  // namespace sluice::sim
