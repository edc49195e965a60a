// Reads label selectors, and says what is wrong with one in the words of the API server.
#include <fmt/format.h>

#include <algorithm>

#include "sim/api/problems.hpp"
#include "sim/api/selectors.hpp"

namespace sluice::sim {
namespace {

bool is_special(char c) {
    return c == '=' || c == '!' || c == '(' || c == ')' || c == ',' || c == '>' || c == '<';
}

bool is_word(const std::string& token) {
    return !token.empty() && !is_special(token.front());
}

// Ends with an empty token.
std::vector<std::string> tokens_of(std::string_view text) {
    std::vector<std::string> tokens;
    while (!text.empty()) {
        if (text.front() == ' ' || text.front() == '\t') {
            text.remove_prefix(1);
            continue;
        }
        std::size_t size = 1;
        if (!is_special(text.front()))
            while (size < text.size() && !is_special(text[size]) && text[size] != ' ')
                ++size;
        else if (text.starts_with("==") || text.starts_with("!="))
            size = 2;
        tokens.emplace_back(text.substr(0, size));
        text.remove_prefix(size);
    }
    tokens.emplace_back();
    return tokens;
}

class Parser {
  public:
    explicit Parser(std::string_view text) : tokens_(tokens_of(text)) {}

    std::expected<std::vector<Term>, std::string> terms() {
        std::vector<Term> terms;
        while (true) {
            if (next().empty()) return terms;
            if (!is_word(next()) && next() != "!")
                return wrong("expected: !, identifier, or 'end of string'");
            auto term = requirement();
            if (!term) return std::unexpected("unable to parse requirement: " + term.error());
            terms.push_back(std::move(*term));
            if (next().empty()) return terms;
            if (next() != ",") return wrong("expected: ',' or 'end of string'");
            take();
            if (!is_word(next()) && next() != "!") return wrong("expected: identifier after ','");
        }
    }

  private:
    const std::string& next() const { return tokens_[at_]; }
    std::string take() { return at_ + 1 < tokens_.size() ? tokens_[at_++] : tokens_[at_]; }
    std::unexpected<std::string> wrong(std::string_view expected, std::string_view comma = ",") {
        return std::unexpected(fmt::format("found '{}'{} {}", next(), comma, expected));
    }

    std::expected<Term, std::string> requirement() {
        Term term;
        const bool is_absent = next() == "!";
        if (is_absent) take();
        if (!is_word(next())) return wrong("expected: identifier");
        term.key = take();
        if (const auto faults = faults_of_qualified_name(term.key); !faults.empty())
            return std::unexpected(
                fmt::format("<nil>: Invalid value: \"{}\": {}", term.key, faults.front()));
        term.op = is_absent ? Term::Op::Absent : Term::Op::Exists;
        if (is_absent || next().empty() || next() == ",") return term;
        const std::string op = next();
        if (op != "in" && op != "notin" && op != "=" && op != "==" && op != "!=")
            return wrong("expected: in, notin, =, ==, !=, gt, lt");
        take();
        term.op = op == "notin" || op == "!=" ? Term::Op::NotIn : Term::Op::In;
        auto values = op == "in" || op == "notin" ? several_values() : one_value();
        if (!values) return std::unexpected(values.error());
        term.values = std::move(*values);
        for (std::size_t i = 0; i < term.values.size(); ++i)
            if (const std::string fault = fault_of_label_value(term.values[i]); !fault.empty())
                return std::unexpected(fmt::format("values[{}][{}]: Invalid value: \"{}\": {}", i,
                                                   term.key, term.values[i], fault));
        return term;
    }

    std::expected<std::vector<std::string>, std::string> one_value() {
        if (next().empty() || next() == ",") return std::vector<std::string>{""};
        if (!is_word(next())) return wrong("expected: identifier");
        return std::vector<std::string>{take()};
    }

    std::expected<std::vector<std::string>, std::string> several_values() {
        if (next() != "(") return wrong("expected: '('", "");
        take();
        std::vector<std::string> values{""};
        while (next() != ")") {
            if (is_word(next()))
                values.back() = take();
            else if (next() != ",")
                return wrong("expected: ',' or ')'");
            if (next() == ")") break;
            if (next() != ",") return wrong("expected: ',' or ')'");
            take();
            values.emplace_back();
        }
        take();
        return values;
    }

    std::vector<std::string> tokens_;
    std::size_t at_ = 0;
};

}  // namespace

std::expected<std::vector<Term>, std::string> label_terms(std::string_view selector) {
    return Parser(selector).terms();
}

}  // namespace sluice::sim
