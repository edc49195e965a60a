#include "api/analysis/substitute.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "base/dice.hpp"

namespace sluice::api::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Arguments some() {
    return Arguments::of({{"service", "web"},
                          {"empty", ""},
                          {"token", SecretKey{"login", "token"}},
                          {"a.b-c", "x"}})
        .value();
}

TEST(Substitute, ArgumentsTakeTheirPlaces) {
    EXPECT_EQ(some().put_into("no argument"), "no argument");
    EXPECT_EQ(some().put_into("{{args.service}}"), "web");
    EXPECT_EQ(some().put_into("<{{ args.service }}|{{args.empty}}|{{\targs.a.b-c\n}}>"),
              "<web||x>");
    EXPECT_EQ(some().put_into("}} { {"), "}} { {");
}

TEST(Substitute, SecretsStayWhereTheyAre) {
    EXPECT_EQ(some().put_into("Bearer {{ args.token }}, {{args.service}}"),
              "Bearer {{ args.token }}, web");
    EXPECT_EQ(some().secrets(), (std::vector{SecretArgument{"token", {"login", "token"}}}));
    EXPECT_EQ(some().secrets_in({"x", "{{args.token}}"}).size(), 1U);
    EXPECT_TRUE(some().secrets_in({"x", "{{args.service}}"}).empty());
}

TEST(Substitute, WhatStandsForNothingIsRefused) {
    EXPECT_EQ(some().put_into("{{args.port}}").error().message,
              "holds the argument \"port\", which is not among args");
    EXPECT_EQ(some().put_into("{{args.service").error().message,
              "holds a \"{{\" that is not closed");
    for (const char* text : {"{{}}", "{{args.}}", "{{inputs.service}}", "{{ $value }}"})
        EXPECT_THAT(some().put_into(text).error().message, HasSubstr("without an argument"))
            << text;
}

TEST(Substitute, AValueIsNotLookedAtAgain) {
    const auto sly = Arguments::of({{"a", "{{args.token}}"}, {"b", NotGiven{}}});
    ASSERT_FALSE(sly.has_value());
    EXPECT_EQ(to_text(sly.error()),
              "args.a: has a value that holds \"{{\", and values are not resolved again. "
              "args.b: has no value.");
    EXPECT_EQ(substituted("{{args.a}}{{args.b}}",
                          [](const std::string& name) -> std::optional<std::string> {
                              if (name == "a") return "{{args.b}}";
                              return std::nullopt;
                          }),
              "{{args.b}}{{args.b}}");
}

TEST(Substitute, EveryTextAndKeyOfADocumentIsReached) {
    const auto json = boost::json::parse(
        R"({"{{args.service}}":[1,true,null,"{{args.service}}",{"a":"{{args.token}}"}]})");
    EXPECT_EQ(boost::json::serialize(some().put_into_all(json).value()),
              R"({"web":[1,true,null,"web",{"a":"{{args.token}}"}]})");
}

TEST(Substitute, TextsDoNotGrowWithoutBound) {
    const auto large = Arguments::of({{"x", std::string(4096, 'x')}}).value();
    std::string many;
    for (int i = 0; i < 100; ++i)
        many += "{{args.x}}";
    EXPECT_EQ(large.put_into(many).error().kind, ErrorKind::TooLarge);
    boost::json::array list(100, boost::json::value("{{args.x}}"));
    EXPECT_EQ(large.put_into_all(boost::json::value(list)).error().kind, ErrorKind::TooLarge);
}

TEST(Substitute, AnyTextIsTakenOrRefused) {
    Dice dice{7};
    for (int i = 0; i < 20'000; ++i) {
        std::string text;
        for (std::uint64_t k = dice.roll() % 12; k > 0; --k) {
            constexpr std::string_view parts[] = {"{", "{{", "}", "}}", "args.", "service", " "};
            text += parts[dice.roll() % std::size(parts)];
        }
        const auto put = some().put_into(text);
        const auto names = arguments_in(text);
        if (put) EXPECT_TRUE(names.has_value());
        if (put && names->empty()) EXPECT_EQ(*put, text);
    }
}

TEST(FieldValue, FieldsOfAnObjectAreTexts) {
    model::CustomObject object;
    object.meta.key = {"shop", "web"};
    object.labels = {{"region", "north"}, {"app.kubernetes.io/part-of", "shop"}};
    object.annotations = {{"sluice.dev/retry", "7"}};
    object.spec = R"({"plugin":{"name":"statefulset"},"n":3,"list":[1,2]})";
    object.status = R"({"canary":{"weight":20}})";
    EXPECT_EQ(field_value(object, "metadata.name"), "web");
    EXPECT_EQ(field_value(object, "metadata.namespace"), "shop");
    EXPECT_EQ(field_value(object, "metadata.annotations['sluice.dev/retry']"), "7");
    EXPECT_EQ(field_value(object, "metadata.labels['region']"), "north");
    EXPECT_EQ(field_value(object, "metadata.labels['app.kubernetes.io/part-of']"), "shop");
    EXPECT_EQ(field_value(object, "spec.plugin.name"), "statefulset");
    EXPECT_EQ(field_value(object, "spec.n"), "3");
    EXPECT_EQ(field_value(object, "status.canary.weight"), "20");
    for (const char* path :
         {"spec", "spec.list", "spec.list[*]", "spec.none", "metadata.labels['a']"})
        EXPECT_EQ(field_value(object, path).error().message,
                  "names a field that has no single value")
            << path;
    EXPECT_EQ(field_value(object, "}{").error().message, "is not the path of a field");
}

}  // namespace
}  // namespace sluice::api::analysis
