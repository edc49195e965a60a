#include "language/json_path.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace sluice::language {
namespace {

using ::testing::HasSubstr;

struct Case {
    std::string path;
    std::string outcome;
};

// What the path finds as JSON, several as an array, or "! " and the sentence that refuses it.
std::string at(std::string_view path, const boost::json::value& in) {
    const Result<JsonPath> parsed = JsonPath::parsed(path);
    if (!parsed) return "! " + parsed.error().message;
    const Result<Value> value = value_at(*parsed, in);
    if (!value) return "! " + value.error().message;
    std::vector<Value> all;
    for (const boost::json::value* one : parsed->found(in).value())
        all.push_back(to_value(*one).value());
    EXPECT_EQ(to_text(all.front()), to_text(*value)) << path;
    return to_text(all.size() == 1 ? *value : Value(all));
}

const boost::json::value document = boost::json::parse(R"({
    "data": {"ok": true, "items": [{"value": 0.5}, {"value": 7}], "a.b": 1, "it's": 2, "none": null},
    "list": [1, 2, 3, 4],
    "mixed": [{"n": "x", "v": 1}, {"v": 2}, null],
    "conditions": [{"type": "Ready", "status": "True", "age": 5, "max": 9},
                   {"type": "Open", "status": "False", "age": 50.5, "max": 9}],
    "öl": {"*": "star"},
    "big": 9223372036854775807
})");

void expect_all(const std::vector<Case>& cases) {
    for (const Case& one : cases)
        EXPECT_EQ(at(one.path, document), one.outcome) << one.path;
}

TEST(JsonPath, finds_members_and_items) {
    expect_all({{"{$.data.items[0].value}", "0.5"},
                {"{.data.items[1].value}", "7"},
                {".data.items[-1].value", "7"},
                {"$.data.ok", "true"},
                {"{ .data.ok }", "true"},
                {"{@.data.ok}", "true"},
                {"{.data['a.b']}", "1"},
                {"{.data[\"a.b\"]}", "1"},
                {R"({.data.a\.b})", "1"},
                {R"({.data['it\'s']})", "2"},
                {"{$['data']['ok']}", "true"},
                {"{.data.none}", "null"},
                {"{.öl}", R"({"*":"star"})"},
                {"{.big}", "9223372036854775807"},
                {"{.list}", "[1,2,3,4]"}});
    EXPECT_EQ(at("{$}", boost::json::parse("[5]")), "[5]");
    EXPECT_EQ(at("{[0]}", boost::json::parse("[5]")), "5");
    EXPECT_EQ(at("$[0].a", boost::json::parse(R"([{"a": 1}])")), "1");
}

TEST(JsonPath, finds_several) {
    expect_all({{"{.list[0:2]}", "[1,2]"},
                {"{.list[2:]}", "[3,4]"},
                {"{.list[:-1]}", "[1,2,3]"},
                {"{.list[-2:]}", "[3,4]"},
                {"{.list[::2]}", "[1,3]"},
                {"{.list[0:1]}", "1"},
                {"{.list[0,2]}", "[1,3]"},
                {"{.list[*]}", "[1,2,3,4]"},
                {"{.list.*}", "[1,2,3,4]"},
                {"{.data['ok', 'a.b']}", "[true,1]"},
                {"{.data.items[*].value}", "[0.5,7]"},
                {"{..value}", "[0.5,7]"},
                {"{.data..value}", "[0.5,7]"},
                {"{..status}", R"(["True","False"])"},
                {"{.mixed[*].v}", "[1,2]"},
                {"{.mixed[*].n}", "\"x\""},
                {"{.öl.*}", "\"star\""}});
}

TEST(JsonPath, means_the_first_of_several) {
    const auto first = [](std::string_view path) {
        return to_text(value_at(JsonPath::parsed(path).value(), document).value());
    };
    EXPECT_EQ(first("{.data.items[*].value}"), "0.5");
    EXPECT_EQ(first("{.list[1:]}"), "2");
    EXPECT_EQ(first("{.list}"), "[1,2,3,4]") << "that is one";
}

TEST(JsonPath, filters) {
    expect_all({{R"({.conditions[?(@.type=="Ready")].status})", "\"True\""},
                {"{.conditions[?(@.type=='Open')].status}", "\"False\""},
                {"{.conditions[?( @.type != 'Open' )].status}", "\"True\""},
                {"{.conditions[?(@.age<6)].type}", "\"Ready\""},
                {"{.conditions[?(@.age<=5)].type}", "\"Ready\""},
                {"{.conditions[?(@.age>5)].type}", "\"Open\""},
                {"{.conditions[?(@.age>=5)].type}", R"(["Ready","Open"])"},
                {"{.conditions[?(@.age==50.5)].type}", "\"Open\""},
                {"{.conditions[?(@.age<@.max)].type}", "\"Ready\""},
                {"{.conditions[?(@['type']<'P')].type}", "\"Open\""},
                {"{.mixed[?(@.n)].v}", "1"},
                {"{.list[?(@>2)]}", "[3,4]"},
                {"{.conditions[?(@.type=='None')].status}", "! the path finds nothing"}});
}

TEST(JsonPath, refuses_what_is_not_there) {
    expect_all(
        {{"{.none}", "! \"none\" is not found"},
         {"{.data.items.value}", "! \"value\" is not found"},
         {"{.data.none.deeper}", "! \"deeper\" is not found"},
         {"{.list[4]}", "! an index is beyond the end of an array of 4"},
         {"{.list[-5]}", "! an index is beyond the end of an array of 4"},
         {"{.list[0:5]}", "! an index is beyond the end of an array of 4"},
         {"{.list[3:2]}", "! the begin of a range is behind its end"},
         {"{.list[2:2]}", "! the path finds nothing"},
         {"{.data[0]}", "! an index is asked of a value that is not an array"},
         {"{.data[?(@.a)]}", "! a filter is asked of a value that is not an array"},
         {"{.mixed[?(@.n=='x')]}", "! \"n\" is not found"},
         {"{.conditions[?(@.type==5)]}", "! a filter compares values that cannot be compared"},
         {"{.conditions[?(@.*==5)]}", "! a filter compares more than one value"},
         {"{..nowhere}", "! \"nowhere\" is not found"}});
    EXPECT_EQ(at("{.a}", nullptr), "! \"a\" is not found");
    EXPECT_EQ(at("{[?(@.a)]}", nullptr), "! a filter is asked of a value that is not an array");
}

TEST(JsonPath, passes_over_what_is_not_there_if_asked_to) {
    const auto found = [](std::string_view path) {
        return JsonPath::parsed(path)->found(document, JsonPath::Missing::Nothing)->size();
    };
    EXPECT_EQ(found("{.none.deeper}"), 0u);
    EXPECT_EQ(found("{.mixed[?(@.n=='x')]}"), 1u);
}

TEST(JsonPath, says_where_it_is_wrong) {
    expect_all({{"", "! at position 1: a path begins with $ or a dot"},
                {"{}", "! at position 2: a path begins with $ or a dot"},
                {"data", "! at position 1: a path begins with $ or a dot"},
                {"{.a", "! at position 4: \"}\" is expected"},
                {"{.a}{.b}", "! at position 5: nothing is expected after the braces"},
                {"{.a} x", "! at position 6: nothing is expected after the braces"},
                {".a}", "! at position 3: a dot or a bracket is expected"},
                {"{.}", "! at position 3: a name is expected"},
                {"{...a}", "! at position 4: a name is expected"},
                {"{.a[}", "! at position 5: an index or a quoted name is expected"},
                {"{.a[0}", "! at position 6: \"]\" is expected"},
                {"{.a['x}", "! at position 5: the quote is not closed"},
                {"{.a[::0]}", "! at position 5: the step of a range is more than 0"},
                {"{.a[99999999999]}", "! at position 5: the index is too large"},
                {"{.a[99999999999999999999]}", "! at position 5: the index is too large"},
                {"{.a[?(@.b=~'x')]}", "! at position 10: \")\" is expected"},
                {"{.a[?(@.b==x)]}",
                 "! at position 12: a string, a number, true, false or @"
                 " is expected"},
                {"{.a[?(@.b[?(@.c)]==1)]}", "! at position 10: there is no filter in a filter"},
                {"{range .a[*]}{.b}{end}", "! at position 2: a path begins with $ or a dot"}});
    EXPECT_EQ(at("{.\xff}", document), "! is not UTF-8");
    EXPECT_THAT(at("{." + std::string(path_bytes_max, 'a') + "}", document),
                HasSubstr("is longer than 8192 bytes"));
}

TEST(JsonPath, visits_no_more_than_it_may) {
    boost::json::array wide(1'000, 0);
    EXPECT_THAT(at("{.." + std::string(2'000, '.') + "a}", document), HasSubstr("a name"));
    std::string again = "{$";
    for (int i = 0; i < 500; ++i)
        again += "[0:1000,0:1000]";
    EXPECT_THAT(at(again + "}", wide), HasSubstr("an index is asked of"));
    std::string all = "{$[*]";
    for (int i = 0; i < 30; ++i)
        all += "['a','a']";
    EXPECT_EQ(at(all + "}", boost::json::value(boost::json::array(
                                100, boost::json::parse(R"({"a": {"a": {"a": {}}}})")))),
              "! \"a\" is not found");
    boost::json::value deep = 0;
    for (int i = 0; i < 1'000; ++i)
        deep = boost::json::array{std::move(deep)};
    EXPECT_EQ(at("{" + std::string(1, '$') + "..[0]..[0]..[0]}", deep),
              "! the path leads to too many values");
    EXPECT_EQ(at("{$}", deep), "! is nested deeper than 64 levels");
}

}  // namespace
}  // namespace sluice::language
