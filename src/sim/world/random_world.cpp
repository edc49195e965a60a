#include "sim/world/random_world.hpp"

#include <fmt/format.h>

#include "base/json_pointer.hpp"
#include "sim/api/state.hpp"
#include "sim/world/chaos.hpp"

namespace sluice::sim {
namespace {

constexpr Duration liveness_time = 90min;
constexpr Duration patience = 20min;  // of a person who sees no end

// The APIs that have a part in random worlds, and those of them that steer sets.
std::vector<const Api*> random_apis() {
    std::vector<const Api*> found;
    for (const Api& api : apis())
        if (api.random) found.push_back(&api);
    return found;
}
std::vector<const Api*> steering_apis() {
    std::vector<const Api*> found = random_apis();
    std::erase_if(found, [](const Api* api) { return !api->random->heal; });
    return found;
}

std::vector<RandomAction> all_actions() {
    std::vector<RandomAction> all{general_actions().begin(), general_actions().end()};
    for (const Api* api : random_apis())
        all.insert(all.end(), api->random->actions.begin(), api->random->actions.end());
    return all;
}

}  // namespace

WorldOptions Chaos::options(std::uint64_t seed) {
    WorldOptions options;
    options.seed = seed;
    options.operators = chance(30) ? 2 : 1;
    options.hook_retry = dice_.between(5s, 30s);
    if (chance(30)) options.skew = dice_.between(0s, 600s) - 300s;
    return options;
}

void Chaos::remember(const std::string& what) {
    history_.push_back(
        fmt::format("{:>8.1f}s  {}",
                    static_cast<double>((world_->cluster.now() - start_).count()) / 1000, what));
}

void Chaos::create_set(const std::string& name) {
    const std::vector<const Api*> known = steering_apis();
    SetOptions set;
    set.name = name;
    set.replicas = static_cast<std::int64_t>(1 + below(5));
    const bool is_usual = chance(80);
    set.policy = chance(70) ? "OrderedReady" : "Parallel";
    set.start = chance(25) ? static_cast<std::int64_t>(below(20)) : 0;
    set.min_ready = chance(30) ? static_cast<std::int64_t>(below(20)) : 0;
    if (chance(30)) set.claim = "data";
    if (chance(30)) set.partition = static_cast<std::int64_t>(below(4));
    const Api& api = *known[below(known.size())];
    if (api.random->enrol) api.random->enrol(set, is_usual);
    world_->create_set(set);
    sets_.push_back(name);
    steered_[name] = &api;
    if (api.random->create) api.random->create(*this, name);
}

void Chaos::begin() {
    has_policies = chance(75);
    world_->set_policies(has_policies);
    for (const Api* api : random_apis())
        if (api->random->begin) api->random->begin(*this);
    const char* names[] = {"web", "db", "log"};
    for (std::uint64_t i = 0; i <= below(3); ++i)
        create_set(names[i]);
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

void Chaos::trouble(Duration length) {
    const std::vector<RandomAction> actions = all_actions();
    int sum = 0;
    for (const RandomAction& one : actions)
        sum += one.weight;
    const Instant end = world_->cluster.now() + length;
    while (world_->cluster.now() < end) {
        world_->cluster.run_for(chance(20) ? dice_.between(0ms, 500ms) : dice_.between(1s, 60s));
        int draw = static_cast<int>(below(static_cast<std::uint64_t>(sum)));
        for (const RandomAction& one : actions) {
            draw -= one.weight;
            if (draw >= 0) continue;
            one.act(*this);
            break;
        }
    }
}

// The faults cease, and everybody wants the same.
void Chaos::heal() {
    did("heal");
    world_->faults = Faults{};
    for (const Api* api : random_apis())
        if (api->random->calm) api->random->calm(*this);
    world_->cluster.set_controllers_running(true);
    for (int i = 0; i < 3; ++i)
        world_->cluster.set_node_ready(fmt::format("node-{}", i), true);
    for (const auto& one : world_->operators)
        if (!one->is_running()) one->crash();  // which starts it
    world_->egress.prometheus.mood = Prometheus::Mood::Well;
    for (const std::string& set : sets_)
        heal_set(set);
}

void Chaos::heal_set(const std::string& set) {
    for (const char* key : {"sluice.dev/paused", "sluice.dev/allow-unready"})
        world_->annotate("statefulsets.apps", shop, set, key, "");
    for (const Api& api : apis())
        if (!api.label.key.empty() && &api != &api_of(set))
            world_->label(shop, set, std::string{api.label.key}, "");
    api_of(set).random->heal(*this, set);
    if (number_at(world_->set(shop, set)->object(), "/spec/replicas") == 0)
        world_->scale(shop, set, 2);
    world_->set_image(shop, set, "app:z");
    world_->annotate("statefulsets.apps", shop, set, "sluice.dev/retry", "healed");
}

// Phase and reason, where whoever steers the set gives them.
std::pair<std::string, std::string> Chaos::report_of(const std::string& name) {
    const RandomPart& part = *api_of(name).random;
    if (part.report) return part.report(*this, name);
    const json::object& notes =
        object_at(world_->set(shop, name)->object(), "/metadata/annotations");
    return {text_at(notes, "/sluice.dev~1phase"), text_at(notes, "/sluice.dev~1reason")};
}

std::string Chaos::what_is_wrong() {
    for (const std::string& name : sets_) {
        const json::object& set = world_->set(shop, name)->object();
        const std::int64_t replicas = number_at(set, "/spec/replicas");
        std::string wanted;
        for (std::int64_t i = 0; i < replicas; ++i)
            wanted += i ? " z" : "z";
        const std::string pods = world_->pods_text(shop, name);
        const std::int64_t gate = partition_of(set);
        const auto [phase, reason] = report_of(name);
        const bool is_well = phase == "Idle" || phase == "Successful" || phase == "Healthy";
        if (pods != wanted || !is_well || gate != replicas)
            return fmt::format("{}: pods {}, phase {}, reason {}, partition {} of {}", name, pods,
                               phase, reason, gate, replicas);
    }
    for (const Api* api : random_apis())
        if (api->random->what_is_wrong)
            if (std::string wrong = api->random->what_is_wrong(*this); !wrong.empty()) return wrong;
    return {};
}

// Pods that stay broken are deleted by a person, as Kubernetes wants it (K8). Where the revision
// that all pods start on is itself broken, a person says that they need not be ready.
void Chaos::check_end() {
    const Instant begun = world_->cluster.now();
    while (!what_is_wrong().empty() && world_->cluster.now() < begun + liveness_time) {
        world_->cluster.run_for(1min);
        for (const ObjectPtr& pod : world_->cluster.api().list("pods", shop)) {
            const std::string how = text_at(
                pod->object(), "/metadata/annotations/" + pointer_token(behaviour_annotation));
            const std::string name = text_at(pod->object(), "/metadata/name");
            if (!how.empty() && !how.starts_with("slow")) world_->remove("pods", shop, name);
        }
        const Duration waited = world_->cluster.now() - begun;
        for (const std::string& set : sets_)
            help(set, waited);
        for (const Api* api : random_apis())
            if (api->random->help && waited >= patience) api->random->help(*this);
    }
}

// What a person does who sees no end: first the pods need not be ready; then, where the first pod
// of an ordered set is broken on the revision that all start on, the set is taken out of Sluice's
// hands, let go, and given back.
void Chaos::help(const std::string& set, Duration waited) {
    const RandomPart& part = *api_of(set).random;
    const auto is_minute = [&](Duration minute) {
        return waited >= minute && waited < minute + 1min;
    };
    if (is_minute(patience))
        world_->annotate("statefulsets.apps", shop, set, "sluice.dev/allow-unready", "true");
    const bool is_lost = world_->pods_text(shop, set).find('z') == std::string::npos;
    if (is_minute(35min) && is_lost) {
        did("release {}", set);
        part.release(*this, set);
        world_->annotate("statefulsets.apps", shop, set, "sluice.dev/claim", "");
    }
    const bool is_released = part.is_released && part.is_released(*this, set);
    if (is_minute(37min) && is_released) world_->set_partition(shop, set, 0);
    if (is_minute(55min) && (is_released || !part.is_released)) part.give_back(*this, set);
}

RandomOutcome Chaos::play() {
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
            world_->inspector.end(*one);
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
    return Chaos{seed}.play();
}

}  // namespace sluice::sim
