// Random worlds: nothing is ungated while anything may happen, and all ends well when it stops.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <iostream>

#include "sim/world/random_world.hpp"
#include "tests/parallel.hpp"

namespace sluice::sim {
namespace {

#ifdef SLUICE_SANITIZED
constexpr std::uint64_t worlds_by_default = 6;
#else
constexpr std::uint64_t worlds_by_default = 400;
#endif

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
    const char* given = std::getenv(variable);
    return given ? std::strtoull(given, nullptr, 10) : otherwise;
}

namespace json = boost::json;

TEST(RandomWorlds, KeepEveryPromiseAndEndWell) {
    Duration simulated{0};
    int injected = 0;
    const std::uint64_t first = number_from("SLUICE_SEED", 1);
    const auto play = [&](std::size_t number) {
        const RandomOutcome outcome = play_random_world(first + number);
        std::string problem = outcome.problems.empty()
                                  ? ""
                                  : fmt::format(
                                        "{}\nagain: build/release/sluice sim --seed {} "
                                        "--worlds 1",
                                        outcome.problems.front(), first + number);
        return json::serialize(json::object{{"simulated", outcome.simulated.count()},
                                            {"injected", outcome.injected},
                                            {"problem", std::move(problem)}});
    };
    const std::uint64_t worlds = number_from("SLUICE_WORLDS", worlds_by_default);
    for (const std::string& text : testing::in_parallel("worlds", worlds, play)) {
        const json::value told = json::parse(text);
        simulated += Duration{told.at("simulated").to_number<Duration::rep>()};
        injected += told.at("injected").to_number<int>();
        const auto problem = json::value_to<std::string>(told.at("problem"));
        EXPECT_TRUE(problem.empty()) << problem;
    }
    EXPECT_GT(injected, 0) << "faults must have happened";
    std::cout << simulated / 1h << " simulated hours, " << injected << " faults injected\n";
}

TEST(RandomWorlds, TheSameSeedIsTheSameWorld) {
    for (const std::uint64_t seed : {3u, 4u}) {
        const RandomOutcome first = play_random_world(seed);
        const RandomOutcome second = play_random_world(seed);
        EXPECT_EQ(first.history, second.history);
        EXPECT_EQ(first.writes, second.writes);
        EXPECT_EQ(first.simulated, second.simulated);
        EXPECT_EQ(first.injected, second.injected);
    }
}

}  // namespace
}  // namespace sluice::sim
