#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/extended_job/spec.hpp"
#include "api/jobs/job.hpp"
#include "tests/unit/api/extended_stateful_set/extended.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

using namespace testing;
using engine::Action;
using engine::Decision;
using engine::Reason;
using jobs::Stage;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using Verb = Action::Verb;
namespace json = boost::json;

constexpr const char* pods =
    R"({"spec":{"restartPolicy":"Never","containers":[{"name":"main","image":"job:1"}]}})";
constexpr const char* complete = R"({"conditions":[{"type":"Complete","status":"True"}]})";
constexpr const char* failed =
    R"({"conditions":[{"type":"Failed","status":"True","reason":"BackoffLimitExceeded"}]})";

std::string spec_with(const std::string& strategy) {
    return small_spec.substr(0, small_spec.size() - 1) + R"(,"updateStrategy":)" + strategy + "}";
}

// A version that serves, another template, and a Job to be run.
struct Guarded : Known {
    explicit Guarded(const std::string& strategy) {
        object.spec = spec_with(strategy);
        add_version({1}, 2, digest());
        settled();
        object.spec.replace(object.spec.find("x:1"), 3, "x:2");
        ++object.meta.generation;
    }

    const JobStatus& job() {
        last_ = status();
        return *last_.job;
    }
    model::Ref ref() { return {&model::jobs, "shop", job().name}; }
    model::CustomObject job_with(const std::string& status) {
        model::CustomObject one;
        one.meta = {{"shop", job().name}, "uid-job", 9, 1, false};
        one.owner_uid = "uid-x";
        one.status = status;
        return one;
    }
    // It was made, and that is written down.
    void make_job() {
        seen.attempt = engine::Attempt{Verb::Create, ref(), job_with("{}")};
        apply_status(decided());
        seen.attempt.reset();
    }
    // It was looked at, and what it has come to is written down.
    void see_job(const std::string& status) {
        seen.fetched = {{ref(), job_with(status)}};
        apply_status(decided());
        seen.fetched.clear();
    }

  private:
    Status last_ = {};
};

Guarded before() {
    return Guarded{fmt::format(R"({{"preUpgrade":{{"template":{},"deadlineSeconds":90}}}})", pods)};
}

TEST(UpgradeJobs, OneIsWrittenDownBeforeItIsMade) {
    Guarded known = before();
    const Decision decision = known.settled();
    EXPECT_EQ(decision.report.reason, Reason::JobRunning);
    EXPECT_EQ(known.job().stage, Stage::Due);
    EXPECT_THAT(known.job().name, MatchesRegex("x-v2-pre-[0-9a-f]+"));
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_EQ(decision.actions[0].verb, Verb::Create);
    EXPECT_EQ(decision.actions[0].object.ref, known.ref());
    EXPECT_TRUE(decision.needs_live);
    EXPECT_EQ(known.status().exposed, PodCount{0});
}

TEST(UpgradeJobs, AJobIsItsTemplateWithADeadlineAndGoesAfterADay) {
    Guarded known = before();
    const json::value job = json::parse(known.settled().actions.at(0).body);
    const json::value& meta = job.at("metadata");
    EXPECT_EQ(meta.at("labels").at("sluice.dev/extendedstatefulset"), "x");
    EXPECT_EQ(meta.at("labels").at("fissile.cloudfoundry.org/version"), "2");
    EXPECT_EQ(meta.at("ownerReferences").at(0).at("uid"), "uid-x");
    const json::value& spec = job.at("spec");
    EXPECT_EQ(spec.at("activeDeadlineSeconds"), 90);
    EXPECT_EQ(spec.at("ttlSecondsAfterFinished"), 86'400);
    EXPECT_EQ(spec.at("backoffLimit"), 0);
    EXPECT_EQ(spec.at("template"), json::parse(pods));
}

TEST(UpgradeJobs, TheUpgradeBeginsWhenItHasSucceeded) {
    Guarded known = before();
    known.settled();
    known.make_job();
    EXPECT_EQ(known.job().stage, Stage::Made);
    EXPECT_EQ(known.decided().rests_on.size(), 1u);
    known.see_job(complete);
    EXPECT_EQ(known.job().stage, Stage::Succeeded);
    const Decision decision = known.settled();
    EXPECT_EQ(known.status().exposed, PodCount{1});
    EXPECT_EQ(decision.actions.at(0).object.ref.name, "x-v2");
}

TEST(UpgradeJobs, OneThatWasLookedAtIsNotLookedAtAgainAtOnce) {
    Guarded known = before();
    known.settled();
    known.make_job();
    known.seen.fetched = {{known.ref(), known.job_with("{}")}};
    const Decision decision = known.decided();
    ASSERT_TRUE(decision.noted);
    known.seen.fetched.clear();
    known.seen.evidence = {*decision.noted};
    EXPECT_TRUE(known.decided().rests_on.empty());
}

TEST(UpgradeJobs, OneThatFailsEndsTheAttempt) {
    Guarded known = before();
    known.settled();
    known.make_job();
    known.see_job(failed);
    const Decision decision = known.settled();
    EXPECT_EQ(decision.report.reason, Reason::RolledBack);
    EXPECT_THAT(known.status().failure, HasSubstr("BackoffLimitExceeded"));
    EXPECT_TRUE(decision.actions.empty());
}

TEST(UpgradeJobs, APersonWhoTriesAgainGetsAnotherJob) {
    Guarded known = before();
    known.settled();
    const std::string first = known.job().name;
    known.make_job();
    known.see_job(failed);
    known.settled();
    known.object.annotations["sluice.dev/retry"] = "1";
    const Decision decision = known.settled();
    EXPECT_EQ(decision.actions.at(0).verb, Verb::Create);
    EXPECT_NE(known.job().name, first);
    EXPECT_EQ(known.job().stage, Stage::Due);
}

TEST(UpgradeJobs, TheNextVersionWaitsForTheJobOfTheOneBefore) {
    Guarded known = before();
    known.settled();
    known.make_job();
    const std::string first = known.job().name;
    known.object.spec.replace(known.object.spec.find("x:2"), 3, "x:3");
    ++known.object.meta.generation;
    EXPECT_TRUE(known.settled().actions.empty());
    EXPECT_EQ(known.status().update, 3);
    EXPECT_EQ(known.job().name, first);
    known.see_job(complete);
    EXPECT_EQ(known.settled().actions.at(0).verb, Verb::Create);
    EXPECT_THAT(known.job().name, MatchesRegex("x-v3-pre-[0-9a-f]+"));
    EXPECT_EQ(known.status().exposed, PodCount{0});
}

TEST(UpgradeJobs, OneThatIsGoneHasFailed) {
    Guarded known = before();
    known.settled();
    known.make_job();
    known.seen.fetched = {{known.ref(), std::nullopt}};
    known.apply_status(known.decided());
    EXPECT_EQ(known.job().stage, Stage::Failed);
    EXPECT_THAT(known.job().message, HasSubstr("is gone"));
}

TEST(UpgradeJobs, WhoMayNotLookAtItIsHeldInNothingElse) {
    Guarded known = before();
    known.settled();
    known.make_job();
    const Decision look = known.decided();
    ASSERT_EQ(look.rests_on.size(), 1u);
    EXPECT_FALSE(look.rereads_subject);
    known.seen.fetched = {{known.ref(), std::nullopt, engine::Refusal{403, "no"}}};
    EXPECT_EQ(known.decided().report.reason, Reason::RunHeld);
}

TEST(UpgradeJobs, AJobOfAnUpgradeThatWasGivenUpMayStillCome) {
    Guarded known = before();
    known.settled();
    const std::string first = known.job().name;
    known.object.spec.replace(known.object.spec.find("x:2"), 3, "x:3");
    ++known.object.meta.generation;
    known.settled();
    known.seen.fetched = {{known.ref(), std::nullopt}};
    const Decision waiting = known.settled();
    ASSERT_TRUE(waiting.wake_at);
    EXPECT_LE(*waiting.wake_at, noon + jobs::still_on_its_way);
    EXPECT_EQ(known.job().name, first);
    known.now = noon + jobs::still_on_its_way;
    known.settled();
    EXPECT_THAT(known.job().name, MatchesRegex("x-v3-pre-[0-9a-f]+"));
}

TEST(UpgradeJobs, WhatItComesToIsSeenWhileSomebodyHoldsTheUpgrade) {
    Guarded known = before();
    known.settled();
    known.make_job();
    known.object.annotations["sluice.dev/paused"] = "true";
    known.see_job(complete);
    EXPECT_EQ(known.job().stage, Stage::Succeeded);
    EXPECT_EQ(known.settled().report.reason, Reason::Paused);
    EXPECT_EQ(known.status().exposed, PodCount{0});
    known.object.annotations.erase("sluice.dev/paused");
    known.settled();
    EXPECT_EQ(known.status().exposed, PodCount{1}) << "and it does not run again";
}

TEST(UpgradeJobs, OneThatIsDueIsNotMadeWhileSomebodyHoldsTheUpgrade) {
    Guarded known = before();
    known.settled();
    known.object.annotations["sluice.dev/paused"] = "true";
    known.seen.fetched = {{known.ref(), std::nullopt}};
    known.now = noon + 24h;
    EXPECT_TRUE(known.settled().actions.empty());
    EXPECT_EQ(known.job().stage, Stage::Due) << "nor has it failed";
}

TEST(UpgradeJobs, WithoutTheRightItWaitsAndSaysHowItIsGranted) {
    Guarded known = before();
    known.settled();
    known.seen.attempt = engine::Attempt{Verb::Create, known.ref(), std::nullopt,
                                         engine::Refusal{403, "jobs is forbidden: User a cannot"}};
    const Decision decision = known.decided();
    EXPECT_EQ(decision.report.reason, Reason::RunHeld);
    EXPECT_THAT(decision.report.message, HasSubstr("sluice-extendedstatefulset-jobs"));
    EXPECT_EQ(known.job().stage, Stage::Due);
    EXPECT_TRUE(decision.wake_at.has_value());
}

TEST(UpgradeJobs, TheTemplateOfAnExtendedJobIsRead) {
    Guarded known{R"({"preUpgrade":{"extendedJob":"backup"}})"};
    Decision decision = known.settled();
    ASSERT_EQ(decision.rests_on.size(), 1u);
    const model::Ref wanted = decision.rests_on[0];
    EXPECT_EQ(wanted.resource, &extended_job::resource);
    EXPECT_EQ(wanted.name, "backup");
    known.seen.fetched = {{wanted, std::nullopt}};
    decision = known.decided();
    EXPECT_EQ(decision.report.reason, Reason::RunHeld);
    EXPECT_EQ(decision.report.message, "ExtendedJob backup does not exist.");
    model::CustomObject object;
    object.meta = {{"shop", "backup"}, "uid-backup", 3, 1, false};
    object.spec = fmt::format(R"({{"trigger":{{"strategy":"manual"}},"template":{}}})", pods);
    known.seen.fetched = {{wanted, object}};
    decision = known.decided();
    ASSERT_EQ(decision.actions.size(), 1u);
    const json::value job = json::parse(decision.actions[0].body);
    EXPECT_EQ(job.at("spec").at("template"), json::parse(pods));
    EXPECT_EQ(job.at("spec").at("activeDeadlineSeconds"), 600);
}

TEST(UpgradeJobs, OneAfterItIsRunWhenAllPodsAreReady) {
    Guarded known{fmt::format(R"({{"canaries":0,"postUpgrade":{{"template":{}}}}})", pods)};
    EXPECT_EQ(known.settled().actions.at(0).object.ref.name, "x-v2");
    EXPECT_FALSE(known.status().job.has_value());
    known.add_version({2}, 2, known.digest());
    const Decision decision = known.settled();
    EXPECT_EQ(decision.actions.at(0).object.ref.resource, &model::jobs);
    EXPECT_THAT(known.job().name, MatchesRegex("x-v2-post-[0-9a-f]+"));
    EXPECT_EQ(known.status().current, 1);
    known.make_job();
    known.see_job(complete);
    known.settled();
    EXPECT_EQ(known.status().current, 2);
}

TEST(UpgradeJobs, WhatCannotBeRunIsRefusedWithItsPath) {
    const std::pair<std::string, std::string> all[] = {
        {R"({"preUpgrade":{}})", "spec.updateStrategy.preUpgrade"},
        {fmt::format(R"({{"postUpgrade":{{"extendedJob":"a","template":{}}}}})", pods),
         "spec.updateStrategy.postUpgrade"},
        {R"({"preUpgrade":{"template":{"spec":{"containers":[{"name":"a"}]}}}})",
         "spec.updateStrategy.preUpgrade.template.spec.restartPolicy"},
        {R"({"preUpgrade":{"template":{"spec":{"restartPolicy":"Never"}}}})",
         "spec.updateStrategy.preUpgrade.template.spec.containers"},
        {R"({"preUpgrade":{"extendedJob":"a","deadlineSeconds":0}})",
         "spec.updateStrategy.preUpgrade.deadlineSeconds"}};
    for (const auto& [strategy, path] : all) {
        model::CustomObject object;
        object.meta = {{"shop", "x"}, "uid-x", 7, 1, false};
        object.spec = spec_with(strategy);
        const auto spec = read_spec(object);
        ASSERT_FALSE(spec) << strategy;
        EXPECT_THAT(to_text(spec.error()), HasSubstr(path));
    }
}

}  // namespace
}  // namespace sluice::api::extended_stateful_set
