#include "sim/world/random_world.hpp"

#include <fmt/format.h>

#include "base/json_pointer.hpp"
#include "sim/api/state.hpp"
#include "sim/world/fate.hpp"

namespace sluice::sim {
namespace {

constexpr const char* shop = "shop";
constexpr Duration liveness_time = 90min;

}  // namespace

WorldOptions Fate::options(std::uint64_t seed) {
    WorldOptions options;
    options.seed = seed;
    options.operators = chance(30) ? 2 : 1;
    options.hook_retry = dice_.between(5s, 30s);
    if (chance(30)) options.skew = dice_.between(0s, 600s) - 300s;
    return options;
}

void Fate::did(std::string what) {
    history_.push_back(
        fmt::format("{:>8.1f}s  {}",
                    static_cast<double>((world_->cluster.now() - start_).count()) / 1000, what));
}

void Fate::begin() {
    policies_ = chance(75);
    world_->set_policies(policies_);
    world_->declare_hook("careful", "url: https://careful.example/ask\nheadersSecret: canary\n");
    const char* names[] = {"web", "db", "log"};
    for (std::uint64_t i = 0; i <= below(3); ++i) {
        SetOptions set;
        set.name = names[i];
        set.replicas = static_cast<std::int64_t>(1 + below(5));
        set.hook = chance(80) ? "careful" : "noop";
        set.policy = chance(70) ? "OrderedReady" : "Parallel";
        set.start = chance(25) ? static_cast<std::int64_t>(below(20)) : 0;
        set.min_ready = chance(30) ? static_cast<std::int64_t>(below(20)) : 0;
        if (chance(30)) set.claim = "data";
        if (chance(30)) set.partition = static_cast<std::int64_t>(below(4));
        const std::uint64_t steersman = below(3);
        if (steersman > 0) set.hook.clear();
        world_->create_set(set);
        sets_.push_back(set.name);
        if (steersman == 1) {
            phased_.insert(set.name);
            create_rollout(set.name);
        } else if (steersman == 2) {
            plugged_.insert(set.name);
            create_template(set.name);
            create_plugin(set.name);
        }
    }
    start_ = world_->cluster.now();
    world_->cluster.run_for(2min);
    // Each world has its own kinds of bad luck.
    Odds odds;
    if (chance(50)) odds.crash = static_cast<int>(below(20));
    if (chance(60)) odds.request = static_cast<int>(below(80));
    if (chance(60)) odds.events = static_cast<int>(below(120));
    if (chance(40)) odds.stale = static_cast<int>(below(1000));
    world_->faults = Faults{odds, dice_.roll(), world_->cluster.now() + 30min};
    world_->start_operators();
}

void Fate::change_image() {
    const std::string set = some_set();
    const char* ways[] = {"", "", "", "", "crash", "unready", "slow 30s"};
    const std::string behaviour = ways[below(std::size(ways))];
    const std::string image = fmt::format("app:{}", static_cast<char>('a' + ++images_ % 20));
    did(fmt::format("set image {} {} {}", set, image, behaviour));
    world_->set_image(shop, set, image, behaviour);
}

void Fate::rescale() {
    const std::string set = some_set();
    const auto replicas = static_cast<std::int64_t>(below(7));
    did(fmt::format("scale {} {}", set, replicas));
    world_->scale(shop, set, replicas);
}

void Fate::hook_says() {
    using Says = HookRule::Says;
    constexpr Says all[] = {Says::Allow, Says::Allow,   Says::Refuse,
                            Says::Hang,  Says::Rubbish, Says::Fail};
    HookRule rule{"careful", chance(50) ? "" : some_pod(), all[below(std::size(all))], "not now"};
    did(fmt::format("hook says {} {}", static_cast<int>(rule.says), rule.next));
    world_->egress.set_rule(std::move(rule));
}

void Fate::annotate() {
    struct Note {
        const char* key;
        const char* value;
    };
    constexpr Note notes[] = {
        {"sluice.dev/paused", "true"},        {"sluice.dev/paused", ""},
        {"sluice.dev/allow-unready", "true"}, {"sluice.dev/allow-unready", ""},
        {"sluice.dev/retry", "now"},          {"sluice.dev/rollout", "{}"},
        {"sluice.dev/phase", "Rolling"}};
    const Note& note = notes[below(std::size(notes))];
    const std::string set = some_set();
    did(fmt::format("annotate {} {}={}", set, note.key, note.value));
    world_->annotate("statefulsets.apps", shop, set, note.key, note.value);
}

void Fate::relabel() {
    const std::string set = some_set();
    if ((is_phased(set) || is_plugged(set)) && !chance(10)) return;
    const char* values[] = {"", "careful", "noop", "nobody"};
    const std::string value = values[below(std::size(values))];
    did(fmt::format("label {} {}", set, value));
    world_->label(shop, set, "dd-statefulset-pilot", value);
}

void Fate::move_partition() {
    const std::string set = some_set();
    const auto partition = static_cast<std::int64_t>(below(6));
    did(fmt::format("set partition {} {}", set, partition));
    world_->set_partition(shop, set, partition);
}

void Fate::delete_pod() {
    const std::string pod = some_pod();
    did(fmt::format("delete pod {}", pod));
    world_->cluster.api().remove("pods", shop, pod, admin, world_->cluster.now());
}

void Fate::break_pod() {
    const std::string pod = some_pod();
    const bool mends = chance(50);
    did(fmt::format("pod {} {}", pod, mends ? "behaves" : "is unready"));
    world_->annotate("pods", shop, pod, behaviour_annotation, mends ? "" : "unready");
}

void Fate::hit_operator() {
    OperatorHost& host = *world_->operators[below(world_->operators.size())];
    if (chance(50)) {
        did("crash " + host.options().identity);
        host.crash();
    } else {
        const Duration length = dice_.between(1s, 60s);
        did(fmt::format("stop {} for {} ms", host.options().identity, length.count()));
        host.pause(length);
    }
}

void Fate::hit_cluster() {
    const std::string node = fmt::format("node-{}", below(3));
    switch (below(4)) {
        case 0:
            did("down " + node);
            world_->cluster.set_node_ready(node, false);
            break;
        case 1:
            did("up " + node);
            world_->cluster.set_node_ready(node, true);
            break;
        case 2:
            did("compact");
            world_->cluster.api().compact(world_->cluster.api().storage().version());
            break;
        default: {
            const bool runs = chance(60);
            did(runs ? "controllers run" : "controllers stop");
            world_->cluster.set_controllers_running(runs);
        }
    }
}

void Fate::toggle_policies() {
    policies_ = !policies_;
    did(policies_ ? "install policies" : "remove policies");
    world_->set_policies(policies_);
}

void Fate::trouble(Duration length) {
    using Deed = void (Fate::*)();
    struct Likely {
        Deed deed;
        int weight;
    };
    constexpr Likely deeds[] = {
        {&Fate::change_image, 25},    {&Fate::rescale, 12},        {&Fate::hook_says, 20},
        {&Fate::annotate, 8},         {&Fate::relabel, 4},         {&Fate::move_partition, 6},
        {&Fate::delete_pod, 8},       {&Fate::break_pod, 6},       {&Fate::hit_operator, 8},
        {&Fate::hit_cluster, 6},      {&Fate::toggle_policies, 1}, {&Fate::metric_says, 15},
        {&Fate::prometheus_mood, 4},  {&Fate::change_rollout, 6},  {&Fate::annotate_rollout, 4},
        {&Fate::delete_rollout, 2},   {&Fate::command_plugin, 20}, {&Fate::change_plugin, 6},
        {&Fate::disturb_analyses, 3}, {&Fate::replace_plugin, 2},
    };
    int sum = 0;
    for (const Likely& one : deeds)
        sum += one.weight;
    const Instant end = world_->cluster.now() + length;
    while (world_->cluster.now() < end) {
        world_->cluster.run_for(chance(20) ? dice_.between(0ms, 500ms) : dice_.between(1s, 60s));
        int draw = static_cast<int>(below(static_cast<std::uint64_t>(sum)));
        for (const Likely& one : deeds) {
            draw -= one.weight;
            if (draw >= 0) continue;
            (this->*one.deed)();
            break;
        }
    }
}

// The faults cease, and everybody wants the same.
void Fate::heal() {
    did("heal");
    world_->faults = Faults{};
    world_->egress.forget_rules("careful");
    world_->cluster.set_controllers_running(true);
    for (int i = 0; i < 3; ++i)
        world_->cluster.set_node_ready(fmt::format("node-{}", i), true);
    for (const auto& one : world_->operators)
        if (!one->is_running()) one->crash();  // which starts it
    world_->egress.prometheus.mood = Prometheus::Mood::Well;
    for (const std::string& set : sets_)
        heal_set(set);
}

void Fate::heal_set(const std::string& set) {
    for (const char* key : {"sluice.dev/paused", "sluice.dev/allow-unready"})
        world_->annotate("statefulsets.apps", shop, set, key, "");
    const bool is_hooked = !is_phased(set) && !is_plugged(set);
    world_->label(shop, set, "dd-statefulset-pilot", is_hooked ? "careful" : "");
    if (is_phased(set)) heal_rollout(set);
    if (is_plugged(set)) heal_plugin(set);
    if (number_at(world_->set(shop, set)->object(), "/spec/replicas") == 0)
        world_->scale(shop, set, 2);
    world_->set_image(shop, set, "app:z");
    world_->annotate("statefulsets.apps", shop, set, "sluice.dev/retry", "healed");
}

// Phase and reason, where whoever steers the set tells them.
std::pair<std::string, std::string> Fate::said_of(const std::string& name) const {
    if (!is_plugged(name)) {
        const json::object& notes =
            object_at(world_->set(shop, name)->object(), "/metadata/annotations");
        return {text_at(notes, "/sluice.dev~1phase"), text_at(notes, "/sluice.dev~1reason")};
    }
    const ObjectPtr plugin = world_->rollout(shop, rollout_of(name));
    if (!plugin) return {"gone", ""};
    return {text_at(plugin->object(), "/status/phase"),
            text_at(plugin->object(), "/status/message")};
}

std::string Fate::what_is_wrong() const {
    for (const std::string& name : sets_) {
        const json::object& set = world_->set(shop, name)->object();
        const std::int64_t replicas = number_at(set, "/spec/replicas");
        std::string wanted;
        for (std::int64_t i = 0; i < replicas; ++i)
            wanted += i ? " z" : "z";
        const std::string pods = world_->pods_text(shop, name);
        const std::int64_t gate = partition_of(set);
        const auto [phase, reason] = said_of(name);
        const bool is_well = phase == "Idle" || phase == "Successful" || phase == "Healthy";
        if (pods != wanted || !is_well || gate != replicas)
            return fmt::format("{}: pods {}, phase {}, reason {}, partition {} of {}", name, pods,
                               phase, reason, gate, replicas);
    }
    return {};
}

// Pods that stay broken are deleted by a person, as Kubernetes wants it (K8). Where the revision
// that all pods start on is itself broken, a person says that they need not be ready.
void Fate::check_end() {
    const Instant begun = world_->cluster.now();
    while (!what_is_wrong().empty() && world_->cluster.now() < begun + liveness_time) {
        world_->cluster.run_for(1min);
        for (const ObjectPtr& pod : world_->cluster.api().list("pods", shop)) {
            const std::string how = text_at(
                pod->object(), "/metadata/annotations/" + pointer_token(behaviour_annotation));
            const std::string name = text_at(pod->object(), "/metadata/name");
            if (!how.empty() && !how.starts_with("slow"))
                world_->cluster.api().remove("pods", shop, name, admin, world_->cluster.now());
        }
        help(world_->cluster.now() - begun);
    }
}

// What a person does who sees no end: first the pods need not be ready; then, where the first pod
// of an ordered set is broken on the revision that all start on, the set is taken out of Sluice's
// hands, let go, and given back.
void Fate::help(Duration waited) {
    for (const std::string& set : sets_) {
        if (waited >= 20min && waited < 21min)
            world_->annotate("statefulsets.apps", shop, set, "sluice.dev/allow-unready", "true");
        const std::string pods = world_->pods_text(shop, set);
        const bool lost = pods.find('z') == std::string::npos;
        if (waited >= 35min && waited < 36min && lost) {
            did("release " + set);
            if (is_phased(set))
                world_->change_rollout(shop, rollout_of(set), "skip", "true");
            else if (is_plugged(set))
                delete_plugin(set);
            else
                world_->label(shop, set, "dd-statefulset-pilot", "");
            world_->annotate("statefulsets.apps", shop, set, "sluice.dev/claim", "");
        }
        if (waited >= 55min && waited < 56min && is_phased(set))
            world_->change_rollout(shop, rollout_of(set), "skip", "false");
        const bool released =
            is_plugged(set) ? !world_->rollout(shop, rollout_of(set))
                            : !is_phased(set) && !has(world_->set(shop, set)->object(),
                                                      "/metadata/labels/dd-statefulset-pilot");
        if (waited >= 37min && waited < 38min && released) world_->set_partition(shop, set, 0);
        if (waited >= 55min && waited < 56min && released && is_plugged(set)) heal_plugin(set);
        if (waited >= 55min && waited < 56min && released && !is_plugged(set))
            world_->label(shop, set, "dd-statefulset-pilot", "careful");
    }
}

RandomOutcome Fate::play() {
    RandomOutcome outcome;
    begin();
    trouble(20min);
    outcome.injected = world_->faults.injected();
    heal();
    check_end();
    const std::string wrong = what_is_wrong();
    if (!wrong.empty()) outcome.problems.push_back("L1: no good end: " + wrong);
    world_->cluster.run_for(20min);
    const int before = world_->inspector.writes();
    world_->cluster.run_for(30min);
    const int idle = world_->inspector.writes() - before;
    if (idle > 0 && wrong.empty())
        outcome.problems.push_back(fmt::format("L5: {} writes while nothing happened", idle));
    if (wrong.empty())
        for (const auto& one : world_->operators)
            world_->inspector.compare_view(*one);
    for (const std::string& one : world_->inspector.violations())
        outcome.problems.push_back(one);
    outcome.history = std::move(history_);
    outcome.tested = world_->inspector.tested();
    outcome.tested.insert({"L1", "L5"});
    outcome.writes = world_->inspector.writes();
    outcome.simulated = world_->cluster.now() - start_;
    return outcome;
}

RandomOutcome play_random_world(std::uint64_t seed) {
    return Fate{seed}.play();
}

}  // namespace sluice::sim
