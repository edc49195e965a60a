// What people, machines and bad luck do in a scenario.
#include <fmt/format.h>

#include <vector>

#include "sim/api/state.hpp"
#include "sim/apis/registry.hpp"
#include "sim/scenario/words.hpp"

namespace sluice::sim {
namespace {

OperatorHost* operator_of(World& world, Words words) {
    const std::size_t index = words.empty() ? 0 : static_cast<std::size_t>(number(words[0]));
    return index < world.operators.size() ? world.operators[index].get() : nullptr;
}

Problem nothing(World&, Words) {
    return std::nullopt;  // an option of the world, read before it was made
}

Problem install_policies(World& world, Words) {
    world.set_policies(true);
    return std::nullopt;
}

Problem remove_policies(World& world, Words) {
    world.set_policies(false);
    return std::nullopt;
}

Problem create_set(World& world, Words words) {
    SetOptions set;
    set.name = words[0];
    set.ns = option(words, "in", shop);
    set.replicas = number(option(words, "replicas", "3"));
    for (const Api& api : apis()) {
        if (api.label.key.empty()) continue;
        const std::string value = option(words, api.label.word, std::string{api.label.usual});
        if (value != "none") set.labels[std::string{api.label.key}] = value;
    }
    set.image = option(words, "image", "app:a");
    set.policy = option(words, "policy", "OrderedReady");
    set.strategy = option(words, "strategy", "RollingUpdate");
    const std::string partition = option(words, "partition", "");
    if (!partition.empty()) set.partition = number(partition);
    set.start = number(option(words, "start", "0"));
    set.min_ready = number(option(words, "min-ready", "0"));
    set.claim = option(words, "claim", "");
    set.behaviour = option(words, "behaves", "");
    return problem_of(world.create_set(set));
}

Problem set_image(World& world, Words words) {
    return problem_of(world.set_image(option(words, "in", shop), words[0], words[1],
                                      option(words, "behaves", "")));
}

Problem replace(World& world, Words words) {
    return problem_of(world.replace(shop, words[0], words[1]));
}

Problem scale(World& world, Words words) {
    return problem_of(world.scale(option(words, "in", shop), words[0], number(words[1])));
}

Problem set_replicas(World& world, Words words) {
    return problem_of(
        world.merge("statefulsets.apps", shop, words[0], only("/spec/replicas", number(words[1]))));
}

Problem set_strategy(World& world, Words words) {
    json::object strategy{{"type", words[1]}};
    if (words[1] == "OnDelete") strategy["rollingUpdate"] = nullptr;
    return problem_of(world.merge("statefulsets.apps", shop, words[0],
                                  only("/spec/updateStrategy", std::move(strategy))));
}

Problem set_partition(World& world, Words words) {
    return problem_of(world.set_partition(option(words, "in", shop), words[0], number(words[1])));
}

Problem annotate(World& world, Words words) {
    const auto [key, value] = pair_of(words[1]);
    return problem_of(world.annotate("statefulsets.apps", shop, words[0], key, value));
}

Problem label(World& world, Words words) {
    const auto [key, value] = pair_of(words[1]);
    return problem_of(world.label(shop, words[0], key, value));
}

Problem pod_behaves(World& world, Words words) {
    return problem_of(world.annotate("pods", shop, words[0], behaviour_annotation,
                                     words[1] == "well" ? "" : words[1]));
}

Problem delete_pod(World& world, Words words) {
    return problem_of(world.remove("pods", shop, words[0]));
}

Problem delete_set(World& world, Words words) {
    Deletion how;
    if (words.size() > 1 && words[1] == "orphan") how.propagation = "Orphan";
    return problem_of(world.remove("statefulsets.apps", shop, words[0], how));
}

Problem crash(World& world, Words words) {
    if (OperatorHost* host = operator_of(world, words)) host->crash();
    return std::nullopt;
}

Problem kill(World& world, Words words) {
    if (OperatorHost* host = operator_of(world, words)) host->crash(false);
    return std::nullopt;
}

Problem start(World& world, Words words) {
    OperatorHost* host = operator_of(world, words);
    if (host && !host->is_running()) host->start();
    return std::nullopt;
}

// stop operator 0 for 40s: SIGSTOP, and SIGCONT after that time.
Problem stop(World& world, Words words) {
    const auto length = parse_duration(option(words, "for", "30s"));
    if (OperatorHost* host = operator_of(world, words)) host->pause(length.value_or(30s));
    return std::nullopt;
}

Problem node(World& world, Words words) {
    world.cluster.set_node_ready(words[0], words[1] == "up");
    return std::nullopt;
}

Problem controllers(World& world, Words words) {
    world.cluster.set_controllers_running(words[0] == "run");
    return std::nullopt;
}

Problem compact(World& world, Words) {
    world.cluster.api().compact(world.cluster.api().storage().version());
    return std::nullopt;
}

Problem restore(World& world, Words) {
    world.cluster.api().renumber();
    return std::nullopt;
}

// lists streamed | lists broken | lists of NUMBER objects at most
Problem lists(World& world, Words words) {
    ListManners& manners = world.faults.lists;
    if (words[0] == "streamed" || words[0] == "broken") manners.streams = words[0] == "streamed";
    if (words[0] == "of") manners.page_max = static_cast<int>(number(option(words, "of", "0")));
    return std::nullopt;
}

Problem forbid(World& world, Words words) {
    world.faults.lists.forbidden.insert(words[0]);
    return std::nullopt;
}

Problem allow(World& world, Words words) {
    world.faults.lists.forbidden.erase(words[0]);
    return std::nullopt;
}

Problem remove_definitions(World& world, Words) {
    constexpr const char* definitions = "customresourcedefinitions.apiextensions.k8s.io";
    ApiServer& api = world.cluster.api();
    for (const ObjectPtr& one : api.list(definitions)) {
        const std::string name = text_at(one->object(), "/metadata/name");
        if (const auto wrong =
                problem_of(api.remove(definitions, "", name, admin, world.cluster.now())))
            return wrong;
    }
    return std::nullopt;
}

// forbid definitions for 1s: whoever watches one, as of an API server that has just started.
Problem forbid_definitions(World& world, Words words) {
    const auto length = parse_duration(option(words, "for", "1s")).value_or(1s);
    world.faults.lists.forbids_definitions = true;
    world.cluster.timeline().after(length,
                                   [&world] { world.faults.lists.forbids_definitions = false; });
    return std::nullopt;
}

// A GitOps agent that puts the partition back to what its repository says, every two seconds.
Problem rewriter(World& world, Words words) {
    const std::string& name = words[0];
    const std::int64_t value = number(words[1]);
    const auto length = parse_duration(option(words, "for", "10m")).value_or(10min);
    for (Duration at = 0s; at < length; at += 2s)
        world.cluster.timeline().after(at, [&world, name, value] {
            const ObjectPtr set = world.set(shop, name);
            if (set && partition_of(set->object()) != value) world.set_partition(shop, name, value);
        });
    return std::nullopt;
}

constexpr Action table[] = {
    {"operators", "NUMBER", 1, nothing},
    {"hook-retry", "TIME", 1, nothing},
    {"clock-ahead", "TIME", 1, nothing},
    {"clock-behind", "TIME", 1, nothing},
    {"namespaces", "NAME...", 1, nothing},
    {"policies", "", 0, install_policies},
    {"no policies", "", 0, remove_policies},
    {"statefulset",
     "NAME [replicas N] [hook NAME|none] [image IMAGE] [partition N] [policy Parallel] [strategy "
     "OnDelete] [start N] [min-ready SECONDS] [claim NAME] [behaves HOW] [in NAMESPACE]",
     1, create_set},
    {"set image", "NAME IMAGE [behaves HOW] [in NAMESPACE]", 2, set_image},
    {"set partition", "NAME NUMBER", 2, set_partition},
    {"set replicas", "NAME NUMBER", 2, set_replicas},
    {"set strategy", "NAME TYPE", 2, set_strategy},
    {"scale", "NAME NUMBER", 2, scale},
    {"replace", "NAME IMAGE", 2, replace},
    {"annotate", "NAME KEY=VALUE|KEY-", 2, annotate},
    {"label", "NAME KEY=VALUE|KEY-", 2, label},
    {"pod", "NAME unready|crash|well", 2, pod_behaves},
    {"delete pod", "NAME", 1, delete_pod},
    {"delete statefulset", "NAME [orphan]", 1, delete_set},
    {"crash operator", "[NUMBER]", 0, crash},
    {"kill operator", "[NUMBER]", 0, kill},
    {"start operator", "[NUMBER]", 0, start},
    {"stop operator", "NUMBER for TIME", 3, stop},
    {"node", "NAME up|down", 2, node},
    {"controllers", "run|stop", 1, controllers},
    {"compact", "", 0, compact},
    {"restore", "", 0, restore},
    {"lists", "streamed|broken|of NUMBER", 1, lists},
    {"forbid namespace", "NAME", 1, forbid},
    {"allow namespace", "NAME", 1, allow},
    {"no definitions", "", 0, remove_definitions},
    {"forbid definitions", "for TIME", 2, forbid_definitions},
    {"rewriter", "NAME PARTITION [for TIME]", 2, rewriter},
};

}  // namespace

std::span<const Action> actions() {
    static const std::vector<Action> all = [] {
        std::vector<Action> rows{std::begin(table), std::end(table)};
        const auto services = service_actions();
        rows.insert(rows.end(), services.begin(), services.end());
        return with_rows_of_apis(std::move(rows), &Api::actions);
    }();
    return all;
}

}  // namespace sluice::sim
