#include "api/analysis/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "base/dice.hpp"
#include "tests/unit/api/analysis/samples.hpp"

namespace sluice::api::analysis {
namespace {

using api::testing::with_spec;
using testing::changed;

const Instant noon = *parse_rfc3339("2026-01-31T12:00:00Z");

RunStatus read_text(std::string text) {
    model::CustomObject object;
    object.status = std::move(text);
    return read_run_status(object);
}

RunStatus full_status() {
    const Measurement one{Phase::Successful,   "fine", "[0.99]", noon, noon + 1s, noon,
                          {{"job", "smoke-1"}}};
    return {.phase = Phase::Running,
            .message = "so far",
            .started = noon,
            .completed = noon + 9s,
            .summary = {1, 2, 3, 4, 5},
            .dry_run_summary = {5, 4, 3, 2, 1},
            .results = {{"a", Phase::Failed, "why", true, 1, 2, 3, 4, 5, 6, 7, {one, one}},
                        {"b", Phase::Pending, "", false, 0, 0, 0, 0, 0, 0, 0, {}}}};
}

TEST(AnalysisRun, ASpecComesBackAsItWasWritten) {
    const auto spec = read_run_spec(with_spec(
        changed({{"/templates", ""},
                 {"/terminate", "true"},
                 {"/ttlStrategy", R"({"secondsAfterCompletion":1,"secondsAfterSuccess":0})"}})));
    ASSERT_TRUE(spec.has_value()) << to_text(spec.error());
    EXPECT_TRUE(spec->terminate);
    EXPECT_EQ(spec->time_to_live, (TimeToLive{1s, std::nullopt, 0s}));
    EXPECT_EQ(spec->metrics.size(), 4U);
    const auto again = read_run_spec(with_spec(write_run_spec(*spec)));
    ASSERT_TRUE(again.has_value()) << to_text(again.error());
    EXPECT_EQ(*again, *spec);
}

TEST(AnalysisRun, MetricsAreWrittenAsTheyWereReadWithWhatWeDoNotKnow) {
    const std::string metric =
        R"({"name":"m","colour":"red","provider":{"prometheus":{"query":"q","x":{"y":[1]}}}})";
    const auto spec = read_run_spec(with_spec(R"({"metrics":[)" + metric + "]}"));
    ASSERT_TRUE(spec.has_value()) << to_text(spec.error());
    EXPECT_EQ(write_run_spec(*spec), R"({"metrics":[)" + metric + "]}");
}

TEST(AnalysisRun, ASpecWithoutMetricsIsRefused) {
    EXPECT_EQ(read_run_spec(with_spec("{}")).error()[0],
              (FieldError{"spec.metrics", "is required"}));
    EXPECT_EQ(read_run_spec(with_spec(R"({"metrics":[],"ttlStrategy":{"secondsAfterFailure":-1}})"))
                  .error()[0]
                  .field,
              "spec.ttlStrategy.secondsAfterFailure");
}

TEST(AnalysisRun, AStatusComesBackAsItWasWritten) {
    EXPECT_EQ(read_text(write_run_status(full_status())), full_status());
    EXPECT_EQ(read_text(write_run_status({})), RunStatus{});
    EXPECT_EQ(write_run_status({}), R"({"phase":"Pending"})");
}

TEST(AnalysisRun, HasConditionsForKubectlWaitThatFollowFromTheRest) {
    const auto conditions = [](const RunStatus& status) {
        std::string text;
        const boost::json::value whole = boost::json::parse(write_run_status(status));
        if (!whole.as_object().contains("conditions")) return text;
        for (const auto& one : whole.at("conditions").as_array())
            text += std::string{one.at("type").as_string()} + "=" +
                    std::string{one.at("status").as_string()} + " " +
                    std::string{one.at("lastTransitionTime").as_string()} + "; ";
        return text;
    };
    RunStatus status;
    EXPECT_EQ(conditions(status), "") << "it has not begun";
    status.phase = Phase::Running;
    status.started = *parse_rfc3339("2026-01-31T12:00:00Z");
    EXPECT_EQ(conditions(status),
              "Completed=False 2026-01-31T12:00:00Z; "
              "Successful=Unknown 2026-01-31T12:00:00Z; ");
    status.completed = *parse_rfc3339("2026-01-31T12:05:00Z");
    status.phase = Phase::Successful;
    EXPECT_EQ(conditions(status),
              "Completed=True 2026-01-31T12:05:00Z; "
              "Successful=True 2026-01-31T12:05:00Z; ");
    for (const Phase bad : {Phase::Failed, Phase::Error, Phase::Inconclusive}) {
        status.phase = bad;
        EXPECT_EQ(conditions(status),
                  "Completed=True 2026-01-31T12:05:00Z; "
                  "Successful=False 2026-01-31T12:05:00Z; ");
    }
    EXPECT_EQ(read_text(write_run_status(status)), status) << "they are not read";
}

TEST(AnalysisRun, APhaseThatIsNoneIsNoPass) {
    for (const char* text : {"", "null", "[]", "{", "\xff", R"({"phase":7})", R"({"phase":"Pass"})",
                             R"({"phase":"successful"})", R"({"metricResults":{},"startedAt":1})",
                             R"({"metricResults":[7,{}],"runSummary":[],"message":{}})"})
        EXPECT_EQ(read_text(text), RunStatus{}) << text;
    EXPECT_EQ(read_text(R"({"metricResults":[{"name":"a","phase":"?","measurements":[7,{}]}]})")
                  .results.at(0)
                  .measurements,
              std::vector<Measurement>{Measurement{}});
    EXPECT_FALSE(is_over(Phase::Pending) || is_over(Phase::Running));
    for (const Phase phase : {Phase::Successful, Phase::Failed, Phase::Error, Phase::Inconclusive})
        EXPECT_TRUE(is_over(phase)) << to_text(phase);
}

TEST(AnalysisRun, OfTooMuchTheLatestIsWritten) {
    RunStatus status = full_status();
    status.results.resize(1);
    std::vector<Measurement>& list = status.results[0].measurements;
    list.assign(400,
                Measurement{Phase::Successful, std::string(400, 'm'), "1", noon, noon, {}, {}});
    list.back().value = "the last";
    const std::string text = write_run_status(status);
    EXPECT_LE(text.size(), run_status_bytes_max);
    const RunStatus read = read_text(text);
    ASSERT_EQ(read.results.size(), 1U);
    EXPECT_EQ(read.results[0].failed, 3);
    ASSERT_GE(read.results[0].measurements.size(), 10U);
    EXPECT_EQ(read.results[0].measurements.back().value, "the last");
}

TEST(AnalysisRun, NoStatusIsTooLargeToBeKept) {
    RunStatus status = full_status();
    status.message = std::string(2000, '\x01');  // six bytes each as JSON
    Measurement one{Phase::Error, status.message, status.message, noon, noon, noon, {}};
    for (int i = 0; i < 3; ++i)
        one.metadata.emplace(std::to_string(i) + status.message, status.message);
    MetricResult result{
        status.message, Phase::Error, status.message, true, 1, 1, 1, 1, 1, 1, 1, {}};
    result.measurements.assign(4, one);
    status.results.assign(70, result);
    const std::string text = write_run_status(status);
    EXPECT_LE(text.size(), run_status_bytes_max);
    EXPECT_EQ(read_text(text).phase, Phase::Running);
}

TEST(AnalysisRun, AByteThatFlippedGivesAStatus) {
    Dice dice{7};
    const std::string text = write_run_status(full_status());
    for (int round = 0; round < 5; ++round) {
        for (std::size_t at = 0; at < text.size(); ++at) {
            std::string broken = text;
            broken[at] = static_cast<char>(dice.roll());
            static_cast<void>(read_text(broken));
        }
    }
}

}  // namespace
}  // namespace sluice::api::analysis
