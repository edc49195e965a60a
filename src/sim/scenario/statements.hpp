// The words of a scenario: one row of a table each, with what they do or what they look at.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>

#include "sim/scenario/scenario.hpp"
#include "sim/world/world.hpp"

namespace sluice::sim {

using Words = std::span<const std::string>;
using Problem = std::optional<std::string>;  // of an action
using Seen = std::optional<std::string>;     // of an expectation: what is there instead

// Something that somebody does. Gives what is wrong if it could not be done, or what the server
// says to it, or nothing where it cannot fail.
struct Action {
    std::string_view words;  // how it begins: "set image"
    std::string_view usage;
    std::size_t least;  // words behind it
    std::variant<Problem (*)(World&, Words), Response (*)(World&, Words), void (*)(World&, Words)>
        act;
};

// Something that can be looked at. Gives what is seen instead, or nothing if it is as it says.
struct Expectation {
    std::string_view words;
    std::string_view usage;
    std::size_t least;
    // Whether it holds however the world is disturbed; the others are only looked at in quiet runs.
    bool is_firm;
    Seen (*look)(const World& world, Words rest);
};

std::span<const Action> actions();
std::span<const Expectation> expectations();

// The row that a statement begins with, and the words behind it.
template <class Row>
struct Matched {
    const Row* row;
    Words rest;
};
template <class Row>
std::optional<Matched<Row>> match(std::span<const Row> rows, const Statement& statement);
extern template std::optional<Matched<Action>> match(std::span<const Action>, const Statement&);
extern template std::optional<Matched<Expectation>> match(std::span<const Expectation>,
                                                          const Statement&);

// "refused" in front of an action: the server must say no. "quietly" in front of an expectation: it
// is only looked at in runs that nothing disturbs.
Statement without(const Statement& statement, std::string_view prefix);

// What is wrong with a statement in a block of this kind.
std::optional<std::string> check_statement(const Statement& statement, Block::Kind kind);

// Options of a world that must be known before it is made: operators, hook-retry, skew.
WorldOptions world_options(const Scenario& scenario, std::uint64_t seed);

}  // namespace sluice::sim
