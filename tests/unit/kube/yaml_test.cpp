#include "kube/yaml.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace sluice::kube {
namespace {

namespace json = boost::json;

std::string as_json(std::string_view text) {
    const auto value = parse_yaml(text);
    return value ? json::serialize(*value) : "error: " + value.error().message;
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

TEST(Yaml, reads_nothing_as_null) {
    EXPECT_EQ(as_json(""), "null");
    EXPECT_EQ(as_json("# only a comment\n"), "null");
}

TEST(Yaml, reads_the_first_document_only) {
    EXPECT_EQ(as_json("---\na: b\n---\nc: d\n"), R"({"a":"b"})");
}

TEST(Yaml, keeps_strings_that_were_tagged_as_such) {
    EXPECT_EQ(as_json("a: !!str 12"), R"({"a":"12"})");
}

TEST(Yaml, refuses_in_a_sentence) {
    EXPECT_EQ(as_json("a: 1\na: 2\n"), "error: line 2: a key appears twice in one mapping");
    EXPECT_EQ(as_json("a: &x 1\nb: *x\n"),
              "error: line 2: a YAML alias is not supported here; write the value out");
    EXPECT_EQ(as_json("a: !!binary aGk=\n"),
              "error: line 1: a YAML tag is not supported here; write a plain value");
    EXPECT_EQ(as_json("1: a\n"), "error: line 1: a key is not a string");
    EXPECT_EQ(as_json("a:\n  b: [c\nd: e\n"),
              "error: line 3: not valid YAML (end of sequence flow not found)");
}

TEST(Yaml, never_quotes_the_text_it_refuses) {
    for (const char* text :
         {"token: *canary\n", "token: \"\\canary\"\n", "token: !canary x\n",
          "token: canary: canary\n", "token: @canary\n", "token: 'canary' canary\n",
          "canary: 1\ncanary: 2\n", "? [canary]\n: 1\n"}) {
        const std::string answer = as_json(text);
        EXPECT_TRUE(answer.starts_with("error: ")) << text << " read as " << answer;
        EXPECT_EQ(answer.find("canary"), std::string::npos) << answer;
    }
}

TEST(Yaml, bounds_depth) {
    EXPECT_EQ(as_json(repeated("[", 32) + repeated("]", 32)),
              repeated("[", 32) + repeated("]", 32));
    EXPECT_EQ(as_json(repeated("[", 33) + repeated("]", 33)),
              "error: line 1: values are nested deeper than 32 levels");
    EXPECT_EQ(as_json(repeated("[", 1 << 20)),
              "error: line 1: values are nested deeper than 32 levels");
    EXPECT_EQ(as_json(repeated("- ", 1 << 19)),
              "error: line 1: values are nested deeper than 32 levels");
    EXPECT_EQ(as_json(repeated("{a: ", 1 << 18)),
              "error: line 1: values are nested deeper than 32 levels");
}

TEST(Yaml, bounds_the_number_of_values) {
    EXPECT_EQ(as_json(repeated("- a\n", 50'001)),
              "error: line 50000: the file has more than 50000 values");
}

}  // namespace
}  // namespace sluice::kube
