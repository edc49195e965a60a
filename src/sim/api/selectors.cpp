#include "sim/api/selectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "sim/api/problems.hpp"

namespace sluice::sim {
namespace {

struct Term {
    std::string key;
    enum class Op { In, NotIn, Exists, Absent } op = Op::Exists;
    std::vector<std::string> values;
};

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

// Reads label selectors, and says what is wrong with one in the words of the API server.
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

std::string trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ')
        text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ')
        text.remove_suffix(1);
    return std::string{text};
}

// Splits at commas that stand outside of brackets.
std::vector<std::string> split_terms(std::string_view text) {
    std::vector<std::string> parts;
    int depth = 0;
    std::string part;
    for (const char c : text) {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (c == ',' && depth == 0)
            parts.push_back(trimmed(std::exchange(part, {})));
        else
            part += c;
    }
    if (!trimmed(part).empty() || !parts.empty()) parts.push_back(trimmed(part));
    return parts;
}

// A field is equal to a text, or not.
std::optional<Term> field_term(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == text.npos) return std::nullopt;
    const bool differs = equals > 0 && text[equals - 1] == '!';
    const bool doubled = text.substr(equals).starts_with("==");
    return Term{trimmed(text.substr(0, equals - (differs ? 1 : 0))),
                differs ? Term::Op::NotIn : Term::Op::In,
                {trimmed(text.substr(equals + (doubled ? 2 : 1)))}};
}

bool holds(const Term& term, const std::string* value) {
    const bool listed = value && std::ranges::count(term.values, *value) > 0;
    switch (term.op) {
        case Term::Op::In: return listed;
        case Term::Op::NotIn: return !listed;
        case Term::Op::Exists: return value != nullptr;
        case Term::Op::Absent: break;
    }
    return value == nullptr;
}

bool label_holds(const Term& term, const json::object& labels) {
    const json::value* found = labels.if_contains(term.key);
    if (!found || !found->is_string()) return holds(term, nullptr);
    const std::string value{found->get_string()};
    return holds(term, &value);
}

std::string as_text(const json::value& value) {
    return value.is_string() ? std::string{value.get_string()} : json::serialize(value);
}

}  // namespace

std::expected<bool, std::string> matches_labels(const json::object& object,
                                                const std::string& selector) {
    if (selector.empty()) return true;
    const auto terms = Parser(selector).terms();
    if (!terms) return std::unexpected(terms.error());
    return std::ranges::all_of(*terms, [&](const Term& term) {
        return label_holds(term, object_at(object, "/metadata/labels"));
    });
}

std::expected<bool, std::string> matches_fields(const json::object& object,
                                                const std::string& selector) {
    if (selector.empty()) return true;
    for (const std::string& part : split_terms(selector)) {
        const auto term = field_term(part);
        if (!term)
            return std::unexpected(
                fmt::format("invalid selector: '{}'; can't understand '{}'", selector, part));
        const json::value* found = find(object, pointer_to(term->key));
        const std::string value = found ? as_text(*found) : std::string{};
        if (!holds(*term, &value)) return false;
    }
    return true;
}

std::string fault_of_fields(const Resource& resource, const std::string& selector) {
    constexpr std::string_view of_all[] = {"metadata.name", "metadata.namespace"};
    constexpr std::string_view of_pods[] = {
        "spec.nodeName",    "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName",
        "spec.hostNetwork", "status.phase",       "status.podIP",       "status.nominatedNodeName",
        "status.podIPs"};
    const std::string& kind = resource.kind;
    const bool has_more = kind == "Event" || kind == "Node" || kind == "Namespace" ||
                          kind == "Secret" || kind == "Job";
    if (selector.empty() || has_more) return {};
    for (const std::string& part : split_terms(selector)) {
        const auto term = field_term(part);
        const bool is_known = !term || std::ranges::count(of_all, term->key) > 0 ||
                              (kind == "Pod" && std::ranges::count(of_pods, term->key) > 0);
        if (is_known) continue;
        if (kind == "Pod" || resource.is_custom()) return "field label not supported: " + term->key;
        return fmt::format(
            "\"{}\" is not a known field selector: only \"metadata.name\", "
            "\"metadata.namespace\"",
            term->key);
    }
    return {};
}

bool selects(const json::object& selector, const json::object& labels) {
    for (const auto& [key, value] : object_at(selector, "/matchLabels")) {
        const json::value* label = labels.if_contains(key);
        if (!label || *label != value) return false;
    }
    for (const json::value& entry : array_at(selector, "/matchExpressions")) {
        const json::object* expression = entry.if_object();
        if (!expression) return false;
        const std::string op = text_at(*expression, "/operator");
        Term term{text_at(*expression, "/key"),
                  op == "In"       ? Term::Op::In
                  : op == "NotIn"  ? Term::Op::NotIn
                  : op == "Exists" ? Term::Op::Exists
                                   : Term::Op::Absent,
                  {}};
        for (const json::value& value : array_at(*expression, "/values"))
            term.values.push_back(as_text(value));
        if (!label_holds(term, labels)) return false;
    }
    return true;
}

}  // namespace sluice::sim
