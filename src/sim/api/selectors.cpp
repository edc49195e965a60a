#include "sim/api/selectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace sluice::sim {
namespace {

struct Term {
    std::string key;
    enum class Op { In, NotIn, Exists, Absent } op = Op::Exists;
    std::vector<std::string> values;
};

std::string trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ')
        text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ')
        text.remove_suffix(1);
    return std::string{text};
}

// Splits at commas that stand outside of brackets.
std::vector<std::string> split(std::string_view text) {
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

bool is_key(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_' || c == '.' || c == '/';
    });
}

std::expected<Term, std::string> set_term(const std::string& text, std::size_t at,
                                          std::string_view word, Term::Op op) {
    const std::size_t open = text.find('(', at);
    if (open == std::string::npos || !text.ends_with(')'))
        return std::unexpected(fmt::format("unable to parse requirement: {}", text));
    Term term{trimmed(text.substr(0, at)), op, {}};
    static_cast<void>(word);
    for (const std::string& value : split(text.substr(open + 1, text.size() - open - 2)))
        term.values.push_back(value);
    return term;
}

std::expected<Term, std::string> parse(const std::string& text) {
    const auto wrong = [&] {
        return std::unexpected(fmt::format("unable to parse requirement: found '{}'", text));
    };
    std::expected<Term, std::string> term;
    if (const auto at = text.find(" notin "); at != text.npos)
        term = set_term(text, at, "notin", Term::Op::NotIn);
    else if (const auto in = text.find(" in "); in != text.npos)
        term = set_term(text, in, "in", Term::Op::In);
    else if (text.starts_with('!'))
        term = Term{trimmed(text.substr(1)), Term::Op::Absent, {}};
    else if (const auto differs = text.find("!="); differs != text.npos)
        term = Term{
            trimmed(text.substr(0, differs)), Term::Op::NotIn, {trimmed(text.substr(differs + 2))}};
    else if (const auto equals = text.find('='); equals != text.npos)
        term = Term{trimmed(text.substr(0, equals)),
                    Term::Op::In,
                    {trimmed(text.substr(text.find_first_not_of('=', equals) == text.npos
                                             ? text.size()
                                             : text.find_first_not_of('=', equals)))}};
    else
        term = Term{text, Term::Op::Exists, {}};
    if (term && !is_key(term->key)) return wrong();
    return term;
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
    for (const std::string& part : split(selector)) {
        const auto term = parse(part);
        if (!term) return std::unexpected(term.error());
        if (!label_holds(*term, object_at(object, "/metadata/labels"))) return false;
    }
    return true;
}

std::expected<bool, std::string> matches_fields(const json::object& object,
                                                const std::string& selector) {
    if (selector.empty()) return true;
    for (const std::string& part : split(selector)) {
        const auto term = parse(part);
        if (!term || term->values.size() != 1)
            return std::unexpected(
                fmt::format("invalid selector: '{}'; can't understand '{}'", selector, part));
        std::string pointer = "/" + term->key;
        std::ranges::replace(pointer, '.', '/');
        const json::value* found = find(object, pointer);
        const std::string value = found ? as_text(*found) : std::string{};
        if (!holds(*term, &value)) return false;
    }
    return true;
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

std::string to_text(const json::object& selector) {
    std::vector<std::string> terms;
    for (const auto& [key, value] : object_at(selector, "/matchLabels"))
        terms.push_back(fmt::format("{}={}", std::string_view{key}, as_text(value)));
    std::ranges::sort(terms);
    for (const json::value& entry : array_at(selector, "/matchExpressions")) {
        const json::object* expression = entry.if_object();
        if (!expression) continue;
        const std::string key = text_at(*expression, "/key");
        const std::string op = text_at(*expression, "/operator");
        std::vector<std::string> values;
        for (const json::value& value : array_at(*expression, "/values"))
            values.push_back(as_text(value));
        if (op == "Exists")
            terms.push_back(key);
        else if (op == "DoesNotExist")
            terms.push_back("!" + key);
        else
            terms.push_back(fmt::format("{} {} ({})", key, op == "In" ? "in" : "notin",
                                        fmt::join(values, ",")));
    }
    return fmt::format("{}", fmt::join(terms, ","));
}

}  // namespace sluice::sim
