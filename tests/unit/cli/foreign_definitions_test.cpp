#include "cli/foreign_definitions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "cli/manifests.hpp"
#include "model/yaml.hpp"

namespace sluice::cli {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::string_view ours = R"(# For a server that is old.
---
# One.
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ones.test.dev, labels: {app.kubernetes.io/name: sluice}}
spec:
  versions:
    - name: v1
      served: true
      subresources: {status: {}}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            metadata: {type: object}
            spec:
              type: object
              properties:
                count: {type: integer}
                list: {type: array, items: {type: object, properties: {a: {}, b: {}}}}
                words: {type: object, properties: {x: {type: object, properties: {y: {}}}}}
                opaque: {type: object, x-kubernetes-preserve-unknown-fields: true}
---
kind: CustomResourceDefinition
metadata: {name: twos.test.dev}
)";

// `ones.test.dev` as somebody else has it.
std::string theirs(std::string_view spec_properties, std::string_view version = "v1",
                   std::string_view subresources = R"({"status":{}})") {
    return std::string{R"({"metadata":{"name":"ones.test.dev"},"spec":{"versions":[{"name":")"} +
           std::string{version} + R"(","served":true,"subresources":)" + std::string{subresources} +
           R"(,"schema":{"openAPIV3Schema":{"properties":{"spec":{"properties":)" +
           std::string{spec_properties} + "}}}}}]}}";
}

std::string left_of(const std::string& installed) {
    const auto text = without_foreign(ours, installed);
    return text ? *text : "! " + text.error().message;
}

TEST(ForeignDefinitions, NothingInstalledLeavesEverything) {
    EXPECT_EQ(left_of(""), ours);
    EXPECT_EQ(left_of("\n"), ours);
    EXPECT_EQ(left_of(R"({"kind":"List","items":[]})"), ours);
}

TEST(ForeignDefinitions, WhatIsOursIsApplied) {
    EXPECT_EQ(left_of(R"({"items":[{"metadata":{"name":"ones.test.dev",
                          "labels":{"app.kubernetes.io/name":"sluice"}}}]})"),
              ours);
}

TEST(ForeignDefinitions, WhatIsNotOursIsLeftOutWithASentence) {
    const std::string whole =
        R"({"count":{},"list":{"items":{"properties":{"a":{},"b":{}}}},
            "words":{"additionalProperties":{"properties":{"y":{}}}}})";
    for (const std::string& installed :
         {theirs(whole), R"({"items":[)" + theirs(whole) + "]}",
          theirs(R"({"count":{},"list":{"items":{"x-kubernetes-preserve-unknown-fields":true}},
                     "words":{"x-kubernetes-preserve-unknown-fields":true}})")}) {
        EXPECT_EQ(left_of(installed),
                  "# For a server that is old.\n"
                  "# ones.test.dev is there and not Sluice's: it stays as it is.\n"
                  "#   It has every field that Sluice needs.\n"
                  "---\nkind: CustomResourceDefinition\nmetadata: {name: twos.test.dev}\n");
    }
}

TEST(ForeignDefinitions, WhatItLacksIsNamed) {
    EXPECT_THAT(left_of(theirs(R"({"list":{"items":{"properties":{"a":{}}}},"words":{}})")),
                HasSubstr("It has no spec.count, spec.list[].b, spec.words.x, which Sluice needs"));
    EXPECT_THAT(left_of(theirs("{}", "v2")), HasSubstr("It has no version v1, "));
    EXPECT_THAT(left_of(theirs("{}", "v1", "{}")), HasSubstr("It has no status subresource, "));
    EXPECT_THAT(left_of(theirs("{}")),
                HasSubstr("kubectl label crd ones.test.dev app.kubernetes.io/name=sluice"));
}

TEST(ForeignDefinitions, WhatIsNoListOfDefinitionsIsRefused) {
    for (const char* text : {"{", "[]", "NAME  AGE", "7"})
        EXPECT_EQ(left_of(text), "! --installed: is not what `kubectl get crd -o json` prints.");
    EXPECT_EQ(manifests({.components = {"crds"}, .namespaces = {}, .installed = "/no/such/file"})
                  .error()
                  .message,
              "--installed: /no/such/file cannot be read.");
}

TEST(ForeignDefinitions, OurOwnLackNothing) {
    const std::string all = manifests({.components = {"crds"}, .namespaces = {}}).value();
    json::array installed;
    for (json::value& one : model::read_yaml(all, {.depth_max = 100}).value()) {
        one.at("metadata").as_object().erase("labels");
        installed.push_back(std::move(one));
    }
    const auto text = without_foreign(all, json::serialize(json::object{{"items", installed}}));
    EXPECT_THAT(text.value(), StartsWith("# analysisruns.argoproj.io is there"));
    EXPECT_THAT(text.value(), Not(HasSubstr("---")));
    EXPECT_THAT(text.value(), Not(HasSubstr("It has no")));
}

}  // namespace
}  // namespace sluice::cli
