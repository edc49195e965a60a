// Every timeline in tests/scenarios: plain, with a crash at every exchange, with stale views, with
// lost, repeated and late events, and with pairs of faults. With SLUICE_PLAIN, which tests/deletion
// sets, only plain.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <iostream>
#include <limits>

#include "sim/scenario/explore.hpp"
#include "tests/branches.hpp"
#include "tests/parallel.hpp"
#include "tests/scenario_files.hpp"

namespace sluice::sim {
namespace {

std::vector<Scenario> all_scenarios() {
    const char* only = std::getenv("SLUICE_SCENARIO");
    std::vector<Scenario> scenarios;
    for (const std::string& path : testing::scenario_files()) {
        if (only && path.find(only) == std::string::npos) continue;
        auto scenario = testing::scenario_in(path);
        EXPECT_TRUE(scenario.has_value()) << path << ": " << scenario.error().message;
        if (scenario) scenarios.push_back(std::move(*scenario));
    }
    return scenarios;
}

constexpr int all = std::numeric_limits<int>::max();
constexpr Depth everything{all, all, all, 60, true};

// Timelines with checks or steps have many exchanges that are much alike: a sample of those is
// taken, unless they were asked for by name or everything was. No write is left out where volumes
// change hands. Sanitizers, which are slow, play all of them and disturb one in eight.
Depth depth_of(const Scenario& scenario, [[maybe_unused]] std::uint64_t number) {
    if (std::getenv("SLUICE_PLAIN")) return {0, 0, 0, 0};
    if (std::getenv("SLUICE_EVERYTHING")) return everything;
#ifdef SLUICE_SANITIZED
    return number % 8 == 0 ? Depth{1, 1, 1, 1} : Depth{0, 0, 0, 0};
#endif
    if (std::getenv("SLUICE_SCENARIO")) return {all, all, all};
    if (scenario.name.find("/pilot/") != std::string::npos) return {10, 5, 6, 3};
    if (scenario.name.find("/claims-") != std::string::npos) return {all, 3, 4, 3};
    return {6, 3, 4, 3};
}

// Sanitizers keep much memory, which it takes long to copy.
#ifdef SLUICE_SANITIZED
constexpr PlayAll* play_disturbed = play_each;
#else
constexpr PlayAll* play_disturbed = testing::play_branches;
#endif

// Where samples are taken and which pairs are drawn; make test-deep gives another one every day.
std::uint64_t seed() {
    const char* given = std::getenv("SLUICE_SEED");
    return given ? std::strtoull(given, nullptr, 10) : 1;
}

namespace json = boost::json;

std::string text_of(const Exploration& one) {
    return json::serialize(json::object{{"runs", one.runs},
                                        {"injected", one.injected},
                                        {"simulated", one.simulated.count()},
                                        {"tested", json::value_from(one.tested)},
                                        {"problems", json::value_from(one.problems)}});
}

void add(Exploration& total, const json::value& told) {
    total.runs += told.at("runs").to_number<int>();
    total.injected += told.at("injected").to_number<int>();
    total.simulated += Duration{told.at("simulated").to_number<Duration::rep>()};
    total.tested.merge(json::value_to<std::set<std::string>>(told.at("tested")));
}

TEST(Scenarios, EndWellPlainAndHoweverTheWorldIsDisturbed) {
    const std::vector<Scenario> scenarios = all_scenarios();
    Exploration total;
    const auto play = [&](std::size_t i) {
        const std::uint64_t number = seed() + i;
        Exploration one =
            explore(scenarios[i], number, depth_of(scenarios[i], number), play_disturbed);
        if (!one.problems.empty())
            one.problems.front() += fmt::format(
                "\n(and {} more of {})\nagain: SLUICE_SEED={} SLUICE_SCENARIO={} "
                "build/release/tests/scenarios/scenarios",
                one.problems.size() - 1, scenarios[i].name, number, scenarios[i].name);
        return text_of(one);
    };
    for (const std::string& text : testing::in_parallel("scenarios", scenarios.size(), play)) {
        const json::value told = json::parse(text);
        add(total, told);
        const json::array& problems = told.at("problems").as_array();
        EXPECT_TRUE(problems.empty()) << json::value_to<std::string>(problems.front());
    }
    std::cout << scenarios.size() << " scenarios, " << total.runs << " runs, " << total.injected
              << " faults injected, " << total.simulated / 1h << " simulated hours\n";
    if (std::getenv("SLUICE_SCENARIO") || std::getenv("SLUICE_PLAIN")) return;
    EXPECT_GE(scenarios.size(), 60u);
    for (const char* promise :
         {"S1",  "S2",  "S3",  "S4",  "S5",  "S6",  "S7",  "S8",  "S9",  "S10", "S11", "S14",
          "S16", "S17", "S21", "S23", "S24", "S25", "S26", "S27", "S28", "S29", "S30", "S32",
          "S33", "S34", "S35", "S36", "S37", "S38", "S39", "S40", "S41", "S42", "S43", "S44",
          "S45", "S46", "S47", "S48", "S49", "S50", "S51", "S52", "L1",  "L2",  "L5"})
        EXPECT_TRUE(total.tested.contains(promise)) << promise << " was never put to the test";
}

TEST(Branches, ComeToWhatEachRunWouldComeToFromTheBeginning) {
    const std::vector<Scenario> scenarios = all_scenarios();
    ASSERT_FALSE(scenarios.empty());
    const Scenario& scenario = scenarios.front();
    const auto some = disturbances(play(scenario, 1), 1, {2, 2, 2, 2});
    const auto whole = play_each(scenario, 1, some);
    const auto branches = testing::play_branches(scenario, 1, some);
    for (std::size_t i = 0; i < some.size(); ++i) {
        EXPECT_EQ(whole.at(i).problems, branches.at(i).problems) << some[i].what;
        EXPECT_EQ(whole[i].tested, branches[i].tested) << some[i].what;
        EXPECT_EQ(whole[i].injected, branches[i].injected) << some[i].what;
        EXPECT_EQ(whole[i].simulated, branches[i].simulated) << some[i].what;
    }
}

}  // namespace
}  // namespace sluice::sim
