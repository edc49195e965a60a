#include "sim/api/selectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace sluice::sim {
namespace {

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
    const auto terms = label_terms(selector);
    if (!terms) return std::unexpected(terms.error());
    return std::ranges::all_of(*terms, [&](const Term& term) {
        return label_holds(term, object_at(object, "/metadata/labels"));
    });
}

std::expected<bool, std::string> matches_fields(const json::object& object,
                                                const std::string& selector) {
    if (selector.empty()) return true;
    for (const std::string& part : split(selector)) {
        const auto term = field_term(part);
        if (!term)
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
    for (const std::string& part : split(selector)) {
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
