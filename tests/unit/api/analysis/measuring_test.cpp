#include "api/analysis/measuring.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/api/analysis/run_world.hpp"

namespace sluice::api::analysis {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string at_least = R"("successCondition":"result[0] >= 0.9")";

TEST(Measuring, AMetricWithoutIntervalIsMeasuredOnce) {
    RunWorld world{spec_of(metric_json("rate", at_least))};
    ASSERT_TRUE(world.turn().question.has_value());
    EXPECT_EQ(world.status().phase, Phase::Running);
    EXPECT_EQ(world.status().started, noon);
    const auto& asked = std::get<PrometheusQuestion>(world.last().question->what);
    EXPECT_EQ(asked.provider.query, "up");
    const Turn& end = world.answer(value(0.99));
    EXPECT_TRUE(end.is_over);
    EXPECT_EQ(end.status.phase, Phase::Successful);
    EXPECT_EQ(end.status.completed, noon);
    EXPECT_EQ(end.status.summary, (Summary{1, 1, 0, 0, 0}));
    EXPECT_EQ(world.result("rate").measurements.at(0).value, "[0.99]");
    EXPECT_FALSE(world.turn().question.has_value());
}

TEST(Measuring, AFailureBeyondTheLimitFailsTheRunAndSaysWhy) {
    RunWorld world{
        spec_of(metric_json("rate", at_least + R"(,"interval":"1m","count":5,"failureLimit":1)"))};
    world.turn();
    world.answer(value(0.1));
    EXPECT_EQ(world.status().phase, Phase::Running);
    EXPECT_EQ(world.last().wake_at, noon + 1min);
    world.wait();
    world.answer(value(0.2));
    EXPECT_EQ(world.status().phase, Phase::Failed);
    EXPECT_EQ(world.status().message,
              "Metric \"rate\" is Failed: of its measurements 2 failed, and failureLimit is 1.");
}

TEST(Measuring, FailuresWithinTheLimitAreTolerated) {
    RunWorld world{
        spec_of(metric_json("rate", at_least + R"(,"interval":"1m","count":3,"failureLimit":1)"))};
    world.turn();
    world.answer(value(0.1));
    world.wait();
    world.answer(value(1));
    world.wait();
    world.answer(value(1));
    EXPECT_EQ(world.status().phase, Phase::Successful);
    EXPECT_EQ(world.result("rate").count, 3);
    EXPECT_EQ(world.result("rate").failed, 1);
}

TEST(Measuring, BetweenTheConditionsNothingIsDecided) {
    const std::string both = at_least + R"(,"failureCondition":"result[0] < 0.5")";
    RunWorld world{spec_of(metric_json("rate", both))};
    world.turn();
    world.answer(value(0.7));
    EXPECT_EQ(world.status().phase, Phase::Inconclusive);
    EXPECT_THAT(world.status().message, HasSubstr("1 decided nothing, and inconclusiveLimit is 0"));

    RunWorld failing{spec_of(metric_json("rate", R"("failureCondition":"result[0] < 0.5")"))};
    failing.turn();
    EXPECT_EQ(failing.answer(value(0.7)).status.phase, Phase::Successful);
    RunWorld without{spec_of(metric_json("rate", ""))};
    without.turn();
    EXPECT_EQ(without.answer(value(0)).status.phase, Phase::Successful);
}

TEST(Measuring, ErrorsAreTriedAgainTenSecondsLaterAndThenEndInError) {
    RunWorld world{spec_of(metric_json("rate", at_least + R"(,"interval":"5m","count":1)"))};
    world.turn();
    for (int i = 0; i < 4; ++i) {
        world.answer(error("Prometheus is away"));
        ASSERT_EQ(world.status().phase, Phase::Running);
        ASSERT_EQ(world.last().wake_at, world.now + 10s);
        world.wait();
    }
    world.answer(error("Prometheus is away"));
    EXPECT_EQ(world.status().phase, Phase::Error);
    EXPECT_EQ(world.status().summary.error, 1);
    EXPECT_THAT(world.status().message,
                HasSubstr("5 in a row could not be made, and consecutiveErrorLimit is 4; the last "
                          "one: Prometheus is away"));
}

TEST(Measuring, WhatCouldNotBeAskedCountsForNothingAndIsAskedAgain) {
    RunWorld world{spec_of(metric_json("rate", R"("successCondition":"result[0] > 0")"))};
    world.turn();
    const std::string key = world.last().question->key;
    for (int i = 0; i < 20; ++i) {
        const Instant before = world.now;
        EXPECT_FALSE(world.answer(NotAsked{}).question.has_value()) << "not at once";
        EXPECT_EQ(world.wait().question->key, key) << "the same measurement";
        EXPECT_EQ(world.now, before + 10s);
    }
    EXPECT_EQ(world.answer(value(1)).status.phase, Phase::Successful);
    EXPECT_EQ(world.last().status.results[0].error, 0);
}

TEST(Measuring, AnErrorDoesNotCountAsAMeasurement) {
    RunWorld world{spec_of(metric_json("rate", at_least))};
    world.turn();
    world.answer(error());
    world.wait();
    world.answer(value(1));
    EXPECT_EQ(world.status().phase, Phase::Successful);
    EXPECT_EQ(world.result("rate").count, 1);
    EXPECT_EQ(world.result("rate").error, 1);
    EXPECT_EQ(world.result("rate").consecutive_error, 0);
}

TEST(Measuring, AConditionThatCannotBeEvaluatedIsAnError) {
    RunWorld world{spec_of(metric_json("rate", at_least + R"(,"consecutiveErrorLimit":0)"))};
    world.turn();
    world.answer(Measured{language::Value(language::Value::Array{}), "[]"});
    EXPECT_EQ(world.status().phase, Phase::Error);
    EXPECT_THAT(world.status().message, HasSubstr("successCondition: "));
    EXPECT_EQ(world.result("rate").measurements.at(0).value, "[]");
}

TEST(Measuring, TheInitialDelayCountsFromTheStartOfTheRun) {
    RunWorld world{
        spec_of(metric_json("late", R"("initialDelay":"5m")") + "," + metric_json("soon", ""))};
    EXPECT_EQ(metric_of(*world.turn().question), "soon");
    EXPECT_EQ(world.answer(value(1)).wake_at, noon + 5min);
    EXPECT_EQ(world.status().phase, Phase::Running);
    EXPECT_EQ(metric_of(*world.wait().question), "late");
    EXPECT_EQ(world.answer(value(1)).status.phase, Phase::Successful);
}

TEST(Measuring, TheMetricThatIsDueLongestIsAskedFirst) {
    RunWorld world{spec_of(metric_json("hasty", R"("interval":"0s")") + "," +
                           metric_json("calm", R"("interval":"1s")") + "," +
                           metric_json("slow", R"("interval":"3s")"))};
    std::map<std::string, int> asked;
    world.turn();
    for (int i = 0; i < 300; ++i) {
        while (!world.last().question)
            world.wait();
        ++asked[metric_of(*world.last().question)];
        world.now = world.now + 700ms;
        world.answer(value(1));
    }
    EXPECT_GT(asked["hasty"], 50);
    EXPECT_GT(asked["calm"], 50);
    EXPECT_GT(asked["slow"], 40);
}

TEST(Measuring, SuccessesInARowPassBeforeTheCountIsReached) {
    const std::string patient =
        R"(,"interval":"1m","count":5,"failureLimit":-1,"consecutiveSuccessLimit":2)";
    RunWorld world{spec_of(metric_json("rate", at_least + patient))};
    world.turn();
    for (const double one : {1.0, 0.0, 1.0}) {
        world.answer(value(one));
        world.wait();
    }
    EXPECT_EQ(world.answer(value(1)).status.phase, Phase::Successful);

    RunWorld never{spec_of(metric_json("rate", at_least + patient))};
    never.turn();
    for (const double one : {1.0, 0.0, 1.0, 0.0}) {
        never.answer(value(one));
        never.wait();
    }
    never.answer(value(1));
    EXPECT_EQ(never.status().phase, Phase::Inconclusive);
    EXPECT_THAT(never.status().message, HasSubstr("never 2 in a row succeeded"));
}

TEST(Measuring, TheWorstOfTheMetricsIsWhatTheRunComesTo) {
    RunWorld world{spec_of(metric_json("good", R"("interval":"1m")") + "," +
                           metric_json("bad", at_least) + "," +
                           metric_json("unseen", R"("initialDelay":"1h")"))};
    world.turn();
    world.answer(value(1));
    world.answer(value(0));
    EXPECT_EQ(world.status().phase, Phase::Failed);
    EXPECT_EQ(world.result("good").phase, Phase::Successful);
    EXPECT_EQ(world.result("unseen").phase, Phase::Inconclusive);
    EXPECT_EQ(world.status().summary, (Summary{3, 1, 1, 1, 0}));
}

TEST(Measuring, MetricsInDryRunHaveNoSay) {
    RunWorld world{spec_of(metric_json("new-rate", at_least) + "," + metric_json("old", at_least),
                           R"(,"dryRun":[{"metricName":"new.*"}])")};
    world.turn();
    world.answer(value(0));
    EXPECT_EQ(world.status().phase, Phase::Running);
    world.answer(value(1));
    EXPECT_EQ(world.status().phase, Phase::Successful);
    EXPECT_EQ(world.result("new-rate").phase, Phase::Failed);
    EXPECT_TRUE(world.result("new-rate").dry_run);
    EXPECT_EQ(world.status().dry_run_summary, (Summary{1, 0, 1, 0, 0}));
    EXPECT_EQ(world.status().summary, (Summary{1, 1, 0, 0, 0}));
}

TEST(Measuring, ARunInWhichEverythingErredIsNotSuccessfulEvenInDryRun) {
    RunWorld world{spec_of(metric_json("rate", at_least + R"(,"consecutiveErrorLimit":0)"),
                           R"(,"dryRun":[{"metricName":"*"}])")};
    world.turn();
    world.answer(error());
    EXPECT_EQ(world.status().phase, Phase::Inconclusive);
    EXPECT_EQ(world.status().message, "No measurement could be made, so nothing was proven.");
}

TEST(Measuring, ARunThatIsEndedIsSuccessfulWhereSomethingSucceeded) {
    RunWorld world{spec_of(metric_json("rate", at_least + R"(,"interval":"1m")"))};
    world.turn();
    world.answer(value(1));
    world.spec().terminate = true;
    EXPECT_TRUE(world.turn().is_over);
    EXPECT_EQ(world.status().phase, Phase::Successful);
    EXPECT_EQ(world.status().message, "The run was ended.");
}

TEST(Measuring, ARunThatIsEndedBeforeAnythingSucceededIsNotSuccessful) {
    RunWorld unseen{spec_of(metric_json("rate", R"("initialDelay":"1h")"))};
    unseen.turn();
    unseen.spec().terminate = true;
    EXPECT_EQ(unseen.turn().status.phase, Phase::Inconclusive);

    RunWorld erred{spec_of(metric_json("rate", at_least))};
    erred.turn();
    erred.answer(error());
    erred.spec().terminate = true;
    EXPECT_EQ(erred.turn().status.phase, Phase::Error);
}

TEST(Measuring, AnAnswerToAnotherQuestionChangesNothing) {
    const RunSpec spec = spec_of(metric_json("rate", at_least + R"(,"interval":"1m")"));
    const Turn first = take_turn(spec, {}, shop_run, std::nullopt, noon);
    const MeasurementAnswer good{first.question->key, value(1), noon};
    const Turn second = take_turn(spec, first.status, shop_run, good, noon);
    EXPECT_EQ(second.status.results.at(0).successful, 1);
    // Given again, it is about a measurement that is over.
    const Turn again = take_turn(spec, second.status, shop_run, good, noon + 1min);
    EXPECT_EQ(again.status.results.at(0).successful, 1);
    ASSERT_TRUE(again.question.has_value());
    EXPECT_NE(again.question->key, first.question->key);
    RunContext namesake = shop_run;
    namesake.uid = "uid-2";
    EXPECT_TRUE(take_turn(spec, first.status, namesake, good, noon).status.results.empty());
    const RunSpec changed = spec_of(metric_json("rate", R"("interval":"1m")"));
    EXPECT_TRUE(take_turn(changed, first.status, shop_run, good, noon).status.results.empty());
}

TEST(Measuring, AQuestionThatWasNotAnsweredIsAskedAgain) {
    const RunSpec spec = spec_of(metric_json("rate", at_least));
    const Turn first = take_turn(spec, {}, shop_run, std::nullopt, noon);
    const Turn again =
        take_turn(spec, through_text(first.status), shop_run, std::nullopt, noon + 1h);
    EXPECT_EQ(again.question, first.question);
}

// A metric over a span of this length, perhaps an argument, up to the time of the question.
std::string span_json(const std::string& length) {
    return R"json({"name": "rate", "provider": {"prometheus": {
        "address": "http://prom", "query": "up",
        "rangeQuery": {"end": "now()", "step": "1m", "start": "now() - duration(')json" +
           length + R"json(')"}}}})json";
}

TEST(Measuring, ASpanThatIsNoneIsRefusedOnceItsArgumentsAreKnown) {
    const RunSpec spec =
        spec_of(span_json("{{args.span}}"), R"(,"args":[{"name":"span","value":"long"}])");
    const Turn turn = take_turn(spec, {}, shop_run, std::nullopt, noon);
    EXPECT_EQ(turn.status.phase, Phase::Error);
    EXPECT_THAT(turn.status.message,
                ::testing::HasSubstr("prometheus.rangeQuery.start: must be a time such as now()"));
}

TEST(Measuring, AQuestionAboutASpanIsMadeAnewUnderTheSameKey) {
    const RunSpec spec = spec_of(span_json("5m"));
    const Turn first = take_turn(spec, {}, shop_run, std::nullopt, noon);
    const Turn again =
        take_turn(spec, through_text(first.status), shop_run, std::nullopt, noon + 1h);
    EXPECT_EQ(again.question->key, first.question->key);
    EXPECT_EQ(std::get<PrometheusQuestion>(first.question->what).at, noon);
    EXPECT_EQ(std::get<PrometheusQuestion>(again.question->what).at, noon + 1h);
}

TEST(Measuring, AQuestionHoldsTheSecretsOfItsHeadersAndOfItsClient) {
    const std::string args =
        R"(,"args":[{"name":"a","valueFrom":{"secretKeyRef":{"name":"n","key":"a"}}},)"
        R"({"name":"b","valueFrom":{"secretKeyRef":{"name":"n","key":"b"}}},)"
        R"({"name":"c","valueFrom":{"secretKeyRef":{"name":"n","key":"c"}}}])";
    const std::string fields =
        R"("headers":[{"key":"X-A","value":"{{args.a}}"}],"authentication":{"oauth2":{)"
        R"("tokenUrl":"http://id","clientId":"{{args.a}}","clientSecret":"{{args.b}}"}}})";
    const std::vector<SecretArgument> wanted{{"a", {"n", "a"}}, {"b", {"n", "b"}}};
    for (const char* provider : {R"({"prometheus":{"address":"http://prom","query":"up",)",
                                 R"({"web":{"url":"http://a",)"}) {
        const RunSpec spec =
            spec_of(R"({"name":"rate","provider":)" + std::string{provider} + fields + "}}", args);
        const Turn turn = take_turn(spec, {}, shop_run, std::nullopt, noon);
        ASSERT_TRUE(turn.question.has_value()) << turn.status.message;
        const auto* web = std::get_if<WebQuestion>(&turn.question->what);
        EXPECT_EQ(web ? web->secrets : std::get<PrometheusQuestion>(turn.question->what).secrets,
                  wanted);
    }
}

TEST(Measuring, TheLatestMeasurementsAreKept) {
    RunWorld world{spec_of(
        metric_json("few", R"("interval":"1s")") + "," + metric_json("usual", R"("interval":"1s")"),
        R"(,"measurementRetention":[{"metricName":"few","limit":3}])")};
    world.turn();
    for (int i = 0; i < 40; ++i) {
        while (!world.last().question)
            world.wait();
        world.answer(value(i));
    }
    EXPECT_EQ(world.result("few").measurements.size(), 3U);
    EXPECT_EQ(world.result("usual").measurements.size(), 10U);
    EXPECT_EQ(world.result("few").count, 20);
}

TEST(Measuring, ASpecThatCannotBeUsedIsAnErrorWithTheFields) {
    const Turn turn = take_turn(spec_of(metric_json("rate", R"("count":"{{args.n}}")")), {},
                                shop_run, std::nullopt, noon);
    EXPECT_TRUE(turn.is_over);
    EXPECT_EQ(turn.status.phase, Phase::Error);
    EXPECT_EQ(turn.status.completed, noon);
    EXPECT_THAT(turn.status.message,
                HasSubstr("spec.metrics[0]: holds the argument \"n\", which is not among args"));
}

}  // namespace
}  // namespace sluice::api::analysis
