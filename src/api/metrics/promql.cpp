#include "api/metrics/prometheus.hpp"

#include <algorithm>
#include <vector>

namespace sluice::api::metrics {

namespace {

struct Open {
    char bracket;
    std::size_t at;
};

std::string shown(char c, std::size_t at) {
    return std::string("'") + c + "' at position " + std::to_string(at + 1);
}

char opening_of(char closing) {
    if (closing == ')') return '(';
    return closing == ']' ? '[' : '{';
}

bool is_control(char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r') ||
           c == 0x7F;
}

// Where the string that begins at `at` ends: the position of its closing quote, npos if there is
// none. Between backquotes everything counts as it stands; elsewhere a line ends the string.
std::size_t end_of_string(std::string_view expr, std::size_t at) {
    const char quote = expr[at];
    if (quote == '`') return expr.find(quote, at + 1);
    for (std::size_t i = at + 1; i < expr.size(); ++i) {
        if (expr[i] == quote) return i;
        if (expr[i] == '\n') return std::string_view::npos;
        if (expr[i] == '\\') ++i;
    }
    return std::string_view::npos;
}

// Walks over the expression once and remembers which brackets are open.
class Balance {
  public:
    std::optional<std::string> take(char c, std::size_t at) {
        if (c == '(' || c == '[' || c == '{') open_.push_back({c, at});
        if (c != ')' && c != ']' && c != '}') return std::nullopt;
        if (open_.empty()) return shown(c, at) + " closes nothing";
        const Open last = open_.back();
        if (last.bracket != opening_of(c)) {
            return shown(c, at) + " stands where " + shown(last.bracket, last.at) +
                   " should be closed";
        }
        open_.pop_back();
        return std::nullopt;
    }
    std::optional<std::string> end() const {
        if (open_.empty()) return std::nullopt;
        return shown(open_.back().bracket, open_.back().at) + " is never closed";
    }

  private:
    std::vector<Open> open_;
};

}  // namespace

std::optional<std::string> promql_problem(std::string_view expr) {
    if (expr.size() > promql_bytes_max) return "is longer than 8 KiB";
    if (std::ranges::any_of(expr, is_control)) return "holds a control character";
    Balance balance;
    bool is_empty = true;
    for (std::size_t i = 0; i < expr.size(); ++i) {
        const char c = expr[i];
        if (c == '#') {
            i = std::min(expr.find('\n', i), expr.size());
            continue;
        }
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
        is_empty = false;
        if (c == '"' || c == '\'' || c == '`') {
            const std::size_t end = end_of_string(expr, i);
            if (end == std::string_view::npos) return "the quote " + shown(c, i) + " is not closed";
            i = end;
        } else if (std::optional<std::string> problem = balance.take(c, i)) {
            return problem;
        }
    }
    if (is_empty) return "holds no expression";
    return balance.end();
}

}  // namespace sluice::api::metrics
