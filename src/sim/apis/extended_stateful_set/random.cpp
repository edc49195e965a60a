// The part of ExtendedStatefulSets in random worlds.
#include <fmt/ranges.h>

#include "sim/api/split.hpp"
#include "sim/api/state.hpp"
#include "sim/apis/analysis/objects.hpp"
#include "sim/apis/extended_stateful_set/api.hpp"
#include "sim/apis/extended_stateful_set/objects.hpp"
#include "sim/apis/hooks/hooks.hpp"
#include "sim/apis/hooks/objects.hpp"
#include "sim/promises/history.hpp"
#include "sim/promises/notes.hpp"
#include "sim/scenario/undo.hpp"
#include "sim/world/chaos.hpp"

namespace sluice::sim::extended_stateful_set {
namespace {

constexpr const char* name = "ledger";
constexpr const char* hook = "ledger-guard";
constexpr const char* config = "ledger-config";
constexpr const char* trial = "ledger-trial";
constexpr const char* trouble = "ledger_trouble";

constexpr const char* claim_name_at = "/spec/template/spec/volumeClaimTemplates/0/metadata/name";
constexpr const char* zones[] = {"zone-a", "zone-a,zone-b", "zone-c,zone-a,zone-b"};

ObjectPtr found(Chaos& chaos) {
    return chaos.world().cluster.api().find(extended_sets, shop, name);
}

void make(Chaos& chaos) {
    FieldTexts wanted{{"replicas", fmt::format("{}", 1 + chaos.below(4))},
                      {"canaries", fmt::format("{}", chaos.below(3))},
                      {"retries", fmt::format("{}", chaos.below(3))},
                      {"deadline", fmt::format("{}s", 120 + chaos.below(200))}};
    if (chaos.chance(30)) wanted["not-ready"] = "true";
    if (chaos.chance(30)) wanted["canary-time"] = "20s";
    if (chaos.chance(20)) wanted["min-ready"] = "10s";
    if (chaos.chance(20)) wanted["odd-only"] = "true";
    if (chaos.chance(30)) wanted["zones"] = zones[chaos.below(std::size(zones))];
    if (chaos.chance(40)) wanted["claim"] = chaos.chance(75) ? "data" : "common,ReadWriteMany";
    if (chaos.chance(30)) wanted["when-scaled"] = "Delete";
    if (chaos.chance(20)) wanted["when-deleted"] = "Delete";
    if (chaos.chance(30)) wanted["order"] = "OrderedReady";
    if (chaos.chance(30)) wanted["hook"] = hook;
    if (chaos.chance(30)) wanted["stays"] = "1m";
    const bool hands_over = wanted.contains("claim") && wanted["claim"] == "data";
    constexpr const char* ends[] = {"well", "well", "fail", "unready,40s"};
    if (chaos.chance(25)) wanted["pre-upgrade"] = ends[chaos.below(std::size(ends))];
    if (chaos.chance(25)) wanted["post-upgrade"] = ends[chaos.below(std::size(ends))];
    if (chaos.chance(25)) wanted["analysis"] = trial;
    if (!hands_over && chaos.chance(20)) wanted["when-stale"] = "Keep";
    if (!hands_over && chaos.chance(20)) wanted["blue-green"] = "true";
    if (chaos.chance(20)) wanted["rest"] = chaos.chance(50) ? "20s" : "promoted";
    if (!hands_over && chaos.chance(50)) create_service(chaos.world(), "ledger", name);
    if (chaos.chance(40)) {
        wanted["follows"] = "true";
        wanted["init-env"] = "env-configmap=ledger-config,envfrom-secret=ledger-token?";
    }
    chaos.did("create {}", name);
    create(chaos.world(), name, wanted);
}

void begin(Chaos& chaos) {
    put_config_map(chaos.world(), config, "key", "0");
    hooks::declare_hook(chaos.world(), hook, "url: https://ledger-guard.example/ask\n");
    analysis::create(
        chaos.world(),
        {.name = trial,
         .what = fmt::format("absent({})", trouble),
         .fields = {{"success", "len(result) == 1"}, {"interval", "10s"}, {"count", "3"}}});
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
    constexpr std::pair<const char*, const char*> edits[] = {{"canaries", "2"},
                                                             {"canaries", "0"},
                                                             {"retries", "none"},
                                                             {"not-ready", "true"},
                                                             {"hook", hook},
                                                             {"hook", "none"},
                                                             {"rest", "none"},
                                                             {"analysis", trial},
                                                             {"analysis", "none"},
                                                             {"not-ready", "none"},
                                                             {"max", "2"},
                                                             {"max", "none"},
                                                             {"min", "2"},
                                                             {"min", "none"},
                                                             {"odd-only", "none"},
                                                             {"follows", "true"},
                                                             {"follows", "none"},
                                                             {"zones", "none"},
                                                             {"zones", zones[0]},
                                                             {"zones", zones[1]},
                                                             {"pre-upgrade", "none"},
                                                             {"post-upgrade", "none"},
                                                             {"pre-upgrade", "well"},
                                                             {"post-upgrade", "fail"}};
    if (!found(chaos)) return;
    const auto [field, value] = edits[chaos.below(std::size(edits))];
    // Where claims are, zones cannot change.
    if (field == std::string_view{"zones"} && has(found(chaos)->object(), claim_name_at)) return;
    chaos.did("change {} {} {}", name, field, value);
    chaos.world().merge(extended_sets, shop, name, field_patch(fields(), field, value));
}

void rescale(Chaos& chaos) {
    if (!found(chaos)) return;
    const auto replicas = static_cast<std::int64_t>(chaos.below(6));
    chaos.did("scale {} {}", name, replicas);
    chaos.world().merge(extended_sets, shop, name, only("/spec/replicas", replicas), "scale");
}

void annotate(Chaos& chaos) {
    if (!found(chaos)) return;
    const std::string number = fmt::format("{}", chaos.below(1000));
    const std::string version =
        fmt::format("{}", number_at(found(chaos)->object(), "/status/updateVersion"));
    const std::pair<const char*, std::string> ways[] = {{"sluice.dev/paused", "true"},
                                                        {"sluice.dev/paused", ""},
                                                        {"sluice.dev/promote", number},
                                                        {"sluice.dev/retry", number},
                                                        {"sluice.dev/abort", version}};
    const auto& [key, value] = ways[chaos.below(std::size(ways))];
    chaos.did("annotate {} {}={}", name, key, value);
    chaos.world().annotate(extended_sets, shop, name, key, value);
}

// To the version before, or to one that may be there no more.
void go_back(Chaos& chaos) {
    if (!found(chaos)) return;
    std::vector<std::string> words{fmt::format("ests/{}", name)};
    if (chaos.chance(30)) {
        words.emplace_back("to");
        words.push_back(fmt::format("v{}", 1 + chaos.below(9)));
    }
    chaos.did("undo {}", fmt::join(words, " "));
    undo(chaos.world(), words);  // it may well be refused
}

void guard(Chaos& chaos) {
    using Says = hooks::HookRule::Says;
    constexpr Says all[] = {Says::Allow, Says::Refuse, Says::Hang, Says::Rubbish};
    const Says says = all[chaos.below(std::size(all))];
    chaos.did("the hook of {} says {}", name, static_cast<int>(says));
    chaos.world().egress.of<hooks::Hooks>().set_rule({hook, "", says, "not now"});
    if (chaos.chance(50))
        chaos.world().egress.prometheus.set(trouble, {}, 1);
    else
        chaos.world().egress.prometheus.forget(trouble);
}

void change_config(Chaos& chaos) {
    const std::string value = fmt::format("{}", chaos.below(1000));
    const std::size_t way = chaos.below(10);
    chaos.did("change the config of {}: {} {}", name, way, value);
    if (way == 0)
        chaos.world().remove("configmaps", shop, config);
    else if (way == 1)
        chaos.world().remove("secrets", shop, "ledger-token");
    else if (way < 4)
        chaos.world().put_secret(shop, "ledger-token", "key", canary + value, {});
    else
        put_config_map(chaos.world(), config, "key", value);
}

// A version, if there is one; null: there is none.
ObjectPtr some_set(Chaos& chaos) {
    if (!found(chaos)) return nullptr;
    const auto all = versions_of(chaos.world().cluster.api(), found(chaos)->object());
    return all.empty() ? nullptr : all[chaos.below(all.size())];
}

std::string some_pod(Chaos& chaos) {
    const ObjectPtr set = some_set(chaos);
    if (!set) return {};
    const auto pods = pods_of(chaos.world().cluster.api(), set->object());
    return pods.empty() ? std::string{} : name_in(pods[chaos.below(pods.size())]->object());
}

void disturb_pod(Chaos& chaos) {
    const std::string pod = some_pod(chaos);
    if (pod.empty()) return;
    constexpr const char* ways[] = {"", "", "unready", "crash"};
    const std::string way = ways[chaos.below(std::size(ways))];
    chaos.did("pod {} {}", pod, way.empty() ? "deleted or well" : way);
    if (way.empty() && chaos.chance(50))
        chaos.world().remove("pods", shop, pod);
    else
        chaos.world().annotate("pods", shop, pod, behaviour_annotation, way);
}

void change_claims(Chaos& chaos) {
    const ObjectPtr object = found(chaos);
    if (!object) return;
    const bool has_claims = text_at(object->object(), claim_name_at) == "data";
    constexpr std::pair<const char*, const char*> edits[] = {{"when-scaled", "Delete"},
                                                             {"when-scaled", "none"},
                                                             {"when-deleted", "Delete"},
                                                             {"when-deleted", "none"},
                                                             {"claim", "data,ReadWriteOnce,2Gi"}};
    const auto [field, value] = edits[chaos.below(has_claims ? 5 : 4)];
    chaos.did("change {} {} {}", name, field, value);
    chaos.world().merge(extended_sets, shop, name, field_patch(fields(), field, value));
}

// Somebody who does not know whose it is.
void meddle(Chaos& chaos) {
    const ObjectPtr set = some_set(chaos);
    // Without the policies, who gives a set other ordinals gives two pods one volume.
    if (!set || (has(set->object(), hand_over_at) && !chaos.has_policies)) return;
    const std::string set_name = name_in(set->object());
    if (chaos.chance(60)) {
        const auto replicas = static_cast<std::int64_t>(1 + chaos.below(4));
        chaos.did("scale {} {}", set_name, replicas);
        chaos.world().merge(sets, shop, set_name, only("/spec/replicas", replicas));
    } else {
        chaos.did("delete {}", set_name);
        chaos.world().remove(sets, shop, set_name);
    }
}

void delete_object(Chaos& chaos) {
    if (!found(chaos)) return;
    constexpr const char* ways[] = {"", "", "Foreground"};
    const std::string way = ways[chaos.below(std::size(ways))];
    chaos.did("delete {} {}", name, way);
    Deletion how;
    if (!way.empty()) how.propagation = way;
    chaos.world().remove(extended_sets, shop, name, how);
    chaos.world().cluster.run_for(chaos.between(0s, 60s));
    if (!found(chaos)) make(chaos);
}

void take_jobs(Chaos& chaos) {
    if (!found(chaos)) return;
    chaos.did("delete the Jobs of {}", name);
    for (const ObjectPtr& job : owned_by(chaos.world().cluster.api(), jobs, found(chaos)->object()))
        chaos.world().remove(jobs, shop, name_in(job->object()));
}

void wipe(Chaos& chaos) {
    if (!found(chaos)) return;
    chaos.did("wipe the status of {}", name);
    chaos.world().merge(extended_sets, shop, name, only("/status", nullptr), "status");
}

void calm(Chaos& chaos) {
    chaos.world().egress.of<hooks::Hooks>().forget_rules(hook);
    chaos.world().egress.prometheus.forget(trouble);
    put_config_map(chaos.world(), config, "key", "calm");
    if (!found(chaos) || is_terminating(found(chaos)->object())) return;
    if (has(found(chaos)->object(), claim_name_at) && !chaos.has_policies) {
        chaos.has_policies = true;
        chaos.world().set_policies(true);
    }
    // A claim that cannot grow is tried again for ever.
    chaos.world().merge("storageclasses.storage.k8s.io", "", "standard",
                        only("/allowVolumeExpansion", true));
    // No Service follows what is handed over.
    if (text_at(found(chaos)->object(), claim_name_at) == "data")
        chaos.world().remove(services, shop, "ledger");
    for (const char* key : {"sluice.dev/paused", "sluice.dev/abort"})
        chaos.world().annotate(extended_sets, shop, name, key, "");
    // The version before may be broken itself, and nobody is left who would promote it.
    chaos.world().annotate(extended_sets, shop, name, "sluice.dev/allow-unready", "true");
    std::vector<const char*> fields_to_drop{"rest",        "min",          "max",     "odd-only",
                                            "pre-upgrade", "post-upgrade", "analysis"};
    if (!has(found(chaos)->object(), claim_name_at)) fields_to_drop.push_back("zones");
    for (const char* field : fields_to_drop)
        chaos.world().merge(extended_sets, shop, name, field_patch(fields(), field, "none"));
    chaos.world().merge(extended_sets, shop, name, field_patch(fields(), "replicas", "3"));
    roll_out(chaos.world(), name, "app:z");
}

// In each zone one set, with three pods that are ready.
bool is_one_version(const std::string& versions, std::size_t zone_count) {
    const auto words = parts_of(versions, ' ');
    const auto pods = static_cast<std::size_t>(std::ranges::count(words, "z"));
    return pods == 3 * zone_count && words.size() == pods + zone_count;
}

std::string what_is_wrong(Chaos& chaos) {
    const ObjectPtr object = found(chaos);
    if (!object) return {};
    if (is_terminating(object->object())) return fmt::format("{}: it is still there", name);
    const std::string versions = versions_text(chaos.world().cluster.api(), name);
    const std::string phase = text_at(object->object(), "/status/phase");
    const auto zones_there = array_at(object->object(), "/spec/zones").size();
    if (is_one_version(versions, std::max<std::size_t>(1, zones_there)) && phase == "Ready")
        return {};
    return fmt::format("{}: {}, phase {}, {}: {}", name, versions, phase,
                       text_at(object->object(), "/status/reason"),
                       text_at(object->object(), "/status/message"));
}

// A version that has failed is tried again on a person's word.
void help(Chaos& chaos) {
    const ObjectPtr object = found(chaos);
    if (!object || text_at(object->object(), "/status/reason") != "RolledBack") return;
    chaos.did("retry {}", name);
    chaos.world().annotate(extended_sets, shop, name, "sluice.dev/retry",
                           fmt::format("{}", chaos.below(1'000'000)));
}

constexpr RandomAction actions[] = {
    {change_image, 6},  {change, 3},    {rescale, 4},       {annotate, 4}, {guard, 3},
    {disturb_pod, 6},   {meddle, 2},    {delete_object, 1}, {wipe, 1},     {change_config, 4},
    {change_claims, 2}, {take_jobs, 1}, {go_back, 2},
};

}  // namespace

const RandomPart random_part{
    .begin = begin, .actions = actions, .calm = calm, .what_is_wrong = what_is_wrong, .help = help};

}  // namespace sluice::sim::extended_stateful_set
