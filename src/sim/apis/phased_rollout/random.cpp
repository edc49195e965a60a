// The part of PhasedRollouts in random worlds.
#include "sim/api/state.hpp"
#include "sim/apis/phased_rollout/api.hpp"
#include "sim/apis/phased_rollout/objects.hpp"
#include "sim/world/chaos.hpp"

namespace sluice::sim::phased_rollout {
namespace {

constexpr const char* shop = "shop";

void create_rollout(Chaos& chaos, const std::string& set) {
    RolloutOptions rollout;
    rollout.name = chaos.rollout_of(set);
    rollout.target = set;
    rollout.fields = {{"expr", chaos.metric_of(set) + " > 0"},
                      {"delay", fmt::format("{}s", chaos.below(20))},
                      {"period", fmt::format("{}s", 5 + chaos.below(20))},
                      {"threshold", fmt::format("{}", 1 + chaos.below(3))}};
    if (chaos.chance(40)) rollout.fields["tries"] = fmt::format("{}", 3 + chaos.below(4));
    if (chaos.chance(30)) rollout.fields["failures"] = fmt::format("{}", 1 + chaos.below(3));
    if (chaos.chance(50)) rollout.fields["on-failure"] = "Rollback";
    if (chaos.chance(30)) rollout.fields["deadline"] = fmt::format("{}m", 3 + chaos.below(5));
    if (chaos.chance(10)) rollout.fields["skip"] = "true";
    if (chaos.chance(30)) rollout.fields["deletion-policy"] = chaos.chance(50) ? "Freeze" : "Open";
    chaos.did("create {}", rollout.name);
    create(chaos.world(), rollout);
}

void change_rollout(Chaos& chaos) {
    constexpr std::pair<const char*, const char*> edits[] = {
        {"skip", "true"},     {"skip", "false"},       {"skip", "false"},
        {"threshold", "1"},   {"threshold", "3"},      {"tries", "none"},
        {"delay", "12s"},     {"tries", "3"},          {"period", "11s"},
        {"failures", "none"}, {"on-failure", "Hold"},  {"on-failure", "Rollback"},
        {"deadline", "none"}, {"target", "somewhere"}, {"threshold", "50"}};
    const std::string set = chaos.some_set();
    if (!chaos.is_of(set, random_part)) return;
    const auto [field, value] = edits[chaos.below(std::size(edits))];
    chaos.did("change {} {} {}", chaos.rollout_of(set), field, value);
    change(chaos.world(), shop, chaos.rollout_of(set), field, value);
    // Somebody notices soon that it names nothing.
    if (std::string_view{field} == "target") {
        chaos.world().cluster.run_for(chaos.between(0s, 20s));
        change(chaos.world(), shop, chaos.rollout_of(set), "target", set);
    }
}

void annotate_rollout(Chaos& chaos) {
    const std::string set = chaos.some_set();
    if (!chaos.is_of(set, random_part)) return;
    const bool retries = chaos.chance(50);
    const std::string value = retries            ? fmt::format("{}", chaos.below(1000))
                              : chaos.chance(40) ? "true"
                                                 : "";
    const char* key = retries ? "sluice.dev/retry" : "sluice.dev/paused";
    chaos.did("annotate {} {}={}", chaos.rollout_of(set), key, value);
    chaos.world().annotate(rollouts, shop, chaos.rollout_of(set), key, value);
}

// Deleted, and sometimes made anew while the old one is still on its way out.
void delete_rollout(Chaos& chaos) {
    const std::string set = chaos.some_set();
    if (!chaos.is_of(set, random_part)) return;
    chaos.did("delete {}", chaos.rollout_of(set));
    chaos.world().remove(rollouts, shop, chaos.rollout_of(set));
    chaos.world().cluster.run_for(chaos.between(0s, 60s));
    create_rollout(chaos, set);
}

void heal_rollout(Chaos& chaos, const std::string& set) {
    chaos.world().egress.prometheus.forget(chaos.metric_of(set));
    // One that is being deleted goes, now that the operators are well.
    const auto is_leaving = [&] {
        const ObjectPtr rollout = chaos.world().rollout(shop, chaos.rollout_of(set));
        return rollout && is_terminating(rollout->object());
    };
    for (int i = 0; i < 40 && is_leaving(); ++i)
        chaos.world().cluster.run_for(30s);
    if (!chaos.world().rollout(shop, chaos.rollout_of(set))) create_rollout(chaos, set);
    for (const char* field : {"tries", "failures", "deadline"})
        change(chaos.world(), shop, chaos.rollout_of(set), field, "none");
    change(chaos.world(), shop, chaos.rollout_of(set), "threshold", "2");
    change(chaos.world(), shop, chaos.rollout_of(set), "skip", "false");
    change(chaos.world(), shop, chaos.rollout_of(set), "target", set);
    chaos.world().annotate(rollouts, shop, chaos.rollout_of(set), "sluice.dev/paused", "");
    chaos.world().annotate(rollouts, shop, chaos.rollout_of(set), "sluice.dev/retry", "healed");
}

void release(Chaos& chaos, const std::string& set) {
    change(chaos.world(), shop, chaos.rollout_of(set), "skip", "true");
}

void give_back(Chaos& chaos, const std::string& set) {
    change(chaos.world(), shop, chaos.rollout_of(set), "skip", "false");
}

constexpr RandomAction actions[] = {
    {change_rollout, 6}, {annotate_rollout, 4}, {delete_rollout, 2}};

}  // namespace

const RandomPart random_part{.create = create_rollout,
                             .actions = actions,
                             .heal = heal_rollout,
                             .release = release,
                             .give_back = give_back};

}  // namespace sluice::sim::phased_rollout
