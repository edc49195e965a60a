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

}  // namespace sluice::model
