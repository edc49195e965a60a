#include "language/value.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cmath>

namespace sluice::language {
namespace {

std::string again(std::string_view json) {
    const Result<Value> value = to_value(boost::json::parse(json));
    return value ? to_text(*value) : "! " + value.error().message;
}

TEST(Value, is_what_the_json_was) {
    for (const char* json :
         {"null", "true", "false", "0", "-1", "9223372036854775807", "-9223372036854775808", "0.1",
          "1e+300", R"("a\"b\né")", "[]", "{}", R"([1,[2,{"a":null}]])"})
        EXPECT_EQ(again(json), json);
    EXPECT_EQ(again("18446744073709551615"), "1.8446744073709552e+19");
    EXPECT_EQ(again(R"({"b": 1, "a": 2})"), R"({"a":2,"b":1})");
}

TEST(Value, has_words_for_numbers_that_json_has_not) {
    EXPECT_EQ(to_text(Value::Array{std::nan(""), HUGE_VAL, -HUGE_VAL}), "[NaN,+Inf,-Inf]");
}

TEST(Value, knows_how_deep_and_how_heavy_it_is) {
    EXPECT_EQ(Value(5).depth(), 0u);
    EXPECT_EQ(Value(Value::Array{}).depth(), 1u);
    EXPECT_EQ(Value(Value::Map{{"a", Value::Array{1}}}).depth(), 2u);
    EXPECT_EQ(weight(Value("abc"), 100), 4u);
    EXPECT_EQ(weight(Value::Map{{"ab", Value::Array{1, 2}}}, 100), 6u);
    EXPECT_GT(weight(Value::Array(1'000, Value("abc")), 100), 100u);
}

TEST(Value, is_refused_where_the_json_is_too_deep) {
    const auto nested = [](std::size_t levels) {
        return std::string(levels, '[') + std::string(levels, ']');
    };
    boost::json::parse_options deep;
    deep.max_depth = 100;
    const auto parsed = [&](const std::string& text) { return boost::json::parse(text, {}, deep); };
    EXPECT_EQ(to_value(parsed(nested(64)))->depth(), 64u);
    EXPECT_EQ(to_value(parsed(nested(65))).error().message, "is nested deeper than 64 levels");
}

}  // namespace
}  // namespace sluice::language
