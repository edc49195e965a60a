#include "api/phased_rollout/promql.hpp"

#include <fmt/format.h>

namespace sluice::api::phased_rollout {
namespace {

constexpr std::string_view openers = "([{";
constexpr std::string_view closers = ")]}";
constexpr std::string_view quotes = "\"'`";

bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// Where the text goes on behind the quoted text that starts here; npos if it never ends. Between
// backquotes a backslash is a character like any other.
std::size_t behind_quoted(std::string_view text, std::size_t at) {
    const char quote = text[at];
    for (++at; at < text.size(); ++at) {
        if (text[at] == quote) return at + 1;
        if (text[at] == '\\' && quote != '`') ++at;
    }
    return std::string_view::npos;
}

}  // namespace

std::optional<std::string> promql_problem(std::string_view expression) {
    std::string open;  // the brackets that wait for their partner, innermost last
    bool is_blank = true;
    for (std::size_t at = 0; at < expression.size();) {
        const char c = expression[at];
        if (c == '#') {
            at = std::min(expression.find('\n', at), expression.size());
            continue;
        }
        if (!is_space(c)) is_blank = false;
        if (quotes.contains(c)) {
            at = behind_quoted(expression, at);
            if (at == std::string_view::npos)
                return fmt::format("must be a PromQL expression; a {} is never closed", c);
            continue;
        }
        if (openers.contains(c)) open += c;
        if (const std::size_t kind = closers.find(c); kind != std::string_view::npos) {
            if (open.empty() || open.back() != openers[kind])
                return fmt::format("must be a PromQL expression; a {} closes nothing", c);
            open.pop_back();
        }
        ++at;
    }
    if (is_blank) return "must be a PromQL expression; it is blank";
    if (!open.empty())
        return fmt::format("must be a PromQL expression; a {} is never closed", open.back());
    return std::nullopt;
}

}  // namespace sluice::api::phased_rollout
