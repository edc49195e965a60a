#include "language/expression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/language/cases.hpp"

namespace sluice::language {
namespace {

using ::testing::HasSubstr;

TEST(Expression, has_literals) {
    expect_all({{"42", "42"},
                {"0x2A", "42"},
                {"0o52", "42"},
                {"0b101010", "42"},
                {"1_000_000", "1000000"},
                {"0.5", "0.5"},
                {".5", "0.5"},
                {"1.", "1"},
                {"1e3", "1000"},
                {"2.5E-1", "0.25"},
                {"9223372036854775807", "9223372036854775807"},
                {"true", "true"},
                {"false", "false"},
                {"nil", "null"},
                {R"("a\tb\"c\u00e9\x41\101")", R"("a\tb\"céAA")"},
                {R"('it\'s')", R"("it's")"},
                {"`raw \\n`", R"("raw \\n")"},
                {"[1, 'a', [nil],]", R"([1,"a",[null]])"},
                {"{a: 1, 'b c': 2, 3: 4, (\"d\" + \"e\"): 5,}", R"({"3":4,"a":1,"b c":2,"de":5})"},
                {"[]", "[]"},
                {"{}", "{}"},
                {"1 // one\n + /* two */ 2", "3"}});
}

TEST(Expression, reads_what_it_is_about) {
    const std::string result = R"({"a": {"b": [10, 20, 30]}, "key with blank": 7, "not": 1})";
    expect_all({{"result.a.b[0]", "10", result},
                {"result.a.b[-1]", "30", result},
                {"result.a.b[1.9]", "20", result},
                {"result[\"key with blank\"]", "7", result},
                {"result.not", "1", result},
                {"result.a.b[1:]", "[20,30]", result},
                {"result.a.b[:-1]", "[10,20]", result},
                {"result.a.b[2:1]", "[]", result},
                {"result.a.b[-9:9]", "[10,20,30]", result},
                {"result['a']['b'][len(result.a.b) - 1]", "30", result},
                {"result.none", "null", result},
                {"result.none?.deeper.still[3]", "null", result},
                {"result?.a?.b?.[0]", "10", result},
                {"result.none ?? 5", "5", result},
                {"result.none ?? result.nor ?? 6", "6", result},
                {"result", "0.95", "0.95"},
                {"result[0]", "0.95", "[0.95]"}});
    expect_refused({{"result.none.deeper", "12: nil has no member \"deeper\"", result},
                    {"(result.none?.a).b", "17: nil has no member", result},
                    {"result.a.b[3]", "11: there is no item 3 in an array of 3", result},
                    {"result.a.b[-4]", "11: there is no item -4 in an array of 3", result},
                    {"result.a.b.c", "11: an array has no member \"c\"", result},
                    {"result[0]", "7: the key of a map is a number, not a string", result},
                    {"result[0]", "7: a string has no items", R"("text")"},
                    {"result[0]", "7: nil has no items", "null"},
                    {"result['a']", "7: the index is a string, not a number", "[1]"}});
}

TEST(Expression, knows_other_names_than_result) {
    const Values values{{"limit", 5}, {"größe", 6}, {"$x", 7}};
    EXPECT_EQ(outcome("limit + größe + $x", values), "18");
    EXPECT_EQ(outcome("limit > result", values),
              "! at position 9: \"result\" is not a value that is known");
}

TEST(Expression, refuses_an_unknown_name_even_where_it_would_not_be_asked_for) {
    expect_refused({{"true or other", "9: \"other\" is not a value that is known"}});
}

TEST(Expression, binds_as_tightly_as_expr) {
    expect_all({{"1 + 2 * 3", "7"},
                {"(1 + 2) * 3", "9"},
                {"10 - 4 - 3", "3"},
                {"2 ** 3 ** 2", "512"},
                {"2 ^ 3", "8"},
                {"-2 ** 2", "-4"},
                {"8 / 4 / 2", "1"},
                {"7 % 4 * 2", "6"},
                {"1 + 1..2 + 1", "[2,3]"},
                {"true or false and false", "true"},
                {"not false and false", "false"},
                {"not true == false", "true"},
                {"1 + 1 == 2 and 2 * 2 == 4", "true"},
                {"2 in 1..3 == true", "true"},
                {"1 < 2 < 3", "true"},
                {"1 < 3 < 2", "false"},
                {"3 > 2 >= 2 > 1", "true"},
                {"false ? 1 : true ? 2 : 3", "2"},
                {"true ? false ? 1 : 2 : 3", "2"},
                {"nil ?? 2 ** 3", "! at position 10: what belongs to ?? needs parentheses here"},
                {"2 ** nil ?? 3", "8"},
                {"(nil ?? 2) > 1", "true"},
                {"1 < (nil ?? 2)", "true"},
                {"'a' not in ['b'] and 'a' in ['a']", "true"},
                {"'abc' not contains 'd'", "true"},
                {"-result[0]", "-3", "[3]"},
                {"!result.ok", "false", R"({"ok": true})"}});
}

TEST(Expression, compares_numbers) {
    expect_all({{"1 == 1.0", "true"},
                {"result == 1", "true", "1.0"},
                {"9223372036854775807 == 9223372036854775806", "false"},
                {"9007199254740993 > 9007199254740992", "true"},
                {"0.1 + 0.2 == 0.3", "false"},
                {"result >= 0.95", "true", "0.95"},
                {"1 != 2", "true"},
                {"result < 1", "true", "-1e300"}});
}

TEST(Expression, compares_texts_and_the_rest) {
    expect_all({{"'a' < 'b'", "true"},
                {"'a' < 'B'", "false"},
                {"'é' > 'z'", "true"},
                {"[1, 'a'] == [1.0, 'a']", "true"},
                {"{a: [nil]} == result", "true", R"({"a": [null]})"},
                {"{a: 1} == {b: 1}", "false"},
                {"[1] == [1, 2]", "false"},
                {"nil == nil", "true"},
                {"result == nil", "true", "null"},
                {"result == nil", "false", "0"},
                {"result != nil", "true", "{}"},
                {"5 in result", "false", R"(["5"])"},
                {"result == true", "true", "true"}});
    expect_refused(
        {{"result == 'ok'", "8: == does not go between a number and a string", "5"},
         {"result != '5'", "8: != does not go between a number and a string", "5"},
         {"result == 0", "8: == does not go between an array and a number", "[0]"},
         {"result.a == true", "10: == does not go between a map and a bool", R"({"a": {}})"},
         {"result < 5", "8: < does not go between nil and a number", "null"},
         {"result > 5", "8: > does not go between a string and a number", R"("6")"},
         {"result < result", "8: < does not go between a bool and a bool", "true"}});
}

TEST(Expression, refuses_at_once_what_no_value_can_make_sense_of) {
    expect_refused(
        {{"asFloat(result) == '1.1'", "17: == does not go between a number and a string"},
         {"true or 1 == 'a'", "11: == does not go between a number and a string"},
         {"1 and true", "3: and does not go with a number"},
         {"true or 'x'", "6: or does not go with a string"},
         {"not 5", "1: not does not go with a number"},
         {"-'a'", "1: - does not go with a string"},
         {"1 + 'a'", "3: + does not go between a number and a string"},
         {"[] + []", "4: + does not go between an array and an array"},
         {"1 < nil", "3: < does not go between a number and nil"},
         {"'a' in 'abc'", "5: in does not go with a string"},
         {"1 contains 'a'", "3: contains does not go with a number"},
         {"1 ? 2 : 3", "3: the condition is a number, not a bool"}});
}

TEST(Expression, reckons) {
    expect_all({{"5 / 2", "2.5"},
                {"4 / 2", "2"},
                {"7 % 3", "1"},
                {"-7 % 3", "-1"},
                {"2 ** 10", "1024"},
                {"2 ** -1", "0.5"},
                {"'a' + 'b'", R"("ab")"},
                {"+5 - -3", "8"},
                {"1 / 0", "+Inf"},
                {"-1 / 0", "-Inf"},
                {"0 / 0", "NaN"},
                {"1 / 0 > 1e308", "true"},
                {"0 / 0 == 0 / 0", "false"},
                {"0 / 0 != 0 / 0", "true"},
                {"0 / 0 < 1 or 0 / 0 >= 1", "false"},
                {"(-9223372036854775807 - 1) % -1", "0"},
                {"1.5 + 1", "2.5"}});
    expect_refused({{"5 % 0", "3: there is no rest of a division by 0"},
                    {"5.5 % 2", "5: % goes between integers only"},
                    {"9223372036854775807 + 1", "21: the integer becomes too large"},
                    {"9223372036854775807 * 2", "21: the integer becomes too large"},
                    {"-(-9223372036854775807 - 1)", "1: the integer becomes too large"},
                    {"abs(-9223372036854775807 - 1)", "1: the integer becomes too large"},
                    {"9223372036854775808", "1: the number is too large"},
                    {"1e999", "1: the number is too large or too small"},
                    {"result * 2", "8: * does not go between a string and a number", R"("2")"}});
}

TEST(Expression, does_not_ask_for_what_it_needs_not) {
    expect_all({{"false and result.none.deeper", "false", "{}"},
                {"true or result.none.deeper", "true", "{}"},
                {"true ? 1 : result.none.deeper", "1", "{}"},
                {"1 ?? result.none.deeper", "1", "{}"},
                {"result != nil and result > 5", "false", "null"},
                {"any([1, nil], {# > 0})", "true"},
                {"all([1, nil], {# > 1})", "false"},
                {"none([1, nil], {# > 0})", "false"}});
    expect_refused({{"result.none.deeper and false", "12: nil", "{}"},
                    {"true and result", "6: and does not go with a number", "5"},
                    {"result or true", "8: or does not go with nil", "null"}});
}

TEST(Expression, looks_for_one_value_in_others) {
    expect_all({{"2 in [1, 2]", "true"},
                {"2 in result", "true", "[1.0, 2.0]"},
                {"'a' in {a: nil}", "true"},
                {"'b' not in {a: 1}", "true"},
                {"1 in nil", "false"},
                {"[1] in [[1]]", "true"},
                {"nil in [nil]", "true"},
                {"2..4 == [2, 3, 4]", "true"},
                {"3..2", "[]"},
                {"5 in 1..10", "true"}});
    expect_refused({{"1 in result", "3: in does not go between a number and a map", "{}"},
                    {"'a' in result", "5: in does not go with a string", "\"ab\""},
                    {"1..result", "2: the end of a range is nil, not a number", "null"},
                    {"1..(0 / 0)", "2: the end of a range is no number of 64 bits"}});
}

TEST(Expression, asks_about_texts) {
    expect_all({{"result contains 'lo w'", "true", R"("hello world")"},
                {"result startsWith 'hell'", "true", R"("hello world")"},
                {"result endsWith 'x'", "false", R"("hello world")"},
                {"result matches '^h.*d$'", "true", R"("hello world")"},
                {"result not matches 'z'", "true", R"("hello world")"},
                {"result contains ''", "true", R"("")"},
                {"result contains 'a'", "false", "null"},
                {"result not contains 'a'", "true", "null"},
                {"result matches 'a'", "false", "null"},
                {"'aabaabaaab' contains 'aabaaab'", "true"},
                {"'größe' contains 'öß'", "true"},
                {"'a.c' matches 'a' + '[.]' + 'c'", "true"}});
}

TEST(Expression, refuses_patterns_before_they_are_used) {
    expect_refused(
        {{"result matches '('", "16: the pattern cannot be read: missing )"},
         {"result matches '" + std::string(1025, 'a') + "'",
          "16: the pattern is longer than 1024 bytes"},
         {"'a' matches result", "5: the pattern cannot be read: missing )", R"js("(")js"},
         {"result matches 'a'", "8: matches does not go with a number", "5"}});
}

TEST(Expression, refuses_conditions_that_are_not_about_truth) {
    const auto held = [](std::string_view text) {
        return holds(parse(text).value(), {{"result", Value(0.5)}}, test_now);
    };
    EXPECT_EQ(held("result < 1"), true);
    EXPECT_EQ(held("result > 1"), false);
    EXPECT_EQ(held("result").error().message, "gives a number, and a condition gives a bool");
    EXPECT_EQ(held("nil").error().message, "gives nil, and a condition gives a bool");
    EXPECT_EQ(held("result % 2 == 0").error().kind, ErrorKind::Invalid);
}

TEST(Expression, says_where_it_is_wrong) {
    expect_refused({{"", "1: there is no expression"},
                    {"  // nothing", "1: there is no expression"},
                    {"1 +", "4: a value is expected, not the end"},
                    {"(1", "3: \")\" is expected, not the end"},
                    {"1 2", "3: the end, or an operator is expected, not \"2\""},
                    {"1)", "2: the end, or an operator is expected, not \")\""},
                    {"result = 1", "8: the end, or an operator is expected, not \"=\""},
                    {"result & len()", "8: \"&\" has no meaning"},
                    {"a not b", "3: the end, or an operator is expected, not \"not\""},
                    {"and 1", "1: a value is expected, not \"and\""},
                    {"let x = 1 x", "11: \";\" is expected"},
                    {"'abc", "1: the quote is not closed"},
                    {"'a\nb'", "1: the quote is not closed"},
                    {"`abc", "1: the quote is not closed"},
                    {"'\\q'", "2: a backslash does not go with"},
                    {"'\\xff'", "1: the text is not UTF-8"},
                    {"'\\", "2: a backslash does not go with"},
                    {"/* open", "1: the comment is not closed"},
                    {"1 & 2", "3: \"&\" has no meaning"},
                    {"12ab", "1: this is not a number"},
                    {"0x", "1: this is not a number"},
                    {"1e", "1: this is not a number"},
                    {"result.", "8: a name is expected, not the end"},
                    {"result.5", "7: the end, or an operator is expected"},
                    {"result.Name()", "7: \"Name\" is not a method that is known"},
                    {"{1}", "3: \":\" is expected"},
                    {"{[1]: 2}", "2: a key is expected"},
                    {"{(5): 2}", "1: a key is a number, not a string"},
                    {"true ? 1", "9: \":\" is expected, not the end"},
                    {"system('x')", "1: \"system\" is not a function that is known"},
                    {"# > 5", "1: \"#\" means something in a closure only"},
                    {".value > 5", "1: \".\" means something in a closure only"}});
    EXPECT_EQ(outcome("'\xff'"), "! is not UTF-8");
}

}  // namespace
}  // namespace sluice::language
