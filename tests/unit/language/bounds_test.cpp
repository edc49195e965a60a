#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "base/dice.hpp"
#include "tests/unit/language/cases.hpp"

namespace sluice::language {
namespace {

using ::testing::HasSubstr;

std::string repeated(std::string_view text, std::size_t times) {
    std::string out;
    for (std::size_t i = 0; i < times; ++i)
        out += text;
    return out;
}

TEST(ExpressionBounds, refuse_what_is_too_long) {
    const std::string blanks(expression_bytes_max - 1, ' ');
    EXPECT_EQ(outcome(blanks + "1"), "1");
    EXPECT_EQ(outcome(blanks + " 1"), "! is longer than 8192 bytes");
}

TEST(ExpressionBounds, refuse_what_is_nested_too_deeply) {
    const std::vector<std::pair<std::string, std::string>> nests{
        {"(", ")"},      {"[", "]"},        {"{a: ", "}"},
        {"!", ""},       {"-", ""},         {"not ", ""},
        {"len([", "])"}, {"[0][", "]"},     {"map([1], {", "})"},
        {"+", ""},       {"true ? ", ":1"}, {"true ? 1 : ", ""},
        {"2 ** ", ""}};
    for (const auto& [open, close] : nests) {
        const std::string deep = repeated(open, 500) + "1" + repeated(close, 500);
        EXPECT_THAT(outcome(deep), HasSubstr("nested too deeply")) << open;
        EXPECT_THAT(outcome(repeated(open, 700)), ::testing::StartsWith("! at ")) << open;
    }
    EXPECT_EQ(outcome(repeated("(", 60) + "1" + repeated(")", 60)), "1");
    EXPECT_EQ(outcome(repeated("!", 60) + "true"), "true");
}

TEST(ExpressionBounds, refuse_values_that_are_nested_step_by_step) {
    const std::vector<std::pair<std::string, std::string>> wraps{{"[", "]"}, {"{a: ", "}"}};
    for (const auto& [open, close] : wraps) {
        std::string text = "result";
        for (int step = 0; step < 6; ++step)
            text = "map([" + text + "], {" + repeated(open, 50) + "#" + repeated(close, 50) + "})";
        EXPECT_THAT(outcome(text), HasSubstr("nests values too deeply")) << open;
        EXPECT_THAT(outcome("len(" + text + ") > 0"), HasSubstr("nests values too deeply"));
    }
    std::string shallow = "result";
    for (int step = 0; step < 4; ++step)
        shallow = "map([" + shallow + "], {" + repeated("[", 50) + "#" + repeated("]", 50) + "})";
    EXPECT_EQ(outcome("len(" + shallow + ") > 0"), "true");
}

TEST(ExpressionBounds, let_operators_stand_in_a_row_as_long_as_they_like) {
    EXPECT_EQ(outcome("1" + repeated("+1", 4'000)), "4001");
    EXPECT_EQ(outcome("true" + repeated(" and true", 900)), "true");
    EXPECT_EQ(outcome("nil" + repeated("??nil", 1'600)), "null");
    EXPECT_EQ(outcome("1" + repeated("<2", 2) + repeated("==true", 1'300)), "false");
    EXPECT_EQ(outcome("1" + repeated(" not in []", 800)), "true");
    EXPECT_EQ(outcome("1" + repeated("<=1", 2'500)), "true");
    EXPECT_EQ(outcome("result" + repeated("?.a", 2'500)), "null");
    EXPECT_EQ(outcome("[" + repeated("1,", 4'000) + "][-1]"), "1");
}

TEST(ExpressionBounds, end_the_work) {
    const char* too_much = "takes too many steps";
    for (const char* text :
         {"1..1000000", "0..9223372036854775807", "len(map(1..400, {map(1..400, {#})}))",
          "all(1..99999, {# + 1 + 1 > 0})", "map(1..9000, {result + result})",
          "map(1..300, {result matches '(a|b)*c'})", "map(1..900, {result contains result})",
          "map(1..9000, {upper(result)})", "map(1..9000, {result == result})",
          "map(1..9000, {'a' matches '(x{9}){9}' + lower('A')})", "max(map(1..400, {1..400}))"})
        EXPECT_THAT(outcome(text, "\"" + std::string(4'000, 'a') + "\""), HasSubstr(too_much))
            << text;
}

TEST(ExpressionBounds, refuse_outcomes_that_are_too_large) {
    const std::string result = "\"" + std::string(100, 'a') + "\"";
    EXPECT_EQ(outcome("map(1..200, {map(1..200, {result})})", result),
              "! makes a value that is too large");
    EXPECT_EQ(outcome("len(map(1..200, {map(1..200, {result})}))", result), "200");
    std::string deep = "result";
    for (int i = 0; i < 40; ++i)
        deep = "[" + deep + "]";
    EXPECT_EQ(outcome(deep, repeated("[", 30) + repeated("]", 30)),
              "! makes a value that is too large");
}

TEST(ExpressionBounds, refuse_values_that_are_too_deep) {
    Value deep = 1;
    for (int i = 0; i < 65; ++i)
        deep = Value::Array{deep};
    EXPECT_EQ(outcome("result == nil", {{"result", deep}}),
              "! at position 1: \"result\" is nested too deeply");
}

TEST(ExpressionBounds, hold_where_each_comparison_asks_its_middle_twice) {
    std::string text = "1";
    for (int i = 0; i < 20; ++i)
        text = "0 <= (" + text + ") <= 1";
    EXPECT_THAT(outcome(text), HasSubstr("<= does not go between"));
    text = "1";
    for (int i = 0; i < 20; ++i)
        text = "(0 <= " + text + " <= 1 ? 1 : 0)";
    EXPECT_THAT(outcome(text), HasSubstr("steps"));
}

// Texts that look like expressions, from pieces and from earlier ones with something changed.
class Writer {
  public:
    explicit Writer(std::uint64_t seed) : dice_(seed) {}

    std::string expression(int depth = 0) {
        static constexpr std::array<const char*, 12> leaves{
            "result", "1",      "0",        "2.5",         "'a'",    "nil",
            "true",   "[1, 2]", "result.a", "result.list", "{a: 1}", "-3"};
        static constexpr std::array<const char*, 20> between{
            "+",   "-",  "*",  "/",  "%",      "**",       "==",      "!=", "<",          ">=",
            "and", "or", "??", "in", "not in", "contains", "matches", "..", "startsWith", "<="};
        static constexpr std::array<const char*, 12> functions{
            "len",   "abs",   "max",     "sum",   "first", "keys",
            "upper", "asInt", "asFloat", "isNaN", "trim",  "values"};
        static constexpr std::array<const char*, 6> over{"all", "any",   "filter",
                                                         "map", "count", "one"};
        if (depth > 5) return one(leaves);
        const auto inner = [&] { return expression(depth + 1); };
        switch (dice_.roll() % 9) {
            case 0: return one(leaves);
            case 1: return "(" + inner() + ")";
            case 2: return inner() + " ? " + inner() + " : " + inner();
            case 3: return one(functions) + "(" + inner() + ")";
            case 4: return one(over) + "(" + inner() + ", {" + inner() + "})";
            case 5: return "(" + inner() + ")[" + inner() + "]";
            case 6: return depth > 0 ? "#" : "not " + inner();
            default: return inner() + " " + one(between) + " " + inner();
        }
    }
    std::string changed(std::string text) {
        static constexpr std::string_view signs = "()[]{}'\"`\\.,:?#!+-*/%<>=&| 0a\x80\n";
        for (std::uint64_t i = dice_.roll() % 4; i > 0 && !text.empty(); --i) {
            const std::size_t at = dice_.roll() % text.size();
            if (dice_.roll() % 3 == 0)
                text.erase(at, dice_.roll() % 9);
            else
                text.insert(at, 1, signs[dice_.roll() % signs.size()]);
        }
        return text;
    }

  private:
    template <std::size_t Size>
    std::string one(const std::array<const char*, Size>& of) {
        return of[dice_.roll() % Size];
    }
    Dice dice_;
};

TEST(ExpressionBounds, hold_for_whatever_is_written) {
    const Values values{
        {"result", json_value(R"({"a": 5, "list": [1, 2.5, "x", null], "text": "abc"})")}};
    Writer writer(1);
    std::size_t evaluated = 0;
    for (int i = 0; i < 20'000; ++i) {
        const std::string text = writer.changed(writer.expression());
        const Result<Expression> expression = parse(text);
        if (!expression) {
            EXPECT_NE(expression.error().message, "");
            continue;
        }
        const Result<Value> value = evaluate(*expression, values, test_now);
        const Result<bool> truth = holds(*expression, values, test_now);
        if (!value) {
            EXPECT_FALSE(truth) << text;
            continue;
        }
        ++evaluated;
        EXPECT_LE(value->depth(), json_depth_max) << text;
        EXPECT_LE(weight(*value, value_weight_max), value_weight_max) << text;
        EXPECT_EQ(truth.has_value(), value->if_bool() != nullptr) << text;
        EXPECT_EQ(to_text(*value), outcome(text, values)) << text;
    }
    EXPECT_GT(evaluated, 500u);
}

TEST(ExpressionBounds, hold_for_any_bytes) {
    Dice dice(2);
    for (int i = 0; i < 20'000; ++i) {
        std::string text(dice.roll() % 40, ' ');
        for (char& c : text)
            c = static_cast<char>(dice.roll() % (i % 2 == 0 ? 256 : 128));
        if (const Result<Expression> expression = parse(text)) outcome(text);
    }
}

}  // namespace
}  // namespace sluice::language
