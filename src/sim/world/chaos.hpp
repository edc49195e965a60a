// The inside of random worlds: who lives in them, and what may be done to them. Only random worlds
// and the APIs' parts in them include it.
#pragma once

#include <fmt/format.h>

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/apis/registry.hpp"
#include "sim/world/random_world.hpp"
#include "sim/world/world.hpp"

namespace sluice::sim {

class Chaos;

// Something that is done to a world, so much likelier than others.
struct RandomAction {
    void (*act)(Chaos& chaos);
    int weight;
};

// What an API adds to random worlds: how sets come to be steered by it, what is done to them, and
// how people who agree put it right again. What is null is not done. An API that has workloads of
// its own makes them at the beginning, and heals no sets.
struct RandomPart {
    void (*begin)(Chaos& chaos) = nullptr;  // before there is any set
    // On the way to a set that it steers; four in five of them are usual.
    void (*enrol)(SetOptions& set, bool is_usual) = nullptr;
    void (*create)(Chaos& chaos, const std::string& set) = nullptr;  // once the set is there
    std::span<const RandomAction> actions = {};
    void (*calm)(Chaos& chaos) = nullptr;  // the services behave, and everybody wants the same
    // Of workloads of its own: what is not as everybody wants it; empty: nothing.
    std::string (*what_is_wrong)(Chaos& chaos) = nullptr;
    void (*help)(Chaos& chaos) = nullptr;  // what a person does about it who sees no end
    void (*heal)(Chaos& chaos, const std::string& set) = nullptr;
    // Phase and reason; null: the set itself has them.
    std::pair<std::string, std::string> (*report)(Chaos& chaos, const std::string& set) = nullptr;
    // Takes a set out of Sluice's hands; whether that is done (null: it never is); and gives it
    // back.
    void (*release)(Chaos& chaos, const std::string& set) = nullptr;
    bool (*is_released)(Chaos& chaos, const std::string& set) = nullptr;
    void (*give_back)(Chaos& chaos, const std::string& set) = nullptr;
};

class Chaos {
  public:
    // Dice of neighbouring seeds must not throw the same numbers one after the other: each begins
    // somewhere else.
    explicit Chaos(std::uint64_t seed)
        : dice_(Dice{seed}.roll()), world_(std::make_unique<World>(options(seed))) {}

    RandomOutcome play();

    World& world() { return *world_; }
    std::uint64_t below(std::uint64_t limit) { return dice_.roll() % limit; }
    bool chance(int percent) { return below(100) < static_cast<std::uint64_t>(percent); }
    Duration between(Duration least, Duration most) { return dice_.between(least, most); }
    std::string some_set() { return sets_[below(sets_.size())]; }
    std::string some_pod() { return fmt::format("{}-{}", some_set(), below(4)); }
    // The API that steers a set, and whether it is this one.
    const Api& api_of(const std::string& set) const { return *steered_.at(set); }
    bool is_of(const std::string& set, const RandomPart& part) const {
        return api_of(set).random == &part;
    }
    // What stands beside a set: the object that says how it is rolled out, and the metric that is
    // there while the set is not well.
    std::string rollout_of(const std::string& set) const { return set + "-gentle"; }
    std::string metric_of(const std::string& set) const { return "errors_" + set; }
    template <class... Told>
    void did(fmt::format_string<Told...> what, Told&&... told) {
        remember(fmt::format(what, std::forward<Told>(told)...));
    }

    // A template that nobody has seen, and how its pods behave.
    std::string new_image() {
        return fmt::format("app:{}", static_cast<char>('a' + ++images % 20));
    }
    std::string some_behaviour() {
        constexpr const char* ways[] = {"", "", "", "", "crash", "unready", "slow 30s"};
        return ways[below(std::size(ways))];
    }

    int images = 0;  // that were rolled out
    bool has_policies = true;

  private:
    void remember(const std::string& what);
    WorldOptions options(std::uint64_t seed);
    void begin();
    void create_set(const std::string& name);
    void trouble(Duration length);
    void heal();
    void heal_set(const std::string& set);
    std::pair<std::string, std::string> report_of(const std::string& set);
    std::string what_is_wrong();
    void check_end();
    void help(const std::string& set, Duration waited);

    Dice dice_;
    std::unique_ptr<World> world_;
    std::vector<std::string> sets_;
    std::map<std::string, const Api*> steered_;  // by set
    std::vector<std::string> history_;
    Instant start_;
};

// What is done in any world, whichever APIs there are.
std::span<const RandomAction> general_actions();

}  // namespace sluice::sim
