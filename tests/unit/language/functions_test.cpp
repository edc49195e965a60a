#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/language/cases.hpp"

namespace sluice::language {
namespace {

TEST(ExpressionFunctions, count_what_there_is) {
    expect_all({{"len([1, 2])", "2"},
                {"len({a: 1})", "1"},
                {"len('größe')", "5"},
                {"len('')", "0"},
                {"first([7, 8])", "7"},
                {"last([7, 8])", "8"},
                {"first([])", "null"},
                {"last(result)", "null"},
                {"keys({b: 1, a: 2})", R"(["a","b"])"},
                {"values({b: 1, a: 2})", "[2,1]"}});
    expect_refused({{"len(result)", "1: len does not go with nil"},
                    {"len(5)", "1: len does not go with a number"},
                    {"first('abc')", "1: first does not go with a string"},
                    {"keys([1])", "1: keys does not go with an array"}});
}

TEST(ExpressionFunctions, know_numbers_that_are_none) {
    const Values values{{"nan", std::nan("")}, {"inf", -HUGE_VAL}};
    EXPECT_EQ(outcome("isNaN(nan) and not isNaN(inf) and not isNaN(1)", values), "true");
    EXPECT_EQ(outcome("isInf(inf) and not isInf(nan) and not isInf(1)", values), "true");
    EXPECT_EQ(outcome("nan == nan or nan < 1 or nan >= 1", values), "false");
    EXPECT_EQ(outcome("isNaN(nan) ? 0 : nan", values), "0");
    expect_refused({{"isNaN('NaN')", "1: isNaN does not go with a string"},
                    {"isInf(result)", "1: isInf does not go with nil"}});
}

TEST(ExpressionFunctions, put_something_in_the_place_of_nil) {
    expect_all({{"default(result, 0) < 0.05", "true"},
                {"default(result, 0)", "0.5", "0.5"},
                {"default(result, 0)", "false", "false"},
                {"isNil(result)", "true"},
                {"isNil(result)", "false", "[]"}});
}

TEST(ExpressionFunctions, make_numbers_of_texts) {
    expect_all({{"asInt('42')", "42"},
                {"asInt('-42')", "-42"},
                {"asInt('+42')", "42"},
                {"asInt(1.9)", "1"},
                {"asInt(-1.9)", "-1"},
                {"int('7')", "7"},
                {"asFloat('1.1') >= 1.1", "true"},
                {"asFloat('-1e3')", "-1000"},
                {"asFloat('+.5')", "0.5"},
                {"asFloat('Inf')", "+Inf"},
                {"asFloat('-infinity')", "-Inf"},
                {"isNaN(asFloat('NaN'))", "true"},
                {"asFloat(1)", "1"},
                {"float('2')", "2"}});
    expect_refused({{"asInt('1.1')", "1: the string is not an integer of 64 bits"},
                    {"asInt('9223372036854775808')", "1: the string is not an integer"},
                    {"asInt('')", "1: the string is not an integer"},
                    {"asInt('+-1')", "1: the string is not an integer"},
                    {"asInt(' 1')", "1: the string is not an integer"},
                    {"asInt(1e300)", "1: the argument of asInt is no number of 64 bits"},
                    {"asInt(0 / 0)", "1: the argument of asInt is no number of 64 bits"},
                    {"asInt(nil)", "1: asInt does not go with nil"},
                    {"asInt(true)", "1: asInt does not go with a bool"},
                    {"asFloat('abc')", "1: the string is not a number"},
                    {"asFloat('1x')", "1: the string is not a number"},
                    {"asFloat('nan(1)')", "1: the string is not a number"},
                    {"asFloat('-')", "1: the string is not a number"},
                    {"asFloat('--1')", "1: the string is not a number"},
                    {"asFloat('1e999')", "1: the string is not a number"},
                    {"asFloat(result)", "1: asFloat does not go with an array", "[]"}});
}

TEST(ExpressionFunctions, reckon) {
    expect_all({{"abs(-5)", "5"},
                {"abs(-5.5)", "5.5"},
                {"ceil(1.2)", "2"},
                {"floor(-1.2)", "-2"},
                {"round(2.5)", "3"},
                {"min(3, 1, 2)", "1"},
                {"max(result)", "7", "[3, 7, 5]"},
                {"max(1, [2, [9]], 3)", "9"},
                {"min([])", "null"},
                {"sum([1, 2, 3])", "6"},
                {"sum([1, 0.5])", "1.5"},
                {"sum([])", "0"},
                {"sum(result, {.n})", "5", R"([{"n": 2}, {"n": 3}])"},
                {"sum(result, .n * 2)", "10", R"([{"n": 2}, {"n": 3}])"}});
    expect_refused({{"abs('1')", "1: abs does not go with a string"},
                    {"max('a')", "1: max does not go with a string"},
                    {"min(1, nil)", "1: min does not go with nil"},
                    {"sum([1, 'a'])", "1: sum does not go with a string"},
                    {"sum(5)", "1: sum does not go with a number"},
                    {"sum([9223372036854775807, 1])", "1: the integer becomes too large"}});
}

TEST(ExpressionFunctions, ask_closures) {
    const std::string result = R"([{"value": 3, "ok": true}, {"value": 7, "ok": false}])";
    expect_all(
        {{"all(result, {.value > 2})", "true", result},
         {"all(result, {#.value > 3})", "false", result},
         {"any(result, .value > 5)", "true", result},
         {"none(result, {.value > 9})", "true", result},
         {"one(result, {.ok})", "true", result},
         {"count(result, {.ok})", "1", result},
         {"count([true, false, true])", "2"},
         {"len(filter(result, {.value > 5})) == 1", "true", result},
         {"filter(1..6, {# % 2 == 0})", "[2,4,6]"},
         {"map(result, {.value})", "[3,7]", result},
         {"map([5, 6], #index)", "[0,1]"},
         {"map([1, 2], {{n: #}})", R"([{"n":1},{"n":2}])"},
         {"all([], {false})", "true"},
         {"any([], {true})", "false"},
         {"one([], {true})", "false"},
         {"map(filter(result, {.ok})[0:], {.value * 2})[0]", "6", result},
         {"all(result.values.values, {# > 1})", "true", R"({"values": {"values": [2, 2]}})"}});
    expect_refused({{"all(result, {# > 1})", "1: all does not go with nil"},
                    {"all({a: 1}, {true})", "1: all does not go with a map"},
                    {"filter([1], {#})", "1: the closure of filter gives a number, not a bool"},
                    {"count([1])", "1: count does not go with a number"},
                    {"all([1])", "1: all needs more arguments"},
                    {"map()", "1: map needs more arguments"},
                    {"len()", "1: len needs more arguments"},
                    {"len(1, 2)", "8: len takes fewer arguments"},
                    {"all([1], {true}, {true})", "18: all takes fewer arguments"},
                    {"all([1], {true)", "15: \"}\" is expected"},
                    {"map([1], #acc)", "10: #acc has no meaning in map"}});
}

TEST(ExpressionFunctions, ask_closures_in_closures) {
    expect_all({{"map(1..3, {map(1..#, {# * 10})})", "[[10],[10,20],[10,20,30]]"},
                {"all(result, {all(#, {# > 0})})", "true", "[[1, 2], [3]]"},
                {"sum(map(result, {sum(#)}))", "6", "[[1, 2], [3]]"},
                {"filter(result, {any(.tags, {# == 'a'})})", R"([{"tags":["a"]}])",
                 R"([{"tags": ["a"]}, {"tags": ["b"]}])"},
                {"map(map([1], {# + 1}), {# + 1})", "[3]"}});
}

TEST(ExpressionFunctions, change_texts) {
    expect_all({{"upper('größe ñ')", R"("GRÖßE Ñ")"},
                {"lower('ÀÉ ΣΩ ЖЯ Ÿ')", R"("àé σω жя ÿ")"},
                {"trim('  a b \\n')", R"("a b")"},
                {"trim('\\u00a0x\\u2003')", R"("x")"},
                {"trim('__a_b__', '_')", R"("a_b")"},
                {"trim('ééaé', 'é')", R"("a")"},
                {"trim('')", R"("")"},
                {"trim('   ')", R"("")"}});
    expect_refused({{"lower(5)", "1: lower does not go with a number"},
                    {"trim(nil)", "1: trim does not go with nil"}});
}

}  // namespace
}  // namespace sluice::language
