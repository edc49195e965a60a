#include "api/analysis/compose.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/api/analysis/run_world.hpp"
#include "tests/unit/api/analysis/template_shelf.hpp"

namespace sluice::api::analysis {
namespace {

using namespace testing;
using ::testing::HasSubstr;

std::string refusal(const TemplateShelf& shelf, const TemplateUse& use) {
    const auto spec = shelf.compose(use);
    return spec ? "composed" : to_text(spec.error());
}
TemplateUse use_of(std::vector<TemplateRef> templates,
                   std::map<std::string, std::string> args = {}) {
    return {std::move(templates), std::move(args), {}, {}};
}
std::string with_metric(const std::string& name, const std::string& more = "") {
    return R"({"metrics":[)" + metric_json(name, "") + "]" + more + "}";
}

TEST(Compose, TheUsersValueGoesBeforeTheTemplates) {
    const TemplateShelf shelf{{{"a"},
                               with_metric("m", R"(,"args":[{"name":"x","value":"1"},)"
                                                R"({"name":"y","value":"2"}])")}};
    const auto spec = shelf.compose(use_of({{"a"}}, {{"y", "3"}, {"unknown", "4"}}));
    ASSERT_TRUE(spec.has_value()) << to_text(spec.error());
    EXPECT_EQ(spec->args, (std::vector<Argument>{{"x", "1"}, {"y", "3"}}));
}

TEST(Compose, EveryArgumentWithoutAValueIsNamed) {
    const TemplateShelf shelf{
        {{"a"}, with_metric("m", R"(,"args":[{"name":"x"},{"name":"y"},{"name":"z"}])")}};
    EXPECT_EQ(refusal(shelf, use_of({{"a"}}, {{"y", "1"}})),
              "args.x: has no value: neither the template nor who uses it gives one. "
              "args.z: has no value: neither the template nor who uses it gives one.");
}

TEST(Compose, ASecretStaysAReferenceAndAFieldBecomesItsValue) {
    const TemplateShelf shelf{
        {{"a"},
         with_metric("m", R"(,"args":[{"name":"t","valueFrom":{"secretKeyRef":{"name":"n",)"
                          R"("key":"k"}}},{"name":"f","valueFrom":{"fieldRef":{"fieldPath":)"
                          R"("metadata.name"}}}])")}};
    const auto spec = shelf.compose(use_of({{"a"}}));
    ASSERT_TRUE(spec.has_value()) << to_text(spec.error());
    EXPECT_EQ(spec->args, (std::vector<Argument>{{"t", SecretKey{"n", "k"}}, {"f", "web"}}));
    const TemplateShelf missing{
        {{"a"},
         with_metric("m", R"(,"args":[{"name":"f","valueFrom":{"fieldRef":{"fieldPath":)"
                          R"("spec.none"}}}])")}};
    EXPECT_THAT(refusal(missing, use_of({{"a"}})),
                HasSubstr("args.f: names a field that has no single value"));
}

TEST(Compose, TemplatesBringThoseThatTheyNameEachOnce) {
    const std::string names_c = R"(,"templates":[{"templateName":"c","clusterScope":true}])";
    const TemplateShelf shelf{{{"a"}, with_metric("ma", names_c)},
                              {{"b"}, with_metric("mb", names_c)},
                              {{"c", true}, with_metric("mc")}};
    const auto spec = shelf.compose(use_of({{"a"}, {"b"}, {"a"}}));
    ASSERT_TRUE(spec.has_value()) << to_text(spec.error());
    ASSERT_EQ(spec->metrics.size(), 3U);
    EXPECT_EQ(spec->metrics[1].name, "mc");
}

TEST(Compose, ACircleAndARowThatIsTooLongAreRefused) {
    const TemplateShelf circle{
        {{"a"}, with_metric("ma", R"(,"templates":[{"templateName":"b"}])")},
        {{"b"}, with_metric("mb", R"(,"templates":[{"templateName":"a"}])")}};
    EXPECT_EQ(refusal(circle, use_of({{"a"}})),
              "AnalysisTemplate a: names itself, over the templates that it names.");
    std::map<TemplateRef, std::string, RefOrder> row;
    for (int i = 0; i < 10; ++i)
        row[{"t" + std::to_string(i)}] =
            with_metric("m" + std::to_string(i),
                        R"(,"templates":[{"templateName":"t)" + std::to_string(i + 1) + "\"}]");
    EXPECT_EQ(refusal(TemplateShelf{row}, use_of({{"t0"}})),
              "AnalysisTemplate t8: is named by a row of more than 8 templates.");
}

TEST(Compose, WhatIsMissingOrBrokenIsNamed) {
    const TemplateShelf shelf{{{"broken"}, R"({"metrics":7})"}};
    EXPECT_EQ(refusal(shelf, use_of({{"broken"}, {"none"}, {"none", true}})),
              "AnalysisTemplate broken spec.metrics: must be a list of at most 64 entries. "
              "AnalysisTemplate none: does not exist. "
              "ClusterAnalysisTemplate none: does not exist.");
    EXPECT_EQ(refusal(shelf, {}), "spec.metrics: is empty: there is nothing to measure.");
}

TEST(Compose, WhatTwoTemplatesSayDifferentlyIsRefused) {
    const TemplateShelf shelf{
        {{"a"}, with_metric("m", R"(,"args":[{"name":"x","value":"1"},{"name":"y"}])")},
        {{"b"},
         with_metric("m", R"(,"args":[{"name":"x","value":"2"},{"name":"y","value":"3"}])")}};
    EXPECT_EQ(refusal(shelf, use_of({{"a"}, {"b"}})),
              "AnalysisTemplate b: has a metric \"m\", and so has another template. "
              "AnalysisTemplate b: gives the argument \"x\" another value than another template.");
}

TEST(Compose, RulesOfTheUserAndOfTheTemplatesAreOneList) {
    const TemplateShelf shelf{
        {{"a"},
         with_metric("m", R"(,"dryRun":[{"metricName":"m"}],)"
                          R"("measurementRetention":[{"metricName":"m","limit":5}])")}};
    TemplateUse use = use_of({{"a"}});
    use.dry_run = {".*"};
    use.retention = {{"*", 7}};
    const auto spec = shelf.compose(use);
    ASSERT_TRUE(spec.has_value()) << to_text(spec.error());
    EXPECT_EQ(spec->dry_run, (std::vector<std::string>{".*", "m"}));
    EXPECT_EQ(spec->retention, (std::vector<Retention>{{"*", 7}, {"m", 5}}));
    use.dry_run = {"m"};
    EXPECT_EQ(refusal(shelf, use), "spec.dryRun[1].metricName: is there twice.");
}

TEST(Compose, ARunThatWouldBeTooLargeIsRefused) {
    std::map<TemplateRef, std::string, RefOrder> many;
    TemplateUse use;
    for (int i = 0; i < 9; ++i) {
        const TemplateRef ref{"t" + std::to_string(i)};
        many[ref] = R"({"metrics":[{"name":"m)" + std::to_string(i) +
                    R"(","provider":{"prometheus":{"address":"http://p","query":")" +
                    std::string(8000, 'q') + R"("}}}]})";
        use.templates.push_back(ref);
    }
    EXPECT_EQ(refusal(TemplateShelf{many}, use), "spec: has more than 61440 bytes.");
}

}  // namespace
}  // namespace sluice::api::analysis
