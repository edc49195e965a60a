// What is done to PhasedRollouts and their Prometheus in random worlds.
#include "sim/world/fate.hpp"

namespace sluice::sim {
namespace {

constexpr const char* shop = "shop";
constexpr const char* rollouts = "phasedrollouts.sts.plus";

bool is_leaving(const ObjectPtr& object) {
    return object && has(object->object(), "/metadata/deletionTimestamp");
}

}  // namespace

void Fate::create_rollout(const std::string& set) {
    RolloutOptions rollout;
    rollout.name = rollout_of(set);
    rollout.target = set;
    rollout.fields = {{"expr", metric_of(set) + " > 0"},
                      {"delay", fmt::format("{}s", below(20))},
                      {"period", fmt::format("{}s", 5 + below(20))},
                      {"threshold", fmt::format("{}", 1 + below(3))}};
    if (chance(40)) rollout.fields["tries"] = fmt::format("{}", 3 + below(4));
    if (chance(30)) rollout.fields["failures"] = fmt::format("{}", 1 + below(3));
    if (chance(50)) rollout.fields["on-failure"] = "Rollback";
    if (chance(30)) rollout.fields["deadline"] = fmt::format("{}m", 3 + below(5));
    if (chance(10)) rollout.fields["skip"] = "true";
    if (chance(30)) rollout.fields["deletion-policy"] = chance(50) ? "Freeze" : "Open";
    did(fmt::format("create {}", rollout.name));
    world_->create_rollout(rollout);
}

void Fate::metric_says() {
    const std::string set = some_set();
    const bool is_bad = chance(50);
    did(fmt::format("metric {} {}", set, is_bad ? "is bad" : "is well"));
    if (is_bad)
        world_->egress.prometheus.set(metric_of(set), {}, 1);
    else
        world_->egress.prometheus.forget(metric_of(set));
}

void Fate::prometheus_mood() {
    using Mood = Prometheus::Mood;
    constexpr Mood moods[] = {Mood::Well, Mood::Well,   Mood::Well,
                              Mood::Down, Mood::Broken, Mood::Babbling};
    const Mood mood = moods[below(std::size(moods))];
    did(fmt::format("prometheus {}", static_cast<int>(mood)));
    world_->egress.prometheus.mood = mood;
}

void Fate::change_rollout() {
    struct Edit {
        const char* field;
        const char* value;
    };
    constexpr Edit edits[] = {
        {"skip", "true"},     {"skip", "false"},       {"skip", "false"},
        {"threshold", "1"},   {"threshold", "3"},      {"tries", "none"},
        {"delay", "12s"},     {"tries", "3"},          {"period", "11s"},
        {"failures", "none"}, {"on-failure", "Hold"},  {"on-failure", "Rollback"},
        {"deadline", "none"}, {"target", "somewhere"}, {"threshold", "50"}};
    const std::string set = some_set();
    if (!is_phased(set)) return;
    const Edit& edit = edits[below(std::size(edits))];
    did(fmt::format("change {} {} {}", rollout_of(set), edit.field, edit.value));
    world_->change_rollout(shop, rollout_of(set), edit.field, edit.value);
    // Somebody notices soon that it names nothing.
    if (std::string{edit.field} == "target") {
        world_->cluster.run_for(dice_.between(0s, 20s));
        world_->change_rollout(shop, rollout_of(set), "target", set);
    }
}

void Fate::annotate_rollout() {
    const std::string set = some_set();
    if (!is_phased(set)) return;
    const bool retries = chance(50);
    const std::string value = retries ? fmt::format("{}", below(1000)) : chance(40) ? "true" : "";
    const char* key = retries ? "sluice.dev/retry" : "sluice.dev/paused";
    did(fmt::format("annotate {} {}={}", rollout_of(set), key, value));
    world_->annotate(rollouts, shop, rollout_of(set), key, value);
}

// Deleted, and sometimes made anew while the old one is still on its way out.
void Fate::delete_rollout() {
    const std::string set = some_set();
    if (!is_phased(set)) return;
    did(fmt::format("delete {}", rollout_of(set)));
    world_->cluster.api().remove(rollouts, shop, rollout_of(set), admin, world_->cluster.now());
    world_->cluster.run_for(dice_.between(0s, 60s));
    create_rollout(set);
}

void Fate::heal_rollout(const std::string& set) {
    world_->egress.prometheus.forget(metric_of(set));
    // One that is being deleted goes, now that the operators are well.
    for (int i = 0; i < 40 && is_leaving(world_->rollout(shop, rollout_of(set))); ++i)
        world_->cluster.run_for(30s);
    if (!world_->rollout(shop, rollout_of(set))) create_rollout(set);
    for (const char* field : {"tries", "failures", "deadline"})
        world_->change_rollout(shop, rollout_of(set), field, "none");
    world_->change_rollout(shop, rollout_of(set), "threshold", "2");
    world_->change_rollout(shop, rollout_of(set), "skip", "false");
    world_->change_rollout(shop, rollout_of(set), "target", set);
    world_->annotate(rollouts, shop, rollout_of(set), "sluice.dev/paused", "");
    world_->annotate(rollouts, shop, rollout_of(set), "sluice.dev/retry", "healed");
}

}  // namespace sluice::sim
