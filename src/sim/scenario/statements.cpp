#include "sim/scenario/statements.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ranges>

namespace sluice::sim {
namespace {

bool is_expectation(Block::Kind kind) {
    return kind == Block::Kind::ExpectWithin || kind == Block::Kind::ExpectFor ||
           kind == Block::Kind::Finally;
}

// "two words" match two words.
std::size_t prefix_length(std::string_view words, const std::vector<std::string>& said) {
    std::size_t count = 0;
    while (!words.empty()) {
        const std::size_t end = std::min(words.find(' '), words.size());
        if (count >= said.size() || said[count] != words.substr(0, end)) return 0;
        ++count;
        words.remove_prefix(std::min(end + 1, words.size()));
    }
    return count;
}

template <class Row>
std::optional<std::string> check(std::span<const Row> rows, const Statement& statement) {
    const auto matched = match(rows, statement);
    if (!matched)
        return fmt::format("\"{}\" is none of: {}", statement.text(),
                           fmt::join(rows | std::views::transform(&Row::words), ", "));
    if (matched->rest.size() < matched->row->least)
        return fmt::format("it is: {} {}", matched->row->words, matched->row->usage);
    return std::nullopt;
}

}  // namespace

Statement without(const Statement& statement, std::string_view prefix) {
    Statement rest = statement;
    if (!rest.words.empty() && rest.words[0] == prefix) rest.words.erase(rest.words.begin());
    return rest;
}

template <class Row>
std::optional<Matched<Row>> match(std::span<const Row> rows, const Statement& statement) {
    const Row* best = nullptr;
    std::size_t length = 0;
    for (const Row& row : rows) {
        const std::size_t found = prefix_length(row.words, statement.words);
        if (found > length) {
            best = &row;
            length = found;
        }
    }
    if (!best) return std::nullopt;
    return Matched<Row>{best, std::span{statement.words}.subspan(length)};
}

template std::optional<Matched<Action>> match(std::span<const Action>, const Statement&);
template std::optional<Matched<Expectation>> match(std::span<const Expectation>, const Statement&);

std::optional<std::string> check_statement(const Statement& statement, Block::Kind kind) {
    if (is_expectation(kind)) return check(expectations(), without(statement, "quietly"));
    return check(actions(), without(statement, "refused"));
}

WorldOptions world_options(const Scenario& scenario, std::uint64_t seed) {
    WorldOptions options;
    options.seed = seed;
    for (const Block& block : scenario.blocks) {
        if (block.kind != Block::Kind::Given) continue;
        for (const Statement& statement : block.statements) {
            const auto& words = statement.words;
            if (words.size() < 2) continue;
            if (words[0] == "operators") options.operators = std::stoi("0" + words[1]);
            if (words[0] == "namespaces") options.namespaces.assign(words.begin() + 1, words.end());
            if (words[0] == "hook-retry")
                options.hook_retry = parse_duration(words[1]).value_or(options.hook_retry);
            if (words[0] == "clock-ahead") options.skew = parse_duration(words[1]).value_or(0ms);
            if (words[0] == "clock-behind") options.skew = -parse_duration(words[1]).value_or(0ms);
        }
    }
    return options;
}

}  // namespace sluice::sim
