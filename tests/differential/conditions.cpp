// Answers like reference/main.go, with our own evaluator.
#include <fmt/format.h>

#include <boost/json.hpp>
#include <cmath>
#include <iostream>
#include <string>

#include "language/expression.hpp"

namespace sluice::language {
namespace {

namespace json = boost::json;

std::string quoted_text(std::string_view text) {
    return json::serialize(json::string(text));
}

// JSON, and NaN and infinities as Python reads them.
std::string written(const Value& value) {
    std::string out;
    if (const Value::Array* items = value.if_array()) {
        for (const Value& item : *items)
            out += (out.empty() ? "" : ", ") + written(item);
        return "[" + out + "]";
    }
    if (const Value::Map* members = value.if_map()) {
        for (const auto& [key, member] : *members)
            out += (out.empty() ? "" : ", ") + quoted_text(key) + ": " + written(member);
        return "{" + out + "}";
    }
    const std::optional<double> number = value.if_integer() ? std::nullopt : value.number();
    if (number && std::isinf(*number)) return *number > 0 ? "Infinity" : "-Infinity";
    return to_text(value);
}

std::string answer(const std::string& line) {
    const json::value asked = json::parse(line);
    const std::string text(asked.at("text").as_string());
    const Values values{{"result", to_value(asked.at("result")).value()}};
    const Result<Expression> expression = parse(text);
    if (!expression)
        return fmt::format(R"({{"error": {}}})", quoted_text(expression.error().message));
    const Result<Value> value = evaluate(*expression, values, Instant{});
    if (!value) return fmt::format(R"({{"error": {}}})", quoted_text(value.error().message));
    return fmt::format(R"({{"value": {}}})", written(*value));
}

}  // namespace
}  // namespace sluice::language

int main() {
    for (std::string line; std::getline(std::cin, line);)
        std::cout << sluice::language::answer(line) << '\n';
}
