// What people, machines and bad luck do in a scenario.
#include <fmt/format.h>

#include <vector>

#include "sim/api/state.hpp"
#include "sim/apis/registry.hpp"
#include "sim/scenario/undo.hpp"
#include "sim/scenario/words.hpp"

namespace sluice::sim {
namespace {

constexpr const char* sets = "statefulsets.apps";

OperatorHost* operator_of(World& world, Words words) {
    const std::size_t index = words.empty() ? 0 : static_cast<std::size_t>(number(words[0]));
    return index < world.operators.size() ? world.operators[index].get() : nullptr;
}

// An option of the world, read before it was made.
void nothing(World&, Words) {}

Response create_set(World& world, Words words) {
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
    return world.create_set(set);
}

Response set_strategy(World& world, Words words) {
    json::object strategy{{"type", words[1]}};
    if (words[1] == "OnDelete") strategy["rollingUpdate"] = nullptr;
    return world.merge(sets, shop, words[0], only("/spec/updateStrategy", std::move(strategy)));
}

Response delete_set(World& world, Words words) {
    Deletion how;
    if (words.size() > 1 && words[1] == "orphan") how.propagation = "Orphan";
    return world.remove(sets, shop, words[0], how);
}

// lists streamed | lists broken | lists of NUMBER objects at most
void lists(World& world, Words words) {
    ListManners& manners = world.faults.lists;
    if (words[0] == "streamed" || words[0] == "broken") manners.streams = words[0] == "streamed";
    if (words[0] == "of") manners.page_max = static_cast<int>(number(option(words, "of", "0")));
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
void forbid_definitions(World& world, Words words) {
    world.faults.lists.forbids_definitions = true;
    world.cluster.timeline().after(time_option(words, "for", 1s),
                                   [&world] { world.faults.lists.forbids_definitions = false; });
}

// A GitOps agent that puts the partition back to what its repository says, every two seconds.
void rewriter(World& world, Words words) {
    const std::string& name = words[0];
    const std::int64_t value = number(words[1]);
    const Duration length = time_option(words, "for", 10min);
    for (Duration at = 0s; at < length; at += 2s)
        world.cluster.timeline().after(at, [&world, name, value] {
            const ObjectPtr set = world.set(shop, name);
            if (set && partition_of(set->object()) != value) world.set_partition(shop, name, value);
        });
}

constexpr Action general_actions[] = {
    {"operators", "NUMBER", 1, nothing},
    {"hook-retry", "TIME", 1, nothing},
    {"clock-ahead", "TIME", 1, nothing},
    {"clock-behind", "TIME", 1, nothing},
    {"namespaces", "NAME...", 1, nothing},
    {"policies", "", 0, [](World& world, Words) { world.set_policies(true); }},
    {"no policies", "", 0, [](World& world, Words) { world.set_policies(false); }},
    {"statefulset",
     "NAME [replicas N] [hook NAME|none] [image IMAGE] [partition N] [policy Parallel] [strategy "
     "OnDelete] [start N] [min-ready SECONDS] [claim NAME] [behaves HOW] [in NAMESPACE]",
     1, create_set},
    {"set image", "NAME IMAGE [behaves HOW] [in NAMESPACE]", 2,
     [](World& world, Words words) {
         return world.set_image(option(words, "in", shop), words[0], words[1],
                                option(words, "behaves", ""));
     }},
    {"set partition", "NAME NUMBER", 2,
     [](World& world, Words words) {
         return world.set_partition(option(words, "in", shop), words[0], number(words[1]));
     }},
    {"set replicas", "NAME NUMBER", 2,
     [](World& world, Words words) {
         return world.merge(sets, shop, words[0], only("/spec/replicas", number(words[1])));
     }},
    {"set strategy", "NAME TYPE", 2, set_strategy},
    {"scale", "NAME NUMBER", 2,
     [](World& world, Words words) {
         return world.scale(option(words, "in", shop), words[0], number(words[1]));
     }},
    {"replace", "NAME IMAGE", 2,
     [](World& world, Words words) { return world.replace(shop, words[0], words[1]); }},
    {"annotate", "NAME KEY=VALUE|KEY-", 2,
     [](World& world, Words words) { return annotate(world, sets, words); }},
    {"label", "NAME KEY=VALUE|KEY-", 2,
     [](World& world, Words words) {
         const auto [key, value] = pair_of(words[1]);
         return world.label(shop, words[0], key, value);
     }},
    {"pod", "NAME unready|crash|well", 2,
     [](World& world, Words words) {
         return world.annotate("pods", shop, words[0], behaviour_annotation,
                               words[1] == "well" ? "" : words[1]);
     }},
    {"delete pod", "NAME", 1,
     [](World& world, Words words) { return world.remove("pods", shop, words[0]); }},
    {"delete statefulset", "NAME [orphan]", 1, delete_set},
    {"crash operator", "[NUMBER]", 0,
     [](World& world, Words words) {
         if (OperatorHost* host = operator_of(world, words)) host->crash();
     }},
    {"kill operator", "[NUMBER]", 0,
     [](World& world, Words words) {
         if (OperatorHost* host = operator_of(world, words)) host->crash(false);
     }},
    {"start operator", "[NUMBER]", 0,
     [](World& world, Words words) {
         OperatorHost* host = operator_of(world, words);
         if (host && !host->is_running()) host->start();
     }},
    // SIGSTOP, and SIGCONT after that time.
    {"stop operator", "NUMBER for TIME", 3,
     [](World& world, Words words) {
         const Duration length = time_option(words, "for", 30s);
         if (OperatorHost* host = operator_of(world, words)) host->pause(length);
     }},
    {"node", "NAME up|down", 2,
     [](World& world, Words words) { world.cluster.set_node_ready(words[0], words[1] == "up"); }},
    {"controllers", "run|stop", 1,
     [](World& world, Words words) { world.cluster.set_controllers_running(words[0] == "run"); }},
    {"compact", "", 0,
     [](World& world, Words) {
         world.cluster.api().compact(world.cluster.api().storage().version());
     }},
    {"restore", "", 0, [](World& world, Words) { world.cluster.api().renumber(); }},
    {"lists", "streamed|broken|of NUMBER", 1, lists},
    {"forbid namespace", "NAME", 1,
     [](World& world, Words words) { world.faults.lists.forbidden.insert(words[0]); }},
    {"allow namespace", "NAME", 1,
     [](World& world, Words words) { world.faults.lists.forbidden.erase(words[0]); }},
    {"no definitions", "", 0, remove_definitions},
    {"forbid definitions", "for TIME", 2, forbid_definitions},
    {"undo", "KIND/NAME [to REVISION], as `sluice undo` does it", 1, undo},
    {"rewriter", "NAME PARTITION [for TIME]", 2, rewriter},
};

}  // namespace

std::span<const Action> actions() {
    static const std::vector<Action> all = [] {
        std::vector<Action> rows{std::begin(general_actions), std::end(general_actions)};
        const auto services = service_actions();
        rows.insert(rows.end(), services.begin(), services.end());
        return with_rows_of_apis(std::move(rows), &Api::actions);
    }();
    return all;
}

}  // namespace sluice::sim
