#include "api/analysis/known.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/api/analysis/run_world.hpp"

namespace sluice::api::analysis {
namespace {

using namespace testing;

std::string refusal(const std::string& metrics, const std::string& more = "") {
    const auto known = known_metrics(spec_of(metrics, more));
    return known ? "known" : to_text(known.error());
}

TEST(KnownMetrics, NumbersAndDurationsComeFromArguments) {
    const auto known = known_metrics(
        spec_of(metric_json("{{args.name}}",
                            R"("interval":"{{args.every}}","initialDelay":"{{args.every}}",)"
                            R"("count":"{{args.n}}","failureLimit":"{{args.n}}")"),
                R"(,"args":[{"name":"every","value":"90s"},{"name":"n","value":"3"},)"
                R"({"name":"name","value":"rate"}])"));
    ASSERT_TRUE(known.has_value()) << to_text(known.error());
    EXPECT_EQ(known->at(0).name, "rate");
    EXPECT_EQ(known->at(0).interval, 90s);
    EXPECT_EQ(known->at(0).initial_delay, 90s);
    EXPECT_EQ(known->at(0).count, 3);
    EXPECT_EQ(known->at(0).failure_limit, 3);
}

TEST(KnownMetrics, WithoutACountAMetricIsMeasuredOnceOrUntilTheRunEnds) {
    const auto known = known_metrics(
        spec_of(metric_json("once", "") + "," + metric_json("often", R"("interval":"1m")") + "," +
                metric_json("until", R"("interval":"1m","consecutiveSuccessLimit":2)")));
    ASSERT_TRUE(known.has_value());
    EXPECT_EQ(known->at(0).count, 1);
    EXPECT_EQ(known->at(1).count, std::nullopt);
    ASSERT_NE(endless(*known), nullptr);
    EXPECT_EQ(endless(*known)->name, "often");
    EXPECT_EQ(endless({known->at(0), known->at(2)}), nullptr);
}

TEST(KnownMetrics, AProviderThatIsNotServedIsRefusedByName) {
    EXPECT_EQ(refusal(R"({"name":"dog","provider":{"datadog":{"query":"x"}}})"),
              "spec.metrics[0].provider: datadog is not served by this operator; prometheus, web "
              "and job are.");
}

TEST(KnownMetrics, WhatCannotBeUsedIsToldByField) {
    EXPECT_EQ(refusal(metric_json("a", R"("successCondition":"result[")")).substr(0, 34),
              "spec.metrics[0].successCondition: ");
    EXPECT_EQ(refusal(metric_json("a", R"("interval":"{{args.x}}")"),
                      R"(,"args":[{"name":"x","value":"soon"}])"),
              "spec.metrics[0].interval: must be a duration of at most 720h, such as 30s or 1h30m, "
              "or hold an argument such as {{args.interval}}.");
    EXPECT_EQ(refusal(R"({"name":"a","provider":{"prometheus":{"query":"up"}}})"),
              "spec.metrics[0].provider.prometheus.address: is required.");
    EXPECT_EQ(refusal(R"({"name":"a","provider":{"web":{"url":"http://a","jsonPath":"{.a["}}})")
                  .substr(0, 39),
              "spec.metrics[0].provider.web.jsonPath: ");
    EXPECT_EQ(refusal(metric_json("{{args.x}}", "") + "," + metric_json("b", ""),
                      R"(,"args":[{"name":"x","value":"b"}])"),
              "spec.metrics[1].name: is there twice.");
}

TEST(KnownMetrics, LimitsThatContradictEachOtherAreFoundOnceTheyAreKnown) {
    const auto with = [](const std::string& n, const std::string& fields) {
        return refusal(metric_json("a", fields),
                       R"(,"args":[{"name":"n","value":")" + n + R"("}])");
    };
    EXPECT_EQ(with("2", R"("count":1,"failureLimit":"{{args.n}}")"),
              "spec.metrics[0].count: must not be less than failureLimit or inconclusiveLimit.");
    EXPECT_EQ(with("-1", R"("failureLimit":"{{args.n}}")"),
              "spec.metrics[0].failureLimit: of -1 needs a consecutiveSuccessLimit, or the metric "
              "could not fail.");
    EXPECT_EQ(with("-1", R"("failureLimit":"{{args.n}}","consecutiveSuccessLimit":2)"), "known");
    EXPECT_EQ(with("2", R"("count":"{{args.n}}")"),
              "spec.metrics[0].interval: is required where count is more than 1.");
}

TEST(KnownMetrics, ASecretMayStandOnlyInAQuestion) {
    const std::string args =
        R"(,"args":[{"name":"s","valueFrom":{"secretKeyRef":{"name":"n","key":"k"}}}])";
    EXPECT_EQ(
        refusal(metric_json("a", R"("successCondition":"{{args.s}}","count":"{{args.s}}")"), args),
        "spec.metrics[0].count: must not hang on a Secret. "
        "spec.metrics[0].successCondition: must not hang on a Secret.");
    EXPECT_EQ(refusal(R"({"name":"a","provider":{"job":{"spec":{"template":{"a":"{{args.s}}"}}}}})",
                      args),
              "spec.metrics[0].provider.job: must not hang on a Secret: let the Job's container "
              "read it by its own secretKeyRef.");
    const auto known =
        known_metrics(spec_of(R"({"name":"a","provider":{"web":{"url":"http://a","headers":[)"
                              R"({"key":"Authorization","value":"Bearer {{args.s}}"}]}}})",
                              args));
    ASSERT_TRUE(known.has_value()) << to_text(known.error());
    EXPECT_EQ(known->at(0).secrets, (std::vector{SecretArgument{"s", {"n", "k"}}}));
}

TEST(Rules, TheyPickByPatternAndTheLastLimitCounts) {
    const auto known =
        known_metrics(spec_of(metric_json("total-4xx", "") + "," + metric_json("total-5xx", ""),
                              R"(,"dryRun":[{"metricName":"5xx$"}],"measurementRetention":[)"
                              R"({"metricName":"*","limit":20},{"metricName":"4..","limit":30},)"
                              R"({"metricName":"total","limit":0}])"));
    ASSERT_TRUE(known.has_value()) << to_text(known.error());
    EXPECT_EQ(known->at(0).treatment, (Treatment{false, 30}));
    EXPECT_EQ(known->at(1).treatment, (Treatment{true, 20}));
}

TEST(Rules, ARuleThatPicksNothingOrStandsThereTwiceIsRefused) {
    EXPECT_EQ(refusal(metric_json("a", ""),
                      R"(,"dryRun":[{"metricName":"b"},{"metricName":"("},{"metricName":"b"}])"),
              "spec.dryRun[0].metricName: fits the name of no metric. "
              "spec.dryRun[1].metricName: the pattern cannot be read: missing ). "
              "spec.dryRun[2].metricName: is there twice.");
}

TEST(KnownMetrics, OfATokenOnlyTheClientMayHangOnASecret) {
    const std::string secret =
        R"(,"args":[{"name":"s","valueFrom":{"secretKeyRef":{"name":"n","key":"k"}}}])";
    const auto metric = [](const std::string& client) {
        return R"({"name":"a","provider":{"web":{"url":"https://a","authentication":{"oauth2":)" +
               client + "}}}}";
    };
    const auto known = known_metrics(spec_of(
        metric(R"({"tokenUrl":"https://id","clientId":"c","clientSecret":"{{args.s}}"})"), secret));
    ASSERT_TRUE(known.has_value()) << to_text(known.error());
    EXPECT_EQ(known->at(0).secrets, (std::vector{SecretArgument{"s", {"n", "k"}}}));
    EXPECT_EQ(refusal(metric(R"({"tokenUrl":"https://id/{{args.s}}","clientId":"c",)"
                             R"("clientSecret":"x","scopes":["{{args.s}}"]})"),
                      secret),
              "spec.metrics[0].provider.web.authentication.oauth2.tokenUrl: must not hang on a "
              "Secret: headers may. "
              "spec.metrics[0].provider.web.authentication.oauth2.scopes: must not hang on a "
              "Secret: headers may.");
}

}  // namespace
}  // namespace sluice::api::analysis
