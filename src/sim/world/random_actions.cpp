// What people, machines and bad luck do in any random world.
#include "sim/world/chaos.hpp"

namespace sluice::sim {
namespace {

void change_image(Chaos& chaos) {
    const std::string set = chaos.some_set();
    const std::string behaviour = chaos.some_behaviour();
    const std::string image = chaos.new_image();
    chaos.did("set image {} {} {}", set, image, behaviour);
    chaos.world().set_image(shop, set, image, behaviour);
}

void rescale(Chaos& chaos) {
    const std::string set = chaos.some_set();
    const auto replicas = static_cast<std::int64_t>(chaos.below(7));
    chaos.did("scale {} {}", set, replicas);
    chaos.world().scale(shop, set, replicas);
}

void annotate(Chaos& chaos) {
    constexpr std::pair<const char*, const char*> notes[] = {
        {"sluice.dev/paused", "true"},        {"sluice.dev/paused", ""},
        {"sluice.dev/allow-unready", "true"}, {"sluice.dev/allow-unready", ""},
        {"sluice.dev/retry", "now"},          {"sluice.dev/rollout", "{}"},
        {"sluice.dev/phase", "Rolling"}};
    const auto [key, value] = notes[chaos.below(std::size(notes))];
    const std::string set = chaos.some_set();
    chaos.did("annotate {} {}={}", set, key, value);
    chaos.world().annotate("statefulsets.apps", shop, set, key, value);
}

void move_partition(Chaos& chaos) {
    const std::string set = chaos.some_set();
    const auto partition = static_cast<std::int64_t>(chaos.below(6));
    chaos.did("set partition {} {}", set, partition);
    chaos.world().set_partition(shop, set, partition);
}

void delete_pod(Chaos& chaos) {
    const std::string pod = chaos.some_pod();
    chaos.did("delete pod {}", pod);
    chaos.world().remove("pods", shop, pod);
}

void break_pod(Chaos& chaos) {
    const std::string pod = chaos.some_pod();
    const bool mends = chaos.chance(50);
    chaos.did("pod {} {}", pod, mends ? "behaves" : "is unready");
    chaos.world().annotate("pods", shop, pod, behaviour_annotation, mends ? "" : "unready");
}

void hit_operator(Chaos& chaos) {
    OperatorHost& host = *chaos.world().operators[chaos.below(chaos.world().operators.size())];
    if (chaos.chance(50)) {
        chaos.did("crash {}", host.options().identity);
        host.crash();
    } else {
        const Duration length = chaos.between(1s, 60s);
        chaos.did("stop {} for {} ms", host.options().identity, length.count());
        host.pause(length);
    }
}

void hit_cluster(Chaos& chaos) {
    const std::string node = fmt::format("node-{}", chaos.below(3));
    Cluster& cluster = chaos.world().cluster;
    switch (chaos.below(4)) {
        case 0: chaos.did("down {}", node); return cluster.set_node_ready(node, false);
        case 1: chaos.did("up {}", node); return cluster.set_node_ready(node, true);
        case 2:
            chaos.did("compact");
            return cluster.api().compact(cluster.api().storage().version());
        default: break;
    }
    const bool runs = chaos.chance(60);
    chaos.did("controllers {}", runs ? "run" : "stop");
    cluster.set_controllers_running(runs);
}

void toggle_policies(Chaos& chaos) {
    chaos.has_policies = !chaos.has_policies;
    chaos.did("{} policies", chaos.has_policies ? "install" : "remove");
    chaos.world().set_policies(chaos.has_policies);
}

void metric_says(Chaos& chaos) {
    const std::string set = chaos.some_set();
    const bool is_bad = chaos.chance(50);
    chaos.did("metric {} {}", set, is_bad ? "is bad" : "is well");
    if (is_bad)
        chaos.world().egress.prometheus.set(chaos.metric_of(set), {}, 1);
    else
        chaos.world().egress.prometheus.forget(chaos.metric_of(set));
}

void prometheus_mood(Chaos& chaos) {
    using Mood = Prometheus::Mood;
    constexpr Mood moods[] = {Mood::Well, Mood::Well,   Mood::Well,
                              Mood::Down, Mood::Broken, Mood::Babbling};
    const Mood mood = moods[chaos.below(std::size(moods))];
    chaos.did("prometheus {}", static_cast<int>(mood));
    chaos.world().egress.prometheus.mood = mood;
}

constexpr RandomAction table[] = {
    {change_image, 25},   {rescale, 12},     {annotate, 8},        {move_partition, 6},
    {delete_pod, 8},      {break_pod, 6},    {hit_operator, 8},    {hit_cluster, 6},
    {toggle_policies, 1}, {metric_says, 15}, {prometheus_mood, 4},
};

}  // namespace

std::span<const RandomAction> general_actions() {
    return table;
}

}  // namespace sluice::sim
