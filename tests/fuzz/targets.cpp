#include "tests/fuzz/targets.hpp"

#include <boost/json.hpp>

#include "base/assert.hpp"
#include "base/pattern.hpp"
#include "language/expression.hpp"
#include "language/json_path.hpp"

namespace sluice::fuzz {

namespace {

using namespace language;

constexpr std::string_view separator = "\n----\n";

std::string_view first_part(std::string_view input) {
    const std::string_view part = input.substr(0, input.find(separator));
    return part.size() == input.size() && part.ends_with('\n') ? part.substr(0, part.size() - 1)
                                                               : part;
}

std::string_view second_part(std::string_view input) {
    const std::size_t at = input.find(separator);
    return at == input.npos ? "" : input.substr(at + separator.size());
}

boost::json::value document(std::string_view text) {
    static const boost::json::value sample = boost::json::parse(
        R"({"a": 5, "b": [1, 2.5, "x", null, true], "c": {"d": "text", "e": [{"f": 1}]}})");
    boost::system::error_code failed;
    boost::json::value parsed = boost::json::parse(text, failed);
    return failed ? sample : parsed;
}

// The expression as the item that a closure wraps up, and that again as the item of the next: each
// part is shallow, and what they make together is not.
std::string composed(std::string text, std::size_t levels, int times) {
    for (int i = 0; i < times; ++i)
        text = "map([" + text + "], {" + std::string(levels, '[') + "#" + std::string(levels, ']') +
               "})";
    return text;
}

}  // namespace

void try_expression(std::string_view input) {
    const Result<Expression> expression = parse(first_part(input));
    if (!expression) {
        SLUICE_ASSERT(!expression.error().message.empty());
        return;
    }
    const Result<Value> result = to_value(document(second_part(input)));
    SLUICE_ASSERT(result.has_value());
    const Values values{{"result", *result}, {"x", 0.5}};
    constexpr Instant now{1'700'000'000'000};
    const Result<Value> value = evaluate(*expression, values, now);
    for (const int times : {1, 3, 6}) {
        const auto deeper =
            parse(composed(std::string(first_part(input)), input.size() % 55, times));
        if (deeper) SLUICE_ASSERT(!evaluate(*deeper, values, now) || value);
    }
    const Result<bool> truth = holds(*expression, values, now);
    SLUICE_ASSERT(truth.has_value() == (value && value->if_bool()));
    if (!value) return;
    SLUICE_ASSERT(value->depth() <= json_depth_max);
    SLUICE_ASSERT(weight(*value, value_weight_max) <= value_weight_max);
    SLUICE_ASSERT(!to_text(*value).empty());
}

void try_json_path(std::string_view input) {
    const Result<JsonPath> path = JsonPath::parsed(first_part(input));
    if (!path) {
        SLUICE_ASSERT(!path.error().message.empty());
        return;
    }
    const boost::json::value in = document(second_part(input));
    const auto strict = path->found(in);
    const auto lenient = path->found(in, JsonPath::Missing::Nothing);
    if (strict && lenient) SLUICE_ASSERT(*strict == *lenient);
    const Result<Value> value = value_at(*path, in);
    SLUICE_ASSERT(!value || (strict && !strict->empty()));
    SLUICE_ASSERT(!value || value->depth() <= json_depth_max);
}

void try_pattern(std::string_view input) {
    const Result<Pattern> pattern = Pattern::compiled(first_part(input));
    if (!pattern) {
        SLUICE_ASSERT(!pattern.error().message.empty());
        return;
    }
    SLUICE_ASSERT(pattern->size() > 0 && pattern->size() < pattern_memory_max);
    const std::string_view text = second_part(input);
    const bool fits = pattern->fits(text);
    SLUICE_ASSERT(pattern->fits(text) == fits);
}

}  // namespace sluice::fuzz
