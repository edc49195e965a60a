#include "sim/scenario/explore.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace sluice::sim {
namespace {

// Events that were lost are seen with the next list, which may take a quarter of an hour, and so is
// it that an object is gone of which old events came after its deletion. All else is over with the
// longest wait of a client.
constexpr Tail long_tail{20min, 10min};
constexpr Tail short_tail{2min, 3min};

// At most `count_max` of them, evenly spread, from a start that the seed chooses.
std::vector<int> sample(const std::vector<int>& all, int count_max, std::uint64_t seed) {
    const int count = static_cast<int>(all.size());
    if (count_max <= 0 || count == 0) return {};
    const int step = 1 + (count - 1) / count_max;
    std::vector<int> chosen;
    for (int i = static_cast<int>(seed % static_cast<std::uint64_t>(step)); i < count; i += step)
        chosen.push_back(all[static_cast<std::size_t>(i)]);
    return chosen;
}

std::vector<int> numbers_below(int count) {
    std::vector<int> numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

std::vector<int> places_of(const std::vector<Exchange>& exchanges, Access access) {
    std::vector<int> places;
    for (std::size_t i = 0; i < exchanges.size(); ++i)
        if (exchanges[i].access == access) places.push_back(static_cast<int>(i));
    return places;
}

// Of the reads that follow on one another while nothing changes, the first.
std::vector<int> first_reads(const std::vector<Exchange>& exchanges) {
    std::vector<int> firsts;
    for (const int place : places_of(exchanges, Access::Read)) {
        const auto at = static_cast<std::size_t>(place);
        if (at == 0 || exchanges[at - 1].version != exchanges[at].version ||
            exchanges[at - 1].access == Access::Write)
            firsts.push_back(place);
    }
    return firsts;
}

Disturbance at_exchange(int at, Mishap mishap, Tail tail) {
    return {
        fmt::format("{} at exchange {}", to_text(mishap), at), {.exchanges = {{at, mishap}}}, tail};
}

Disturbance crash_with_old_view(int at, Tail tail) {
    const std::uint64_t changes = 4 + static_cast<std::uint64_t>(at) % 9;
    return {fmt::format("{} at exchange {}, then a view {} changes old",
                        to_text(Mishap::CrashAfter), at, changes),
            {.exchanges = {{at, Mishap::CrashAfter}}, .stale = changes},
            tail};
}

Disturbance at_batch(int at, EventMishap mishap, Tail tail) {
    return {fmt::format("{} at batch {}", to_text(mishap), at), {.batches = {{at, mishap}}}, tail};
}

Disturbance pair(Dice& dice, int exchanges, int batches) {
    const auto below = [&](int count) {
        return static_cast<int>(dice.roll() % static_cast<unsigned>(count));
    };
    const int first = below(exchanges);
    const int second = below(exchanges);
    const int batch = below(batches);
    const auto one = static_cast<Mishap>(1 + dice.roll() % 9);
    const auto other = static_cast<Mishap>(1 + dice.roll() % 9);
    const auto late = static_cast<EventMishap>(dice.roll() % 4);
    return {fmt::format("{} at exchange {}, {} at exchange {}, {} at batch {}", to_text(one), first,
                        to_text(other), second, to_text(late), batch),
            {.exchanges = {{second, other}, {first, one}}, .batches = {{batch, late}}},
            long_tail};
}

// A server that was restored counts from a lower number: the operator knows that by the next answer
// or the next list.
bool is_restored(const Scenario& scenario) {
    return std::ranges::any_of(scenario.blocks, [](const Block& block) {
        return std::ranges::any_of(block.statements, [](const Statement& one) {
            return one.words == std::vector<std::string>{"restore"};
        });
    });
}

}  // namespace

std::vector<Disturbance> disturbances(const Outcome& plain, std::uint64_t seed,
                                      const Depth& depth) {
    const std::vector<Exchange>& exchanges = plain.exchanges;
    const Tail tail = depth.is_patient ? long_tail : short_tail;
    std::vector<Disturbance> all;
    for (const int at : sample(places_of(exchanges, Access::Write), depth.writes_max, seed)) {
        for (const Mishap mishap :
             {Mishap::CrashBefore, Mishap::CrashAfter, Mishap::LoseRequest, Mishap::LoseAnswer})
            all.push_back(at_exchange(at, mishap, tail));
        all.push_back(crash_with_old_view(at, tail));
        if (exchanges[static_cast<std::size_t>(at)].can_be_overtaken)
            all.push_back(at_exchange(at, Mishap::Overtaken, tail));
    }
    for (const int at : sample(first_reads(exchanges), depth.reads_max, seed)) {
        all.push_back(at_exchange(at, Mishap::CrashAfter, tail));
        all.push_back(crash_with_old_view(at, tail));
    }
    for (const int at : sample(places_of(exchanges, Access::Read), depth.reads_max, seed))
        all.push_back(at_exchange(at, Mishap::LoseRequest, tail));
    for (const int at : sample(numbers_below(plain.batches), depth.batches_max, seed)) {
        all.push_back(at_batch(at, EventMishap::Lose, long_tail));
        all.push_back(at_batch(at, EventMishap::Repeat, long_tail));
        all.push_back(at_batch(at, EventMishap::Delay, long_tail));
    }
    Dice dice{seed};
    if (!exchanges.empty() && plain.batches > 0)
        for (int i = 0; i < depth.pairs; ++i)
            all.push_back(pair(dice, static_cast<int>(exchanges.size()), plain.batches));
    return all;
}

std::vector<Outcome> play_each(const Scenario& scenario, std::uint64_t seed,
                               const std::vector<Disturbance>& all) {
    std::vector<Outcome> outcomes;
    outcomes.reserve(all.size());
    for (const Disturbance& one : all)
        outcomes.push_back(play(scenario, seed, one));
    return outcomes;
}

Exploration explore(const Scenario& scenario, std::uint64_t seed, const Depth& wanted,
                    PlayAll* play_all) {
    Exploration found;
    Depth depth = wanted;
    depth.is_patient = depth.is_patient || is_restored(scenario);
    const auto add = [&](const Outcome& outcome, std::string_view what) {
        ++found.runs;
        found.injected += outcome.injected;
        found.simulated += outcome.simulated;
        found.tested.insert(outcome.tested.begin(), outcome.tested.end());
        for (const std::string& problem : outcome.problems)
            found.problems.push_back(fmt::format("{} [{}]", problem, what));
    };
    const Outcome plain = play(scenario, seed);
    add(plain, "plain");
    if (!plain.problems.empty()) return found;
    const std::vector<Disturbance> all = disturbances(plain, seed, depth);
    const std::vector<Outcome> outcomes = play_all(scenario, seed, all);
    for (std::size_t i = 0; i < all.size(); ++i)
        add(outcomes.at(i), all[i].what);
    return found;
}

}  // namespace sluice::sim
