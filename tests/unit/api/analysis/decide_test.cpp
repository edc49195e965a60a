#include "api/analysis/decide.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "api/rollout_plugin/plugin.hpp"
#include "tests/unit/api/analysis/run_world.hpp"
#include "tests/unit/engine/actions.hpp"

namespace sluice::api::analysis {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::Not;

engine::Snapshot seeing(const std::string& spec, const std::string& status = "") {
    model::CustomObject object;
    object.meta.key = {"shop", "web-1"};
    object.meta.uid = "uid-1";
    object.owner_kind = "RolloutPlugin";
    object.spec = spec;
    object.status = status;
    engine::Snapshot seen;
    seen.objects.push_back(object);
    return seen;
}

engine::Snapshot seeing(const std::string& spec, const std::string& status,
                        const MeasurementAnswer& answer) {
    engine::Snapshot seen = seeing(spec, status);
    seen.evidence = {{answer.key, engine::answer_of(answer), noon}};
    return seen;
}

// What the decision asks, if anything.
std::optional<Question> asked_by(const engine::Decision& decision) {
    if (!decision.probe) return std::nullopt;
    Question question = *engine::opened<Question>(*decision.probe->question);
    EXPECT_EQ(question.key, decision.probe->key);
    return question;
}

const std::string one_metric =
    R"({"metrics":[)" + metric_json("rate", R"("successCondition":"result[0] > 0")") + "]}";

// What the status is once the only write of the decision is through; empty if there is none.
std::string written(const engine::Decision& decision) {
    if (writes_in(decision).size() != 1) return "";
    const auto patch = boost::json::parse(writes_in(decision).at(0).body);
    return boost::json::serialize(patch.as_array().at(2).at("value"));
}

bool is_empty(const engine::Decision& decision) {
    return writes_in(decision).empty() && !decision.probe && !decision.wake_at && !decision.subject;
}

TEST(AnalysisDecision, ARunOfSomebodyElseIsLeftAloneAndNotKept) {
    auto seen = seeing(one_metric, R"({"phase":"Running"})");
    model::CustomObject& run = seen.objects[0];
    for (const char* owner : {"", "Rollout", "Experiment"}) {
        run.owner_kind = owner;
        EXPECT_TRUE(is_empty(decide(seen, noon))) << owner;
    }
    run.annotations["sluice.dev/serve"] = "false";
    EXPECT_TRUE(is_empty(decide(seen, noon)));
    model::CustomObject kept = run;
    trim(kept);
    EXPECT_EQ(kept.spec + kept.status, "");
    run.annotations["sluice.dev/serve"] = "true";
    EXPECT_FALSE(is_empty(decide(seen, noon)));
}

TEST(AnalysisDecision, TheRunIsAboutItselfAlone) {
    const auto seen = seeing(one_metric);
    EXPECT_EQ(target_of(seen.objects[0]), (model::Ref{&resource, "shop", "web-1"}));
}

TEST(AnalysisDecision, WhatAQuestionRestsOnIsWrittenFirst) {
    const engine::Decision first = decide(seeing(one_metric), noon);
    EXPECT_FALSE(first.probe.has_value());
    ASSERT_EQ(writes_in(first).size(), 1U);
    const engine::Action write = writes_in(first)[0];
    EXPECT_EQ(write.verb, engine::Action::Verb::Patch);
    EXPECT_EQ(write.object.ref.resource, &resource);
    EXPECT_FALSE(write.of_status);
    EXPECT_TRUE(write.notices.empty());
    EXPECT_EQ(write.body, R"([{"op":"test","path":"/metadata/uid","value":"uid-1"},)"
                          R"({"op":"test","path":"/status","value":null},)"
                          R"({"op":"add","path":"/status","value":{"phase":"Running",)"
                          R"("startedAt":"2026-01-31T12:00:00Z","conditions":[{"type":"Completed",)"
                          R"("status":"False","reason":"Running","message":"",)"
                          R"("lastTransitionTime":"2026-01-31T12:00:00Z"},{"type":"Successful",)"
                          R"("status":"Unknown","reason":"Running","message":"",)"
                          R"("lastTransitionTime":"2026-01-31T12:00:00Z"}],)"
                          R"("runSummary":{"count":1,"successful":0,)"
                          R"("failed":0,"inconclusive":0,"error":0}}}])");
    const engine::Decision second = decide(seeing(one_metric, written(first)), noon);
    EXPECT_TRUE(writes_in(second).empty());
    EXPECT_TRUE(asked_by(second).has_value());
}

TEST(AnalysisDecision, AJobIsMadeOnlyAfterALookAtTheApi) {
    const std::string of_job = R"({"metrics":[)" + job_json("smoke", "") + "]}";
    for (const auto& [spec, is_job] : {std::pair{of_job, true}, std::pair{one_metric, false}}) {
        std::string status = written(decide(seeing(spec), noon));
        engine::Decision decision = decide(seeing(spec, status), noon);
        if (!writes_in(decision).empty() &&
            decision.actions[0].verb == engine::Action::Verb::Patch) {
            // The Job is written down before it is made.
            status = written(decision);
            decision = decide(seeing(spec, status), noon);
        }
        EXPECT_EQ(asked_by(decision).has_value(), !is_job);
        ASSERT_EQ(decision.actions.size(), is_job ? 1U : 0U);
        if (is_job) EXPECT_EQ(decision.actions[0].verb, engine::Action::Verb::Create);
        EXPECT_EQ(decision.needs_live, is_job);
    }
}

TEST(AnalysisDecision, WhatALookAtTheJobCameToIsNotedAndAskedAgainAtItsPace) {
    const std::string spec = R"({"metrics":[)" + job_json("smoke", "") + "]}";
    const std::string started = written(decide(seeing(spec), noon));
    const std::string status =
        started.contains("job-name") ? started : written(decide(seeing(spec, started), noon));
    engine::Snapshot seen = seeing(spec, status);
    model::CustomObject job;
    job.meta.uid = "job-uid";
    job.owner_uid = "uid-1";
    const model::Ref ref{&model::jobs, "shop", "uid-1.smoke.1"};
    seen.attempt = engine::Attempt{engine::Action::Verb::Create, ref, job};
    const engine::Decision made = decide(seen, noon);
    ASSERT_TRUE(made.noted.has_value());
    EXPECT_TRUE(made.actions.empty() && !made.probe);
    EXPECT_EQ(made.wake_at, noon + 5s);
    seen.attempt.reset();
    seen.evidence = {*made.noted};
    EXPECT_EQ(decide(seen, noon + 4s).wake_at, noon + 5s);
    const engine::Decision due = decide(seen, noon + 5s);
    EXPECT_EQ(due.rests_on, std::vector{ref});
    EXPECT_FALSE(due.rereads_subject);
    job.status = R"({"conditions":[{"type":"Complete","status":"True"}]})";
    seen.fetched = {{ref, job}};
    EXPECT_THAT(written(decide(seen, noon + 5s)), HasSubstr(R"("phase":"Successful")"));
}

TEST(AnalysisDecision, TheEndIsWrittenAndTold) {
    const std::string status = written(decide(seeing(one_metric), noon));
    const auto asked = asked_by(decide(seeing(one_metric, status), noon));
    ASSERT_TRUE(asked.has_value());
    const MeasurementAnswer answer{asked->key, value(0), noon};
    const engine::Decision end = decide(seeing(one_metric, status, answer), noon);
    EXPECT_THAT(written(end), HasSubstr(R"("phase":"Failed")"));
    ASSERT_EQ(writes_in(end).at(0).notices.size(), 1U);
    EXPECT_EQ(writes_in(end)[0].notices[0].message,
              "Metric \"rate\" is Failed: of its measurements 1 failed, and "
              "failureLimit is 0.");
    EXPECT_THAT(writes_in(end)[0].body,
                HasSubstr(R"({"op":"test","path":"/status","value":)" + status));
    const engine::Decision after = decide(seeing(one_metric, written(end), answer), noon);
    EXPECT_TRUE(writes_in(after).empty());
    EXPECT_TRUE(after.notices.empty());
    EXPECT_FALSE(after.wake_at.has_value());
}

TEST(AnalysisDecision, NothingIsWrittenWhileNothingHappens) {
    const std::string spec =
        R"({"metrics":[)" + metric_json("rate", R"("initialDelay":"5m")") + "]}";
    const std::string status = written(decide(seeing(spec), noon));
    for (const Duration later : {1ms, 1000ms, 60'000ms, 299'999ms}) {
        const engine::Decision decision = decide(seeing(spec, status), noon + later);
        EXPECT_TRUE(writes_in(decision).empty());
        EXPECT_FALSE(decision.probe.has_value());
        EXPECT_EQ(decision.wake_at, noon + 5min);
    }
}

TEST(AnalysisDecision, ASpecThatCannotBeReadEndsTheRun) {
    const engine::Decision turn = decide(seeing(R"({"metrics":[{}]})"), noon);
    EXPECT_THAT(written(turn), HasSubstr(R"("phase":"Error")"));
    EXPECT_THAT(written(turn), HasSubstr("spec.metrics[0].name: is required"));
    EXPECT_EQ(writes_in(turn).at(0).notices.size(), 1U);
    const std::string over = R"({"phase":"Failed"})";
    EXPECT_TRUE(writes_in(decide(seeing("7", over), noon)).empty());
}

TEST(AnalysisDecision, ARunThatIsOverGoesWhenItsTimeHasCome) {
    const std::string spec = R"({"metrics":[)" + metric_json("rate", "") +
                             R"(],"ttlStrategy":{"secondsAfterCompletion":60}})";
    const std::string over = R"({"phase":"Failed","completedAt":"2026-01-31T12:00:00Z"})";
    const engine::Decision early = decide(seeing(spec, over), noon + 59s);
    EXPECT_EQ(early.wake_at, noon + 60s);
    EXPECT_TRUE(writes_in(early).empty());
    const engine::Decision late = decide(seeing(spec, over), noon + 60s);
    ASSERT_EQ(writes_in(late).size(), 1U);
    EXPECT_EQ(writes_in(late)[0].verb, engine::Action::Verb::Delete);
    EXPECT_EQ(writes_in(late)[0].object.uid, "uid-1");
    EXPECT_FALSE(late.wake_at.has_value());
}

// What is kept of a run with this spec and this status.
engine::Snapshot kept(const std::string& spec, const std::string& status) {
    engine::Snapshot seen = seeing(spec, status);
    seen.objects[0].labels["app"] = "web";
    trim(seen.objects[0]);
    return seen;
}

const std::string failed_at_noon =
    R"({"phase":"Failed","message":"too many","completedAt":"2026-01-31T12:00:00Z",)"
    R"("metricResults":[{"name":"rate","phase":"Failed","count":1,"failed":1}]})";

TEST(AnalysisDecision, OfARunThatIsOverOnlyWhatItCameToIsKept) {
    const engine::Snapshot seen = kept(one_metric, failed_at_noon);
    EXPECT_EQ(seen.objects[0].spec, "");
    EXPECT_TRUE(seen.objects[0].labels.empty());
    RunStatus outcome;
    outcome.phase = Phase::Failed;
    outcome.message = "too many";
    outcome.completed = noon;
    EXPECT_EQ(read_run_status(seen.objects[0]), outcome);
}

TEST(AnalysisDecision, OfARunThatIsOverItStaysKnownWhenItGoes) {
    const engine::Snapshot seen = kept(R"({"metrics":[)" + metric_json("rate", "") +
                                           R"(],"ttlStrategy":{"secondsAfterCompletion":60}})",
                                       failed_at_noon);
    EXPECT_THAT(seen.objects[0].spec, Not(HasSubstr("prometheus")));
    EXPECT_EQ(decide(seen, noon).wake_at, noon + 60s);
}

TEST(AnalysisDecision, OfARunThatGoesOnEverythingButTheLabelsIsKept) {
    const std::string status = written(decide(seeing(one_metric), noon));
    const engine::Snapshot seen = kept(one_metric, status);
    EXPECT_TRUE(seen.objects[0].labels.empty());
    EXPECT_EQ(seen.objects[0].spec, one_metric);
    EXPECT_EQ(seen.objects[0].status, status);
}

TEST(AnalysisDecision, ReportsWhatTheRunHasComeToAndOnWhoseBehalf) {
    const engine::Decision running = decide(seeing(one_metric), noon);
    EXPECT_EQ(running.report.phase, engine::Phase::Rolling);
    EXPECT_EQ(running.report.reason, engine::Reason::AnalysisRunning);
    EXPECT_EQ(running.report.message, engine::entry(engine::Reason::AnalysisRunning).meaning);
    ASSERT_TRUE(running.subject.has_value());
    EXPECT_EQ(running.subject->ref.name, "web-1");
    const engine::Decision failed =
        decide(seeing(one_metric, R"({"phase":"Failed","message":"too many"})"), noon);
    EXPECT_EQ(failed.report.reason, engine::Reason::AnalysisRunFailed);
    EXPECT_EQ(failed.report.message, "too many");
    const engine::Decision unreadable = decide(seeing("7", R"({"phase":"Successful"})"), noon);
    EXPECT_EQ(unreadable.report.reason, engine::Reason::AnalysisRunSuccessful)
        << "what is over stays as it ended";
}

TEST(AnalysisDecision, AnAnswerToSomethingElseIsNone) {
    engine::Snapshot seen = seeing(one_metric, written(decide(seeing(one_metric), noon)));
    const auto asked = asked_by(decide(seen, noon));
    seen.evidence = {
        {asked->key, engine::answer_of(api::rollout_plugin::PluginObservation{}), noon}};
    EXPECT_EQ(asked_by(decide(seen, noon))->key, asked->key);
}

TEST(AnalysisDecision, ARunThatIsBeingDeletedIsLeftAlone) {
    auto seen = seeing(one_metric);
    seen.objects[0].meta.deleting = true;
    EXPECT_TRUE(writes_in(decide(seen, noon)).empty());
    EXPECT_TRUE(writes_in(decide({}, noon)).empty());
}

}  // namespace
}  // namespace sluice::api::analysis
