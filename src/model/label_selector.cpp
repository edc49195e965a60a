#include "model/label_selector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <vector>

namespace sluice::model {
namespace {

namespace json = boost::json;

std::optional<std::string> text_of(const json::value* value) {
    if (!value || !value->is_string()) return std::nullopt;
    return std::string{value->get_string()};
}

std::optional<std::string> values_text(const json::object& expression) {
    std::vector<std::string> values;
    const json::value* listed = expression.if_contains("values");
    if (listed && listed->is_array())
        for (const json::value& one : listed->get_array()) {
            auto text = text_of(&one);
            if (!text) return std::nullopt;
            values.push_back(std::move(*text));
        }
    return fmt::format("({})", fmt::join(values, ","));
}

bool is_met(const json::value& entry, const std::map<std::string, std::string>& labels) {
    const json::object* expression = entry.if_object();
    const auto key = expression ? text_of(expression->if_contains("key")) : std::nullopt;
    const auto op = expression ? text_of(expression->if_contains("operator")) : std::nullopt;
    if (!key || !op) return false;
    const auto found = labels.find(*key);
    const bool is_there = found != labels.end();
    const json::value* values = expression->if_contains("values");
    const bool is_listed = is_there && values && values->is_array() &&
                           std::ranges::find(values->get_array(), json::value(found->second)) !=
                               values->get_array().end();
    return (*op == "Exists" && is_there) || (*op == "DoesNotExist" && !is_there) ||
           (*op == "In" && is_listed) || (*op == "NotIn" && !is_listed);
}

std::optional<std::string> term_of(const json::value& entry) {
    const json::object* expression = entry.if_object();
    if (!expression) return std::nullopt;
    auto key = text_of(expression->if_contains("key"));
    const auto op = text_of(expression->if_contains("operator"));
    const auto values = values_text(*expression);
    if (!key || !op || !values) return std::nullopt;
    if (*op == "Exists") return key;
    if (*op == "DoesNotExist") return "!" + *key;
    if (*op == "In") return fmt::format("{} in {}", *key, *values);
    if (*op == "NotIn") return fmt::format("{} notin {}", *key, *values);
    return std::nullopt;
}

}  // namespace

std::optional<std::string> selector_text(const json::object& selector) {
    std::vector<std::string> terms;
    if (const json::value* labels = selector.if_contains("matchLabels");
        labels && labels->is_object())
        for (const auto& [key, value] : labels->get_object()) {
            const auto text = text_of(&value);
            if (!text) return std::nullopt;
            terms.push_back(fmt::format("{}={}", std::string_view{key}, *text));
        }
    std::ranges::sort(terms);
    if (const json::value* expressions = selector.if_contains("matchExpressions");
        expressions && expressions->is_array())
        for (const json::value& entry : expressions->get_array()) {
            auto term = term_of(entry);
            if (!term) return std::nullopt;
            terms.push_back(std::move(*term));
        }
    return fmt::format("{}", fmt::join(terms, ","));
}

bool selects(const json::object& selector, const std::map<std::string, std::string>& labels) {
    const json::value* wanted = selector.if_contains("matchLabels");
    if (wanted && wanted->is_object())
        for (const auto& [key, value] : wanted->get_object()) {
            const auto found = labels.find(std::string{key});
            if (found == labels.end() || value != json::value(found->second)) return false;
        }
    const json::value* terms = selector.if_contains("matchExpressions");
    return !terms || !terms->is_array() ||
           std::ranges::all_of(terms->get_array(),
                               [&](const json::value& one) { return is_met(one, labels); });
}

}  // namespace sluice::model
