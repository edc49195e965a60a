// The part of StatefulClusters in random worlds.
#include "sim/api/state.hpp"
#include "sim/apis/hooks/hooks.hpp"
#include "sim/apis/hooks/objects.hpp"
#include "sim/apis/stateful_cluster/api.hpp"
#include "sim/apis/stateful_cluster/objects.hpp"
#include "sim/promises/history.hpp"
#include "sim/world/chaos.hpp"

namespace sluice::sim::stateful_cluster {
namespace {

constexpr const char* name = "kv";
constexpr const char* hook = "kv-guard";
constexpr const char* metric = "kv_errors";

ObjectPtr found(Chaos& chaos) {
    return chaos.world().cluster.api().find(clusters, shop, name);
}

void add_gates(Chaos& chaos, FieldTexts& wanted) {
    if (chaos.chance(30)) wanted["hook"] = hook;
    if (chaos.chance(20)) wanted["rest"] = chaos.chance(50) ? "20s" : "promoted";
    if (!chaos.chance(30)) return;
    wanted["expr"] = std::string{metric} + " > 0";
    wanted["delay"] = "5s";
    wanted["period"] = "10s";
    wanted["threshold"] = "2";
}

void make(Chaos& chaos) {
    FieldTexts wanted{{"replicas", fmt::format("{}", 1 + chaos.below(4))},
                      {"tolerance", fmt::format("{}s", 20 + chaos.below(200))},
                      {"startup", fmt::format("{}s", 60 + chaos.below(300))}};
    if (chaos.chance(40)) wanted["policy"] = "Parallel";
    if (chaos.chance(30)) wanted["max-unavailable"] = "2";
    if (chaos.chance(30)) wanted["claim-policy"] = "New";
    if (chaos.chance(20)) wanted["min-ready"] = "10s";
    if (chaos.chance(30)) wanted["in-place"] = "IfPossible";
    if (chaos.chance(15))
        wanted["strategy"] = "OnDelete";
    else
        add_gates(chaos, wanted);
    for (const char* when : {"when-deleted", "when-scaled", "when-failed"})
        if (chaos.chance(30)) wanted[when] = "Delete";
    chaos.did("create {}", name);
    create(chaos.world(), name, wanted, chaos.chance(80) ? "data" : "");
}

void begin(Chaos& chaos) {
    hooks::declare_hook(chaos.world(), hook, "url: https://kv-guard.example/ask\n");
    if (chaos.chance(40)) make(chaos);
}

void change_image(Chaos& chaos) {
    if (!found(chaos)) return;
    const std::string behaviour = chaos.some_behaviour();
    const std::string image = chaos.new_image();
    chaos.did("set image {} {} {}", name, image, behaviour);
    roll_out(chaos.world(), name, image, behaviour);
}

void change(Chaos& chaos) {
    constexpr std::pair<const char*, const char*> edits[] = {
        {"partition", "1"},      {"partition", "none"},   {"max-unavailable", "3"},
        {"when-failed", "none"}, {"when-scaled", "none"}, {"when-deleted", "none"},
        {"strategy", "none"},    {"claim-policy", "New"}, {"when-deleted", "Delete"},
        {"hook", hook},          {"hook", "none"},        {"rest", "none"}};
    if (!found(chaos)) return;
    const auto [field, value] = edits[chaos.below(std::size(edits))];
    chaos.did("change {} {} {}", name, field, value);
    chaos.world().merge(clusters, shop, name, field_patch(fields(), field, value));
}

void rescale(Chaos& chaos) {
    if (!found(chaos)) return;
    const auto replicas = static_cast<std::int64_t>(chaos.below(6));
    chaos.did("scale {} {}", name, replicas);
    chaos.world().merge(clusters, shop, name, only("/spec/replicas", replicas), "scale");
}

void annotate(Chaos& chaos) {
    if (!found(chaos)) return;
    const bool pauses = chaos.chance(50);
    chaos.did("{} {}", pauses ? "pause" : "resume", name);
    chaos.world().annotate(clusters, shop, name, "sluice.dev/paused", pauses ? "true" : "");
}

// What the gates are told.
void guard(Chaos& chaos) {
    using Says = hooks::HookRule::Says;
    constexpr Says all[] = {Says::Allow, Says::Refuse, Says::Hang, Says::Rubbish};
    const Says says = all[chaos.below(std::size(all))];
    const bool is_well = chaos.chance(60);
    chaos.did("the hook of {} says {}, its metric is {}", name, static_cast<int>(says),
              is_well ? "well" : "not");
    chaos.world().egress.of<hooks::Hooks>().set_rule({hook, "", says, "not now"});
    if (is_well)
        chaos.world().egress.prometheus.forget(metric);
    else
        chaos.world().egress.prometheus.set(metric, {}, 1);
}

void promote(Chaos& chaos) {
    if (!found(chaos)) return;
    const std::string word = fmt::format("{}", chaos.below(1000));
    chaos.did("promote {} {}", name, word);
    chaos.world().annotate(clusters, shop, name, "sluice.dev/promote", word);
}

// A pod of a member, if there is one.
std::string some_member(Chaos& chaos) {
    const auto pods = pods_of(chaos.world().cluster.api(), shop, name);
    return pods.empty() ? std::string{} : name_in(pods[chaos.below(pods.size())]->object());
}

void delete_member(Chaos& chaos) {
    const std::string pod = some_member(chaos);
    if (pod.empty()) return;
    chaos.did("delete pod {}", pod);
    chaos.world().remove("pods", shop, pod);
}

void break_member(Chaos& chaos) {
    const std::string pod = some_member(chaos);
    if (pod.empty()) return;
    constexpr const char* ways[] = {"", "", "unready", "crash", "fail"};
    const std::string way = ways[chaos.below(std::size(ways))];
    chaos.did("pod {} {}", pod, way);
    chaos.world().annotate("pods", shop, pod, behaviour_annotation, way);
}

// A disk dies.
void lose_volume(Chaos& chaos) {
    const auto all = chaos.world().cluster.api().list(claims, shop);
    if (all.empty()) return;
    const json::object& claim = all[chaos.below(all.size())]->object();
    if (text_at(claim, cluster_label_at) != name) return;
    chaos.did("lose the volume of {}", name_in(claim));
    chaos.world().remove("persistentvolumes", "", text_at(claim, "/spec/volumeName"));
}

// Deleted, and sometimes made anew at once.
void delete_cluster(Chaos& chaos) {
    if (!found(chaos)) return;
    chaos.did("delete {}", name);
    chaos.world().remove(clusters, shop, name);
    chaos.world().cluster.run_for(chaos.between(0s, 60s));
    if (!found(chaos)) make(chaos);
}

void wipe(Chaos& chaos) {
    if (!found(chaos)) return;
    chaos.did("wipe the status of {}", name);
    chaos.world().merge(clusters, shop, name, only("/status", nullptr), "status");
}

void calm(Chaos& chaos) {
    chaos.world().egress.of<hooks::Hooks>().forget_rules(hook);
    chaos.world().egress.prometheus.forget(metric);
    if (!found(chaos) || is_terminating(found(chaos)->object())) return;
    chaos.world().annotate(clusters, shop, name, "sluice.dev/paused", "");
    // The template before may be broken itself.
    chaos.world().annotate(clusters, shop, name, "sluice.dev/allow-unready", "true");
    // Nobody is left who would promote it.
    for (const char* field : {"partition", "strategy", "rest"})
        chaos.world().merge(clusters, shop, name, field_patch(fields(), field, "none"));
    chaos.world().merge(clusters, shop, name, field_patch(fields(), "replicas", "3"));
    roll_out(chaos.world(), name, "app:z");
}

std::string what_is_wrong(Chaos& chaos) {
    const ObjectPtr cluster = found(chaos);
    if (!cluster) return {};
    if (is_terminating(cluster->object())) return fmt::format("{}: it is still there", name);
    const std::string members = members_text(chaos.world().cluster.api(), name);
    const std::string phase = text_at(cluster->object(), "/status/phase");
    if (members == "z z z" && phase == "Ready") return {};
    return fmt::format("{}: members {}, phase {}, reason {}", name, members, phase,
                       text_at(cluster->object(), "/status/reason"));
}

// Where so many wait for volumes that are gone that nobody is replaced, he does what the message
// says: he deletes such a pod.
void help(Chaos& chaos) {
    const ObjectPtr cluster = found(chaos);
    if (!cluster || text_at(cluster->object(), "/status/reason") != "TooManyUnready") return;
    for (const ObjectPtr& pod : pods_of(chaos.world().cluster.api(), shop, name))
        if (text_at(pod->object(), "/spec/nodeName").empty()) {
            chaos.did("delete pod {}", name_in(pod->object()));
            chaos.world().remove("pods", shop, name_in(pod->object()));
            return;
        }
}

constexpr RandomAction actions[] = {
    {change_image, 6},  {change, 3},       {rescale, 4},        {annotate, 2},
    {delete_member, 5}, {break_member, 5}, {delete_cluster, 1}, {wipe, 1},
    {guard, 3},         {promote, 2},      {lose_volume, 1},
};

}  // namespace

const RandomPart random_part{
    .begin = begin, .actions = actions, .calm = calm, .what_is_wrong = what_is_wrong, .help = help};

}  // namespace sluice::sim::stateful_cluster
