#include "model/yaml.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace sluice::model {
namespace {

namespace json = boost::json;

// Of every document, one after the other.
std::string as_json(std::string_view text, const YamlRules& rules = {}) {
    const auto documents = read_yaml(text, rules);
    if (!documents) return documents.error().field + "! " + documents.error().what;
    std::string all;
    for (const json::value& one : *documents)
        all += json::serialize(one);
    return all;
}

std::string repeated(std::string_view piece, std::size_t times) {
    std::string all;
    for (std::size_t i = 0; i < times; ++i)
        all += piece;
    return all;
}

TEST(Yaml, reads_scalars_as_yaml_1_2_means_them) {
    EXPECT_EQ(
        as_json("[null, ~, true, False, 12, -3, 1.5, 1e3, yes, '12', \"true\", x, 0x1f, 1.2.3]"),
        R"([null,null,true,false,12,-3,1.5E0,1E3,"yes","12","true","x","0x1f","1.2.3"])");
}

TEST(Yaml, reads_nested_mappings_and_lists) {
    EXPECT_EQ(as_json("a:\n- b: c\n  d:\n- {e: [f]}\n"),
              R"({"a":[{"b":"c","d":null},{"e":["f"]}]})");
}

TEST(Yaml, reads_json) {
    EXPECT_EQ(as_json(R"({"a": {"b": ["c", 1, true, null]}})"), R"({"a":{"b":["c",1,true,null]}})");
}

TEST(Yaml, reads_nothing_as_no_document) {
    EXPECT_EQ(as_json(""), "");
    EXPECT_EQ(as_json("# only a comment\n"), "");
}

TEST(Yaml, reads_every_document) {
    EXPECT_EQ(as_json("---\na: b\n---\n# nothing\n---\nc: d\n"), R"({"a":"b"}null{"c":"d"})");
}

TEST(Yaml, leaves_scalars_as_they_were_written_if_asked_to) {
    EXPECT_EQ(as_json("[1.10, yes, true, '', ~, null, 007, !!str ~]",
                      {.scalars = YamlRules::Scalars::Texts}),
              R"(["1.10","yes","true","",null,null,"007","~"])");
}

TEST(Yaml, reads_what_is_no_number_of_json_as_a_text) {
    EXPECT_EQ(as_json("[-inf, .nan, infinity, -, 1e999]"),
              R"(["-inf",".nan","infinity","-","1e999"])");
}

TEST(Yaml, keeps_strings_that_were_tagged_as_such) {
    EXPECT_EQ(as_json("a: !!str 12"), R"({"a":"12"})");
}

TEST(Yaml, refuses_in_a_sentence_with_the_place) {
    EXPECT_EQ(as_json("b: [{}, {a: 1,\na: 2}]\n"),
              "b[1].a! the key is given twice: see line 2, column 1");
    EXPECT_EQ(as_json("a: &x 1\n"), "a! anchors are not allowed: see line 1, column 4");
    EXPECT_EQ(as_json("a: *x\n"), "! is not YAML: see line 1, column 4");
    EXPECT_EQ(as_json("a: !!binary aGk=\n"), "a! tags are not allowed: see line 1, column 4");
    EXPECT_EQ(as_json("a: !x [b]\n"), "a! tags are not allowed: see line 1, column 4");
    EXPECT_EQ(as_json("1: a\n"), "! a key must be a text: see line 1, column 1");
    EXPECT_EQ(as_json("a:\n  b: [c\nd: e\n"), "! is not YAML: see line 3, column 2");
}

TEST(Yaml, never_quotes_the_text_it_refuses) {
    for (const char* text :
         {"token: *canary\n", "token: \"\\canary\"\n", "token: !canary x\n",
          "token: canary: canary\n", "token: @canary\n", "token: 'canary' canary\n",
          "canary: 1\ncanary: 2\n", "? [canary]\n: 1\n"}) {
        const std::string answer = as_json(text);
        EXPECT_TRUE(answer.contains("! ")) << text << " read as " << answer;
        const std::string_view what = std::string_view{answer}.substr(answer.find("! "));
        EXPECT_FALSE(what.contains("canary")) << answer;
    }
}

TEST(Yaml, bounds_depth) {
    EXPECT_EQ(as_json(repeated("[", 32) + repeated("]", 32)),
              repeated("[", 32) + repeated("]", 32));
    for (const std::string& text : {repeated("[", 33) + repeated("]", 33), repeated("[", 1 << 20),
                                    repeated("- ", 1 << 19), repeated("{a: ", 1 << 18)})
        EXPECT_TRUE(as_json(text).contains("! is nested deeper than 32 levels: see line 1, "));
}

TEST(Yaml, bounds_the_number_of_values) {
    EXPECT_EQ(as_json(repeated("- a\n", 50'001)),
              "[49999]! there are more than 50000 values: see line 50000, column 3");
}

}  // namespace
}  // namespace sluice::model
