// Runs whose metrics are Jobs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/analysis/job.hpp"
#include "tests/unit/api/analysis/run_world.hpp"

namespace sluice::api::analysis {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using Act = JobQuestion::Act;
using State = JobSeen::State;

JobQuestion asked(const Turn& turn) {
    EXPECT_TRUE(turn.question.has_value());
    const auto* job = turn.question ? std::get_if<JobQuestion>(&turn.question->what) : nullptr;
    return job ? *job : JobQuestion{};
}

TEST(MeasuringJobs, AJobIsWrittenDownBeforeItIsMadeAndFoundAgainAfterACrash) {
    RunWorld world{spec_of(job_json("smoke", ""))};
    const JobQuestion first = asked(world.turn());
    EXPECT_EQ(first.act, Act::Run);
    EXPECT_EQ(first.name, "uid-1.smoke.1");
    EXPECT_EQ(first.run_uid, "uid-1");
    EXPECT_EQ(world.result("smoke").measurements.at(0).phase, Phase::Running);
    EXPECT_EQ(world.result("smoke").measurements.at(0).metadata.at("job-name"), first.name);
    EXPECT_EQ(asked(world.turn()), first) << "nobody knows whether it was made";
}

TEST(MeasuringJobs, AJobThatRunsIsLookedAtNowAndThenWithoutAWrite) {
    RunWorld world{spec_of(job_json("smoke", ""))};
    world.turn();
    const std::string before = write_run_status(world.status());
    const Turn& running = world.answer(job(State::Running));
    EXPECT_FALSE(running.question.has_value());
    EXPECT_EQ(running.wake_at, noon + 5s);
    EXPECT_EQ(write_run_status(world.status()), before);
    EXPECT_EQ(asked(world.wait()).act, Act::Look);
    world.answer(job(State::Succeeded));
    EXPECT_EQ(world.status().phase, Phase::Successful);
    EXPECT_EQ(world.result("smoke").measurements.at(0).started, noon);
    EXPECT_EQ(world.result("smoke").measurements.at(0).finished, noon + 5s);
}

TEST(MeasuringJobs, AJobThatFailedIsAFailureAndOneThatIsGoneAnError) {
    RunWorld failed{spec_of(job_json("smoke", ""))};
    failed.turn();
    EXPECT_EQ(failed.answer(JobSeen{State::Failed, "BackoffLimitExceeded"}).status.phase,
              Phase::Failed);
    EXPECT_THAT(failed.status().message, HasSubstr("BackoffLimitExceeded"));

    RunWorld gone{spec_of(job_json("smoke", ""))};
    gone.turn();
    gone.answer(error("Job shop/x is gone"));
    EXPECT_EQ(gone.status().phase, Phase::Running);
    EXPECT_EQ(asked(gone.wait()).name, "uid-1.smoke.2");
}

TEST(MeasuringJobs, WhatTheServerCouldNotSayIsAskedAgainAndCountsForNothing) {
    RunWorld world{spec_of(job_json("smoke", ""))};
    const JobQuestion first = asked(world.turn());
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(world.answer(job(State::Unknown)).wake_at, world.now + 5s);
        EXPECT_EQ(asked(world.wait()), first) << "it may not have been made";
    }
    EXPECT_EQ(world.result("smoke").error, 0);
    EXPECT_EQ(world.answer(job(State::Succeeded)).status.phase, Phase::Successful);
}

TEST(MeasuringJobs, AJobThatIsUnderWayIsStoppedWithTheRun) {
    RunWorld world{spec_of(job_json("smoke", R"("interval":"1m")"))};
    world.turn();
    world.answer(job(State::Succeeded));
    world.wait();
    world.answer(job(State::Running));
    world.spec().terminate = true;
    const JobQuestion stop = asked(world.turn());
    EXPECT_EQ(stop.act, Act::Stop);
    EXPECT_EQ(stop.name, "uid-1.smoke.2");
    EXPECT_EQ(world.status().phase, Phase::Running);
    world.answer(job(State::Stopped));
    EXPECT_EQ(world.status().phase, Phase::Successful);
    EXPECT_EQ(world.result("smoke").count, 1);
    EXPECT_EQ(world.result("smoke").measurements.at(1).phase, Phase::Inconclusive);

    RunWorld first{spec_of(job_json("smoke", ""))};
    first.turn();
    first.spec().terminate = true;
    EXPECT_EQ(asked(first.turn()).act, Act::Stop);
    EXPECT_EQ(first.answer(error("Job shop/x cannot be deleted")).status.phase,
              Phase::Inconclusive);
}

TEST(MeasuringJobs, AFailedMetricStopsTheJobsOfTheOthers) {
    RunWorld world{spec_of(job_json("smoke", "") + "," +
                           metric_json("rate", R"("successCondition":"result[0] > 0")"))};
    EXPECT_EQ(asked(world.turn()).act, Act::Run);
    EXPECT_EQ(metric_of(*world.answer(job(State::Running)).question), "rate");
    EXPECT_EQ(asked(world.answer(value(0))).act, Act::Stop);
    EXPECT_EQ(world.answer(job(State::Stopped)).status.phase, Phase::Failed);
}

TEST(MeasuringJobs, SeveralJobsAreNotLookedAtInARing) {
    RunWorld world{spec_of(job_json("one", "") + "," + job_json("two", ""))};
    world.turn();
    int looks = 0;
    while (world.now < noon + 10min) {
        while (world.last().question) {
            ++looks;
            world.answer(job(State::Running));
            ASSERT_LT(looks, 100);
        }
        world.wait();
    }
    EXPECT_GT(looks, 20);
    EXPECT_EQ(world.result("one").measurements.size(), 1U);
    EXPECT_EQ(world.result("two").measurements.size(), 1U);
}

TEST(MeasuringJobs, OldJobsGoWithTheirMeasurements) {
    RunWorld world{spec_of(job_json("smoke", R"("interval":"1s")"),
                           R"(,"measurementRetention":[{"metricName":"*","limit":2}])")};
    world.turn();
    for (const char* retired : {"", "", "uid-1.smoke.1", "uid-1.smoke.2"}) {
        EXPECT_EQ(asked(world.last()).retired, retired);
        world.answer(job(State::Succeeded));
        world.wait();
    }
}

TEST(Job, TheNameFitsIntoALabelWhateverTheMetricIsCalled) {
    const RunContext run{"shop", "web-1", "0ca3f4a6-2b0e-4d67-9df8-6c6f5c2f9b11"};
    EXPECT_EQ(job_name(run, "smoke", 7), run.uid + ".smoke.7");
    const std::string other = job_name(run, std::string(200, 'm'), 100'000);
    EXPECT_LE(other.size(), 63U);
    EXPECT_EQ(job_name(run, "Smoke Test", 1).substr(0, 9), "analysis-");
    EXPECT_NE(job_name(run, "Smoke Test", 1), job_name(run, "Smoke test", 1));
}

TEST(Job, TheBodyIsTheTemplatesUnderOurName) {
    const Job job{R"({"labels":{"team":"a","bad":7},"annotations":{"b":"c"},"name":"mine"})",
                  R"({"template":{"spec":{"x":1}},"backoffLimit":0})"};
    EXPECT_EQ(
        job_body(shop_run, "smoke", job, "n"),
        R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"n","namespace":"shop",)"
        R"("labels":{"team":"a","analysisrun.argoproj.io/uid":"uid-1"},"annotations":{"b":"c",)"
        R"("analysisrun.argoproj.io/name":"web-1","analysisrun.argoproj.io/metric-name":"smoke"},)"
        R"("ownerReferences":[{"apiVersion":"argoproj.io/v1alpha1","kind":"AnalysisRun",)"
        R"("name":"web-1","uid":"uid-1","controller":true}]},)"
        R"("spec":{"template":{"spec":{"x":1}},"backoffLimit":0}})");
}

}  // namespace
}  // namespace sluice::api::analysis
