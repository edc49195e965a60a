// What the language of conditions has beyond operators: declarations, pipes, choices, and its
// functions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/language/cases.hpp"

namespace sluice::language {
namespace {

TEST(Language, names_a_value_for_what_follows) {
    expect_all({{"let x = 2; x * x", "4"},
                {"let x = 2; let y = x + 1; x * y", "6"},
                {"let n = len(result); n > 1 and n < 5", "true", "[1, 2, 3]"},
                {"let most = 2; filter(result, # > most)", "[3]", "[1, 2, 3]"},
                {"map([1, 2], {let twice = # * 2; twice + 1})", "[3,5]"},
                {"(let x = 1; x) + (let x = 2; x)", "3"},
                {"1; 2; 3;", "3"}});
    expect_refused({{"let x = 1; let x = 2; x", "16: \"x\" has a meaning already"},
                    {"let len = 1; len", "5: \"len\" has a meaning already"},
                    {"let result = 1; result", "5: \"result\" has a meaning already"},
                    {"let x = 1", "10: \";\" is expected, not the end"},
                    {"let 5 = 1; 2", "5: a name is expected, not \"5\""},
                    {"let x = x; x", "9: \"x\" is not a value that is known"},
                    {"(let x = 1; x) + x", "18: \"x\" is not a value that is known"},
                    {"1 + let x = 1; x", "5: a value is expected"}});
}

TEST(Language, gives_a_value_to_a_function_through_a_pipe) {
    expect_all({{"result | len()", "3", "[1, 2, 3]"},
                {"result | filter(# > 1) | map(# * 2) | sum()", "10", "[1, 2, 3]"},
                {"'a-b' | split('-') | join('+')", "\"a+b\""},
                {"result.gone ?? 'x' | upper()", "\"X\"", "{}"},
                {"1 + 2 | string()", "\"3\""}});
    expect_refused({{"result | 5", "10: a function is expected, not \"5\""},
                    {"result | nothing()", "10: \"nothing\" is not a function that is known"},
                    {"result | now()", "14: now takes fewer arguments"},
                    {"result | len", "13: \"(\" is expected, not the end"}});
}

TEST(Language, chooses_by_if) {
    expect_all({{"if result > 1 { 'many' } else { 'few' }", "\"many\"", "2"},
                {"if result > 9 { 1 } else if result > 1 { 2 } else { 3 }", "2", "2"},
                {"if true { let x = 1; x } else { 2 }", "1"}});
    expect_refused({{"if result { 1 } else { 2 }", "1: the condition is a number, not a bool", "5"},
                    {"if true { 1 }", "14: \"else\" is expected, not the end"},
                    {"if true { 1 } else 2", "20: \"{\" is expected, not \"2\""}});
}

TEST(Language, nests_choices_no_deeper_than_other_things) {
    std::string text = "{ 1 }";
    for (int i = 0; i < 100; ++i)
        text = "if true { 1 } else " + text;
    EXPECT_THAT(outcome(text), ::testing::EndsWith("the expression is nested too deeply"));
}

TEST(Language, goes_over_items) {
    expect_all({{"find(result, # > 1)", "2", "[1, 2, 3]"},
                {"findIndex(result, # > 1)", "1", "[1, 2, 3]"},
                {"findLast(result, # < 3)", "2", "[1, 2, 3]"},
                {"findLastIndex(result, # < 3)", "1", "[1, 2, 3]"},
                {"find(result, # > 9)", "null", "[1, 2, 3]"},
                {"findIndex(result, # > 9)", "null", "[1, 2, 3]"},
                {"reduce(result, #acc + #)", "6", "[1, 2, 3]"},
                {"reduce(result, #acc + # * #index, 10)", "18", "[1, 2, 3]"},
                {"reduce([], #acc + #, 7)", "7"},
                {"groupBy(result, .kind)", R"({"a":[{"kind":"a"}],"b":[{"kind":"b"}]})",
                 R"([{"kind": "b"}, {"kind": "a"}])"},
                {"sortBy(result, -#)", "[3,2,1]", "[1, 2, 3]"},
                {"sortBy(result, #, 'desc')", "[3,2,1]", "[1, 2, 3]"},
                {"sortBy(result, len(#))", R"(["b","a","cc"])", R"(["b", "cc", "a"])"},
                {"map(result, #index)", "[0,1]", "[5, 6]"}});
    expect_refused(
        {{"reduce([], #acc)", "1: reduce has nothing to begin with"},
         {"filter(result, #index > 0)", "16: #index has no meaning in filter", "[1]"},
         {"map(result, #acc)", "13: #acc has no meaning in map", "[1]"},
         {"groupBy(result, #)", "1: the closure of groupBy gives a number, not a string", "[1]"},
         {"filter(result, 5)", "1: the closure of filter gives a number, not a bool", "[]"},
         {"sortBy(result, #)", "1: < does not go between", R"([1, "a"])"},
         {"sortBy(result, #, 'up')", "1: the order is neither asc nor desc", "[1]"}});
}

TEST(Language, has_the_functions_of_lists_and_maps) {
    expect_all({{"sort([3, 1, 2])", "[1,2,3]"},
                {"sort(['b', 'a'], 'desc')", R"(["b","a"])"},
                {"sort([2.5, 9007199254740993, 9007199254740992])",
                 "[2.5,9007199254740992,9007199254740993]"},
                {"reverse([1, 2])", "[2,1]"},
                {"uniq([1, 2, 1.0, 'a', 'a'])", R"([1,2,"a"])"},
                {"concat([1], [2, [3]], [])", "[1,2,[3]]"},
                {"flatten([1, [2, [3]], []])", "[1,2,3]"},
                {"take([1, 2, 3], 2)", "[1,2]"},
                {"take([1], 5)", "[1]"},
                {"get({a: 1}, 'a')", "1"},
                {"get({a: 1}, 'b')", "null"},
                {"get([1, 2], -1)", "2"},
                {"get([1, 2], 5)", "null"},
                {"toPairs({b: 1, a: 2})", R"([["a",2],["b",1]])"},
                {"fromPairs([['a', 1], ['b', 2]])", R"({"a":1,"b":2})"}});
    expect_refused({{"take([1], -1)", "1: take cannot take less than 0 items"},
                    {"take([1], 1.5)", "1: take wants a whole number"},
                    {"fromPairs([[1]])", "1: an item of fromPairs is not a key and a value"},
                    {"get('a', 0)", "1: get does not go with a string"},
                    {"reverse('ab')", "1: reverse does not go with a string"}});
}

TEST(Language, has_the_functions_of_numbers) {
    expect_all({{"mean([1, 2], 6)", "3"},
                {"median([3, 1, 2])", "2"},
                {"median(1, 2, [3, 4])", "2.5"},
                {"mean([])", "0"},
                {"false ? len(median([2])) : 1", "1"},
                {"bitand(12, 10)", "8"},
                {"bitor(12, 10)", "14"},
                {"bitxor(12, 10)", "6"},
                {"bitnand(12, 10)", "4"},
                {"bitshl(1, 4)", "16"},
                {"bitshl(1, 64)", "0"},
                {"bitshr(-16, 2)", "-4"},
                {"bitshr(-16, 99)", "-1"},
                {"bitushr(-1, 60)", "15"},
                {"bitnot(0)", "-1"}});
    expect_refused({{"bitshl(1, -1)", "1: bitshl cannot shift by less than 0"},
                    {"bitand(1.5, 1)", "1: bitand wants a whole number"},
                    {"median(['a'])", "1: median does not go with a string"}});
}

TEST(Language, has_the_functions_of_texts) {
    expect_all({{"split('a,b,,c', ',')", R"(["a","b","","c"])"},
                {"split('a,b,c', ',', 2)", R"(["a","b,c"])"},
                {"split('aé', '')", R"(["a","é"])"},
                {"splitAfter('a,b', ',')", R"(["a,","b"])"},
                {"replace('aXbX', 'X', '-')", "\"a-b-\""},
                {"replace('aXbX', 'X', '-', 1)", "\"a-bX\""},
                {"replace('ab', '', '-')", "\"-a-b-\""},
                {"repeat('ab', 3)", "\"ababab\""},
                {"join(['a', 'b'])", "\"ab\""},
                {"indexOf('abcb', 'b')", "1"},
                {"lastIndexOf('abcb', 'b')", "3"},
                {"indexOf('abc', 'x')", "-1"},
                {"hasPrefix('abc', 'ab')", "true"},
                {"hasSuffix('abc', 'ab')", "false"},
                {"trimPrefix('abc', 'a')", "\"bc\""},
                {"trimSuffix('abc', 'c')", "\"ab\""},
                {"'hello'[1:3]", "\"el\""},
                {"'hello'[-2:]", "\"lo\""},
                {"'é'[0:2]", "\"é\""}});
    expect_refused(
        {{"'é'[0:1]", "5: the slice cuts through a character"},
         {"repeat('a', -1)", "1: repeat cannot repeat less than 0 times"},
         {"repeat('aaaaaaaaaaaaaaaa', 1000000)", "1: the evaluation takes too many steps"},
         {"join([1])", "1: join does not go with a number"}});
}

TEST(Language, turns_values_into_others) {
    expect_all({{"string(5)", "\"5\""},
                {"string(1000000.0)", "\"1e+06\""},
                {"string(0.5)", "\"0.5\""},
                {"string([1, 'a', nil])", "\"[1 a <nil>]\""},
                {"string(['', ''])", "\"[ ]\""},
                {"string({b: 1, a: [2]})", "\"map[a:[2] b:1]\""},
                {"type(1)", "\"int\""},
                {"type(1.5)", "\"float\""},
                {"type(nil)", "\"nil\""},
                {"type(duration('1s'))", "\"time.Duration\""},
                {"toJSON({a: [1, '<']})", R"("{\n  \"a\": [\n    1,\n    \"\\u003c\"\n  ]\n}")"},
                {"toJSON([])", "\"[]\""},
                {"toJSON(0.0000001)", "\"1e-7\""},
                {"fromJSON('{\"a\": [1, 2.5]}').a[1]", "2.5"},
                {"toBase64('hello')", "\"aGVsbG8=\""},
                {"fromBase64('aGVsbG8=')", "\"hello\""},
                {"::len([1])", "1"}});
    expect_refused({{"fromJSON('{')", "1: the string is not JSON"},
                    {"fromBase64('!')", "1: the string is not base64"},
                    {"fromBase64('/w==')", "1: the base64 does not hold UTF-8"},
                    {"toJSON(1.0 / 0)", "1: JSON has no such number"}});
}

TEST(Language, counts_time) {
    expect_all({{"now()", "\"2023-11-14T22:13:20Z\""},
                {"duration('1h30m')", "\"1h30m0s\""},
                {"duration('1.5ms') * 2", "\"3ms\""},
                {"duration('-2s') + duration('500ms')", "\"-1.5s\""},
                {"date('2023-11-14') + duration('24h')", "\"2023-11-15T00:00:00Z\""},
                {"now() - date('2023-11-14T23:13:20+02:00') == duration('1h')", "true"},
                {"now() - date(result) < duration('1h')", "true", "\"2023-11-14T22:00:00Z\""},
                {"date('2023-11-14 22:13:20') == now()", "true"},
                {"date('Tue, 14 Nov 2023 22:13:20 UTC') == now()", "true"},
                {"date('14.11.2023', '02.01.2006')", "\"2023-11-14T00:00:00Z\""},
                {"date('2023-11-14T10:30:00+02:00').Hour()", "10"},
                {"date('2023-11-14T10:30:00+02:00').Unix()", "1699950600"},
                {"duration('90m').Hours()", "1.5"},
                {"duration('1.5s').Milliseconds()", "1500"},
                {"sortBy([duration('2s'), duration('1s')], #)", R"(["1s","2s"])"},
                {"date('0001-01-01') < now()", "true"}});
    expect_refused(
        {{"date('2023-02-30')", "1: the string is not a date"},
         {"date('x', '2006')", "1: the string is not a date of this layout"},
         {"date('2023-11-14', '2006-01-02', 'Mars')", "1: date knows no time zone but UTC"},
         {"duration('soon')", "1: the string is not a duration such as 1h30m"},
         {"now() + now()", "7: + does not go between a time and a time"},
         {"now() > 5", "7: > does not go between a time and a number"},
         {"duration('1h') * 1.5", "16: a duration is multiplied by whole numbers only"},
         {"now().Month()", "6: \"Month\" is not a method that is known"},
         {"result.Hour()", "7: a map has no method \"Hour\"", "{}"},
         {"duration('99999h') * 99999", "20: the integer becomes too large"}});
}

TEST(Language, refuses_by_the_kind_of_the_result_even_what_is_not_asked_for) {
    expect_refused(
        {{"true or result == 5", "16: == does not go between an array and a number", "[5]"},
         {"true or result.a", "15: an array has no member \"a\"", "[]"},
         {"true or len(result) > 0", "9: len does not go with a number", "5"},
         {"true or result['a'] == 1", "15: the index is a string, not a number", "[]"}});
    expect_all({{"result?.a ?? 5", "5", "null"}, {"result == nil or result > 5", "true", "null"}});
}

}  // namespace
}  // namespace sluice::language
