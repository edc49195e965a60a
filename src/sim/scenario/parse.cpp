#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "sim/scenario/scenario.hpp"
#include "sim/scenario/statements.hpp"

namespace sluice::sim {
namespace {

constexpr std::size_t line_max = 400;

// Words are parted by blanks; a text in double quotes is one word.
std::vector<std::string> words_of(std::string_view line) {
    std::vector<std::string> words;
    std::string word;
    bool quoted = false;
    bool begun = false;
    for (const char c : line) {
        if (c == '"') {
            quoted = !quoted;
            begun = true;
        } else if ((c == ' ' || c == '\t') && !quoted) {
            if (begun) words.push_back(std::exchange(word, {}));
            begun = false;
        } else {
            word += c;
            begun = true;
        }
    }
    if (begun) words.push_back(std::move(word));
    return words;
}

std::unexpected<Error> wrong(int line, const std::string& what) {
    return failure(ErrorKind::Malformed, fmt::format("line {}: {}", line, what));
}

struct Header {
    std::string_view name;
    Block::Kind kind;
    std::size_t time_at;  // which word is the time; 0: none
};
constexpr Header headers[] = {
    {"given", Block::Kind::Given, 0},          {"at", Block::Kind::At, 1},
    {"after", Block::Kind::After, 1},          {"expect within", Block::Kind::ExpectWithin, 2},
    {"expect for", Block::Kind::ExpectFor, 2}, {"finally within", Block::Kind::Finally, 2},
};

Result<Block> parse_header(const std::vector<std::string>& words, int line) {
    const std::string two = words.size() > 1 ? words[0] + " " + words[1] : words[0];
    const auto found = std::ranges::find_if(headers, [&](const Header& header) {
        return header.name == words[0] || header.name == two;
    });
    if (found == std::end(headers))
        return wrong(line, fmt::format("\"{}\" opens no block; given, at, after, expect within, "
                                       "expect for and finally within do",
                                       words[0]));
    Block block{.kind = found->kind, .line = line, .statements = {}};
    const std::size_t at = found->time_at;
    if (at == 0 && words.size() == 1) return block;
    const auto time = at > 0 && words.size() == at + 1 ? parse_duration(words[at]) : std::nullopt;
    if (!time)
        return wrong(line, fmt::format("\"{}\" wants a time such as 30s behind it", found->name));
    block.time = *time;
    return block;
}

}  // namespace

std::string Statement::text() const {
    return fmt::format("{}", fmt::join(words, " "));
}

Result<Scenario> parse_scenario(const std::string& name, const std::string& text) {
    Scenario scenario;
    scenario.name = name;
    int number = 0;
    for (const auto part : std::views::split(text, '\n')) {
        const std::string line{part.begin(), part.end()};
        ++number;
        if (line.size() > line_max)
            return failure(ErrorKind::Malformed, fmt::format("line {} is too long", number));
        if (line.starts_with('#') && scenario.title.empty())
            scenario.title = line.substr(std::min<std::size_t>(2, line.size()));
        const std::vector<std::string> words = words_of(line);
        if (words.empty() || words[0].starts_with('#')) continue;
        if (line[0] != ' ') {
            auto block = parse_header(words, number);
            if (!block) return std::unexpected(block.error());
            scenario.blocks.push_back(std::move(*block));
            continue;
        }
        Statement statement{number, words};
        if (scenario.blocks.empty()) return wrong(number, "a statement before any block");
        if (const auto problem = check_statement(statement, scenario.blocks.back().kind))
            return wrong(number, *problem);
        scenario.blocks.back().statements.push_back(std::move(statement));
    }
    if (scenario.blocks.empty() || scenario.blocks.back().kind != Block::Kind::Finally)
        return failure(ErrorKind::Malformed, "the last block must be \"finally within\"");
    return scenario;
}

}  // namespace sluice::sim
