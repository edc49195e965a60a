#include "api/extended_job/decide.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/api/extended_job/errand.hpp"

namespace sluice::api::extended_job {
namespace {

using namespace testing;
using engine::Action;
using engine::Decision;
using engine::Reason;
using jobs::Stage;
using ::testing::HasSubstr;
using ::testing::Not;
using Verb = Action::Verb;
namespace json = boost::json;

TEST(ExtendedJobDecision, ARunIsWrittenDownThenTheStrategyIsSetBackThenItsJobIsMade) {
    Known known{strategy("now")};
    const Decision noted = known.decided();
    ASSERT_EQ(noted.actions.size(), 1u);
    EXPECT_TRUE(noted.actions[0].of_status);
    EXPECT_TRUE(noted.needs_live);
    ASSERT_TRUE(known.apply(noted));
    EXPECT_EQ(known.run().number, 1);
    const Decision set_back = known.decided();
    ASSERT_EQ(set_back.actions.size(), 1u);
    EXPECT_FALSE(set_back.actions[0].of_status);
    EXPECT_THAT(set_back.actions[0].body, HasSubstr(R"("value":"manual")"));
    EXPECT_THAT(set_back.actions[0].body, HasSubstr(R"("path":"/status")"));
    ASSERT_TRUE(known.apply(set_back));
    ASSERT_TRUE(known.apply(known.decided()));
    EXPECT_EQ(known.run().stage, Stage::Due);
    const Decision made = known.decided();
    ASSERT_EQ(made.actions.size(), 1u);
    EXPECT_EQ(made.actions[0].verb, Verb::Create);
    EXPECT_EQ(made.actions[0].object.ref.resource, &model::jobs);
    EXPECT_TRUE(made.needs_live);
}

TEST(ExtendedJobDecision, WhoAsksAgainBeforeItHasBegunIsServedOnceAndWhoAsksLaterOnceMore) {
    Known known{strategy("now")};
    known.apply(known.decided());
    known.apply(known.decided());
    known.set_strategy("now");
    known.settled();
    EXPECT_EQ(known.status().runs, 1);
    EXPECT_EQ(known.run().stage, Stage::Due);
    known.set_strategy("now");
    EXPECT_EQ(known.decided().actions.at(0).verb, Verb::Create);
    known.make_job();
    known.end_job(complete);
    EXPECT_EQ(known.status().runs, 2);
}

TEST(ExtendedJobDecision, OnceEndsAsDone) {
    Known known{strategy("once")};
    known.apply(known.decided());
    EXPECT_THAT(known.decided().actions.at(0).body, HasSubstr(R"("value":"done")"));
}

TEST(ExtendedJobDecision, ManualAndDoneRunNothing) {
    for (const char* name : {"manual", "done"}) {
        Known known{strategy(name)};
        EXPECT_TRUE(known.settled().actions.empty()) << name;
        EXPECT_EQ(known.status().phase, "Idle") << name;
        EXPECT_EQ(known.status().runs, 0) << name;
    }
}

TEST(ExtendedJobDecision, AReportAloneNeedsNoLookAtTheApi) {
    const Known known{strategy("manual")};
    const Decision told = known.decided();
    ASSERT_EQ(told.actions.size(), 1u);
    EXPECT_TRUE(told.actions[0].of_status);
    EXPECT_FALSE(told.needs_live);
}

TEST(ExtendedJobDecision, EventsAreAboutTheExtendedJob) {
    const Known known{strategy("manual")};
    EXPECT_EQ(known.decided().subject, engine::Subject({{&resource, "shop", "tidy-up"}, "uid-x"}));
}

TEST(ExtendedJobDecision, AJobIsItsTemplateOwnedAndLabelled) {
    Known known{strategy("now")};
    const json::value job = json::parse(known.settled().actions.at(0).body);
    const json::value& meta = job.at("metadata");
    EXPECT_EQ(meta.at("labels").at("extendedjob"), "true");
    EXPECT_EQ(meta.at("ownerReferences").at(0).at("uid"), "uid-x");
    EXPECT_EQ(meta.at("ownerReferences").at(0).at("controller"), true);
    EXPECT_THAT(std::string{meta.at("name").as_string()}, HasSubstr("job-tidyup-"));
    EXPECT_EQ(job.at("spec").at("backoffLimit"), 0);
    EXPECT_EQ(job.at("spec").at("template").at("spec").at("restartPolicy"), "Never");
}

TEST(ExtendedJobDecision, TheSameRunHasTheSameJobHoweverOftenItIsDecided) {
    Known known{strategy("now")};
    const std::string first = known.settled().actions.at(0).body;
    known.now = noon + 1h;
    EXPECT_EQ(known.decided().actions.at(0).body, first);
}

TEST(ExtendedJobDecision, AJobThatIsThereAlreadyIsFound) {
    Known known{strategy("now")};
    known.settled();
    const model::Ref job{&model::jobs, "shop", known.run().job};
    known.seen.attempt = engine::Attempt{Verb::Create, job, {}, engine::Refusal{409, "exists"}};
    EXPECT_EQ(known.decided().rests_on, std::vector{job});
    known.see_job("{}");
    known.apply(known.decided());
    EXPECT_EQ(known.run().stage, Stage::Made);
}

TEST(ExtendedJobDecision, AJobOfSomebodyElseIsAFailure) {
    Known known{strategy("now")};
    known.settled();
    known.seen.attempt = engine::Attempt{
        Verb::Create, {&model::jobs, "shop", known.run().job}, {}, engine::Refusal{409, ""}};
    known.see_job("{}");
    known.seen.fetched[0].object->owner_uid = "uid-y";
    known.apply(known.decided());
    EXPECT_EQ(known.status().phase, "Failed");
    EXPECT_THAT(known.status().message, HasSubstr("belongs to somebody else"));
    EXPECT_TRUE(known.status().kept_job.empty());
}

TEST(ExtendedJobDecision, WithoutTheRightARunWaits) {
    Known known{strategy("now")};
    known.settled();
    known.seen.attempt = engine::Attempt{Verb::Create,
                                         {&model::jobs, "shop", known.run().job},
                                         {},
                                         engine::Refusal{403, "jobs is forbidden: User a cannot"}};
    const Decision held = known.decided();
    EXPECT_EQ(held.report.reason, Reason::RunHeld);
    EXPECT_THAT(held.report.message, HasSubstr("sluice-extendedjob-jobs"));
    EXPECT_EQ(held.wake_at, noon + 30s);
    known.apply(held);
    EXPECT_EQ(known.status().active.size(), 1u);
    EXPECT_EQ(known.status().phase, "Held");
}

// A Job that is to go, and one that is to be made.
struct OneGoesAndOneComes : Known {
    OneGoesAndOneComes() : Known(strategy("now")) {
        settled();
        make_job();
        end_job(complete);
        set_strategy("now");
        settled();
        now = noon + 1min;
        going = status().leaving.at(0).job;
        see_job_of(going);
    }
    engine::Action after(Verb verb, const std::string& job, int status) {
        seen.attempt = engine::Attempt{
            verb, {&model::jobs, "shop", job}, {}, engine::Refusal{status, "exceeded quota: few"}};
        for (int i = 0; i < 3; ++i) {
            const Decision decision = decided();
            if (!apply(decision)) return decision.actions.empty() ? Action{} : decision.actions[0];
        }
        return {};
    }
    std::string going = {};
};

TEST(ExtendedJobDecision, WhatGoesMakesRoomForWhatTheQuotaRefuses) {
    OneGoesAndOneComes known;
    EXPECT_EQ(known.decided().actions.at(0).verb, Verb::Delete);
    const Action goes = known.after(Verb::Create, known.run().job, 403);
    EXPECT_EQ(goes.verb, Verb::Delete);
    EXPECT_EQ(goes.object.ref.name, known.going);
    EXPECT_THAT(known.decided().report.message, Not(HasSubstr("sluice-extendedjob-jobs")));
}

TEST(ExtendedJobDecision, ADeletionThatIsRefusedKeepsNobodyWaiting) {
    OneGoesAndOneComes known;
    Status status = known.status();
    status.leaving.push_back({"job-other", noon});
    known.object.status = write_status(status);
    const model::Ref other{&model::jobs, "shop", "job-other"};
    known.seen.fetched.push_back({other, known.seen.fetched.at(0).object});
    const Action made = known.after(Verb::Delete, known.going, 500);
    EXPECT_EQ(made.verb, Verb::Create);
}

TEST(ExtendedJobDecision, ATemplateThatTheServerRefusesIsAFailure) {
    Known known{strategy("now")};
    known.settled();
    known.seen.attempt = engine::Attempt{Verb::Create,
                                         {&model::jobs, "shop", known.run().job},
                                         {},
                                         engine::Refusal{422, "no image"}};
    known.apply(known.decided());
    EXPECT_EQ(known.status().phase, "Failed");
    EXPECT_THAT(known.status().message, HasSubstr("no image"));
}

TEST(ExtendedJobDecision, WhatBecameOfItIsWrittenBeforeTheJobGoes) {
    Known known{strategy("now")};
    known.settled();
    known.make_job();
    known.see_job(complete);
    const Decision over = known.decided();
    ASSERT_EQ(over.actions.size(), 1u);
    EXPECT_TRUE(over.actions[0].of_status);
    EXPECT_EQ(over.notices.at(0).reason, Reason::RunSucceeded);
    const model::Ref job{&model::jobs, "shop", known.run().job};
    known.apply(over);
    EXPECT_EQ(known.status().phase, "Succeeded");
    EXPECT_EQ(known.status().last->outcome, "Succeeded");
    EXPECT_EQ(known.decided().wake_at, noon + 1min);
    EXPECT_TRUE(known.decided().actions.empty());
    known.now = noon + 1min;
    known.see_job_of(job.name);
    const Decision goes = known.decided();
    ASSERT_EQ(goes.actions.size(), 1u);
    EXPECT_EQ(goes.actions[0].verb, Verb::Delete);
    EXPECT_EQ(goes.actions[0].object.uid, "uid-job");
    known.seen.fetched = {{job, std::nullopt}};
    known.apply(known.decided());
    EXPECT_TRUE(known.status().leaving.empty());
}

TEST(ExtendedJobDecision, ADeletionThatWasLostIsTriedAgain) {
    Known known{strategy("now")};
    known.settled();
    known.make_job();
    known.end_job(complete);
    known.now = noon + 1min;
    const model::Ref job{&model::jobs, "shop", known.status().leaving.at(0).job};
    for (const int status : {0, 409, 500}) {
        known.seen.attempt = engine::Attempt{Verb::Delete, job, {}, engine::Refusal{status, ""}};
        known.see_job_of(job.name);
        EXPECT_EQ(known.decided().wake_at, known.now + 30s) << status;
        known.settled();
        EXPECT_EQ(known.status().leaving.size(), 1u) << status;
    }
    known.seen.attempt = engine::Attempt{Verb::Delete, job, {}, engine::Refusal{409, ""}};
    known.seen.fetched = {{job, std::nullopt}};
    known.settled();
    EXPECT_TRUE(known.status().leaving.empty());
}

TEST(ExtendedJobDecision, TheLastJobThatFailedIsKept) {
    Known known{strategy("now")};
    known.settled();
    known.make_job();
    known.see_job(failed);
    const std::string first = known.run().job;
    known.apply(known.decided());
    EXPECT_EQ(known.status().phase, "Failed");
    EXPECT_EQ(known.status().kept_job, first);
    EXPECT_TRUE(known.status().leaving.empty());
    known.seen.fetched.clear();
    known.set_strategy("now");
    known.now = noon + 1h;
    known.settled();
    known.make_job();
    known.see_job(failed);
    known.apply(known.decided());
    EXPECT_NE(known.status().kept_job, first);
    ASSERT_EQ(known.status().leaving.size(), 1u);
    EXPECT_EQ(known.status().leaving[0].job, first);
}

TEST(ExtendedJobDecision, AJobThatIsGoneHasFailed) {
    Known known{strategy("now")};
    known.settled();
    known.make_job();
    known.see_no_job();
    known.apply(known.decided());
    EXPECT_EQ(known.status().phase, "Failed");
    EXPECT_TRUE(known.status().kept_job.empty());
}

TEST(ExtendedJobDecision, AnotherRunWaitsForTheOneBeforeIt) {
    Known known{strategy("now")};
    known.settled();
    known.make_job();
    known.set_strategy("now");
    known.see_job("{}");
    known.settled();
    EXPECT_EQ(known.status().runs, 1);
    known.see_job(complete);
    known.apply(known.decided());
    EXPECT_EQ(known.status().runs, 2);
    EXPECT_EQ(known.run().number, 2);
}

TEST(ExtendedJobDecision, AJobIsLookedAtTheMoreSeldomTheLongerItRuns) {
    Known known{strategy("now")};
    known.settled();
    known.make_job();
    EXPECT_EQ(known.decided().rests_on.size(), 1u);
    known.see_job("{}");
    known.now = noon + 10min;
    const Decision looked = known.decided();
    EXPECT_EQ(looked.wake_at, known.now + 1min);
    ASSERT_TRUE(looked.noted);
    known.seen.fetched.clear();
    known.seen.evidence = {*looked.noted};
    known.now = known.now + 30s;
    EXPECT_TRUE(known.decided().rests_on.empty());
    known.now = known.now + 30s;
    EXPECT_EQ(known.decided().rests_on.size(), 1u);
}

TEST(ExtendedJobDecision, APodIsLookedAtBeforeARunForItBegins) {
    Known known{for_ready_pods};
    known.add_pod("web-0", ready);
    EXPECT_EQ(known.decided().rests_on,
              std::vector({model::Ref{&neighbour_pods, "shop", "web-0"}}));
    known.see_pods();
    known.apply(known.decided());
    EXPECT_EQ(known.run().pod, "web-0");
    EXPECT_EQ(known.status().handled, std::vector({Handled{"uid-web-0", "web-0"}}));
    const Decision made = known.decided();
    const json::value job = json::parse(made.actions.at(0).body);
    EXPECT_EQ(job.at("metadata").at("labels").at("affected-pod"), "web-0");
    EXPECT_THAT(made.actions[0].object.ref.name, HasSubstr("job-tidyup-web0-"));
}

TEST(ExtendedJobDecision, APodThatIsGoneByNowGetsNoJob) {
    Known known{for_ready_pods};
    known.add_pod("web-0", ready);
    known.seen.fetched = {{{&neighbour_pods, "shop", "web-0"}, std::nullopt}};
    known.settled();
    EXPECT_EQ(known.status().runs, 0);
    known.see_pods();
    known.seen.fetched = {known.seen.fetched.back()};
    known.seen.fetched[0].object->meta.uid = "another";
    known.settled();
    EXPECT_EQ(known.status().runs, 0);
}

TEST(ExtendedJobDecision, APodIsHandledOnce) {
    Known known{for_ready_pods};
    known.add_pod("web-0", ready);
    known.see_pods();
    known.settled();
    known.make_job();
    known.see_job(complete);
    known.apply(known.decided());
    known.seen.fetched.clear();
    EXPECT_EQ(known.status().runs, 1);
    EXPECT_TRUE(known.decided().rests_on.empty());
}

TEST(ExtendedJobDecision, SoManyJobsRunForPodsAtOnce) {
    Known known{for_ready_pods};
    for (int i = 0; i < 9; ++i)
        known.add_pod("web-" + std::to_string(i), ready);
    EXPECT_EQ(known.decided().rests_on.size(), pod_jobs_max);
    known.see_pods();
    known.apply(known.decided());
    EXPECT_EQ(known.status().active.size(), pod_jobs_max);
}

TEST(ExtendedJobDecision, NoMoreJobsRunForPodsThanCanBeDeleted) {
    Known known{for_ready_pods};
    for (int i = 0; i < 5; ++i)
        known.add_pod("web-" + std::to_string(i), ready);
    known.object.status = write_status(leaving(leaving_max - 2, noon + 20s));
    EXPECT_EQ(known.decided().rests_on.size(), 2u);
    known.see_pods();
    known.apply(known.decided());
    EXPECT_EQ(known.status().active.size(), 2u);
    EXPECT_EQ(known.decided().wake_at, noon + 20s);
    EXPECT_EQ(known.status().phase, "Running");
}

TEST(ExtendedJobDecision, WhoAsksForARunWaitsUntilItsJobCanBeDeleted) {
    Known known{strategy("now")};
    known.object.status = write_status(leaving(leaving_max, noon + 20s));
    EXPECT_EQ(known.settled().wake_at, noon + 20s);
    EXPECT_EQ(known.status().runs, 0);
    EXPECT_EQ(known.status().phase, "Idle");
    known.object.status = write_status(leaving(leaving_max - 1, noon + 20s));
    known.apply(known.decided());
    EXPECT_EQ(known.status().runs, 1);
}

TEST(ExtendedJobDecision, JobsThatCannotBeDeletedAreToldOf) {
    Known known{strategy("now")};
    known.object.status = write_status(leaving(leaving_max, noon - 1min));
    for (const Leaving& one : known.status().leaving)
        known.seen.fetched.push_back(
            {{&model::jobs, "shop", one.job}, std::nullopt, engine::Refusal{422, "a webhook"}});
    const Decision stuck = known.settled();
    EXPECT_EQ(known.status().reason, "RunHeld");
    EXPECT_THAT(known.status().message, HasSubstr("Job job-0"));
    EXPECT_EQ(stuck.wake_at, noon + 30s);
}

TEST(ExtendedJobDecision, JobsThatCannotBeDeletedAreNotToldOfWhileNobodyWaitsForARun) {
    for (const std::string& trigger : {strategy("manual"), for_ready_pods}) {
        Known known{trigger};
        known.object.status = write_status(leaving(leaving_max, noon - 1min));
        for (const Leaving& one : known.status().leaving)
            known.seen.fetched.push_back(
                {{&model::jobs, "shop", one.job}, std::nullopt, engine::Refusal{422, "a webhook"}});
        known.settled();
        EXPECT_EQ(known.status().reason, "Idle") << trigger;
    }
}

TEST(ExtendedJobDecision, PodsThatAreGoneAreForgottenOnceThereAreMany) {
    Known known{for_ready_pods};
    Status status;
    status.pod_state = "ready";
    for (std::size_t i = 0; i < handled_max; ++i)
        status.handled.push_back({"gone-" + std::to_string(i), "old-" + std::to_string(i)});
    known.object.status = write_status(status);
    known.add_pod("web-0", ready);
    const Decision looks = known.decided();
    EXPECT_EQ(looks.rests_on.size(), 32u);
    for (const model::Ref& ref : looks.rests_on)
        known.seen.fetched.push_back({ref, std::nullopt});
    known.see_pods();
    known.apply(known.decided());
    EXPECT_EQ(known.status().handled.size(), handled_max - 32 + 1);
}

TEST(ExtendedJobDecision, MorePodsThanCanBeRememberedAreTooMany) {
    Known known{for_ready_pods};
    Status status;
    status.pod_state = "ready";
    for (std::size_t i = 0; i <= handled_max; ++i) {
        const std::string name = "web-" + std::to_string(i);
        known.add_pod(name, ready);
        if (i < handled_max) status.handled.push_back({"uid-" + name, name});
    }
    known.object.status = write_status(status);
    EXPECT_EQ(known.decided().report.reason, Reason::TooManyPods);
}

TEST(ExtendedJobDecision, AnotherStateIsAnotherMatter) {
    Known known{for_ready_pods};
    known.add_pod("web-0", ready);
    known.see_pods();
    known.settled();
    EXPECT_EQ(known.status().handled.size(), 1u);
    known.object.spec.replace(known.object.spec.find(R"("ready")"), 7, R"("created")");
    known.seen.fetched.clear();
    known.make_job();
    EXPECT_EQ(known.status().pod_state, "created");
    EXPECT_TRUE(known.status().handled.empty());
}

TEST(ExtendedJobDecision, AWordWithoutEffectIsACondition) {
    Known known{strategy("manual"), R"(,"updateOnConfigChange":true)"};
    known.settled();
    const auto conditions = known.status().conditions;
    const auto found = std::ranges::find(conditions, "UpdateOnConfigChange", &Condition::type);
    ASSERT_NE(found, conditions.end());
    EXPECT_EQ(found->status, "False");
}

TEST(ExtendedJobDecision, WhatIsBeingDeletedIsLeftToKubernetes) {
    Known known{strategy("now")};
    known.object.meta.deleting = true;
    EXPECT_TRUE(known.decided().actions.empty());
}

}  // namespace
}  // namespace sluice::api::extended_job
