#include "api/analysis/job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::api::analysis {
namespace {

using ::testing::HasSubstr;
using State = JobSeen::State;
using Act = JobQuestion::Act;
using Verb = engine::Action::Verb;

const model::Ref smoke{&model::jobs, "shop", "smoke"};

model::CustomObject job(const std::string& controller, const std::string& conditions = "") {
    model::CustomObject object;
    object.meta.key = {"shop", "smoke"};
    object.meta.uid = "job-uid";
    object.owner_uid = controller;
    object.status = R"({"conditions":[)" + conditions + "]}";
    return object;
}

JobQuestion question(Act act) {
    return {act, "smoke", "uid-1", act == Act::Run ? "body" : "", ""};
}

engine::Snapshot looked(std::optional<model::CustomObject> object, const model::Ref& at = smoke) {
    engine::Snapshot seen;
    seen.fetched = {{at, std::move(object)}};
    return seen;
}
engine::Snapshot unseen(int status, const std::string& why) {
    engine::Snapshot seen;
    seen.fetched = {{smoke, std::nullopt, engine::Refusal{status, why}}};
    return seen;
}
engine::Snapshot tried(Verb verb, std::optional<engine::Refusal> refusal = {},
                       const model::Ref& at = smoke) {
    engine::Snapshot seen;
    seen.attempt = engine::Attempt{verb, at, std::nullopt, std::move(refusal)};
    return seen;
}

JobStep step(Act act, const engine::Snapshot& seen = {}) {
    return next_step(question(act), "shop", seen);
}
JobStep step(const JobQuestion& asked, const engine::Snapshot& seen = {}) {
    return next_step(asked, "shop", seen);
}
State state(const JobStep& step) {
    const auto* reply = std::get_if<0>(&step);
    const auto* seen = reply ? std::get_if<JobSeen>(reply) : nullptr;
    EXPECT_NE(seen, nullptr);
    return seen ? seen->state : State::Unknown;
}
std::string why(const JobStep& step) {
    const auto* reply = std::get_if<0>(&step);
    const auto* failed = reply ? std::get_if<NotMeasured>(reply) : nullptr;
    return failed ? failed->why : "no failure";
}
engine::Action action(const JobStep& step) {
    const auto* found = std::get_if<engine::Action>(&step);
    EXPECT_NE(found, nullptr);
    return found ? *found : engine::Action{};
}
bool wants(const JobStep& step, const model::Ref& ref) {
    const auto* wanted = std::get_if<model::Ref>(&step);
    return wanted && *wanted == ref;
}

TEST(JobStep, AJobIsMadeOnceHoweverOftenItIsAskedFor) {
    const engine::Action made = action(step(Act::Run));
    EXPECT_EQ(made.verb, Verb::Create);
    EXPECT_EQ(made.object.ref, smoke);
    EXPECT_EQ(made.body, "body");
    engine::Snapshot seen = tried(Verb::Create);
    seen.attempt->object = job("uid-1");
    EXPECT_EQ(state(step(Act::Run, seen)), State::Running);
    seen = tried(Verb::Create, engine::Refusal{409, "exists"});
    EXPECT_TRUE(wants(step(Act::Run, seen), smoke));
    seen.fetched = {{smoke, job("uid-1", R"({"type":"Complete","status":"True"})")}};
    EXPECT_EQ(state(step(Act::Run, seen)), State::Succeeded);
    seen.fetched = {{smoke, std::nullopt}};
    EXPECT_EQ(state(step(Act::Run, seen)), State::Unknown) << "gone again: it is made later";
}

TEST(JobStep, AJobIsLookedAt) {
    EXPECT_TRUE(wants(step(Act::Look), smoke));
    EXPECT_EQ(why(step(Act::Look, looked(std::nullopt))), "Job shop/smoke is gone");
    EXPECT_EQ(state(step(Act::Look, looked(job("uid-1", R"({"type":"Failed","status":"False"})")))),
              State::Running);
    const JobStep failed = step(
        Act::Look, looked(job("uid-1", R"({"type":"Failed","status":"True",)"
                                       R"("reason":"BackoffLimitExceeded","message":"twice"})")));
    EXPECT_EQ(state(failed), State::Failed);
    EXPECT_EQ(std::get<JobSeen>(std::get<0>(failed)).message, "BackoffLimitExceeded: twice");
    model::CustomObject rubbish = job("uid-1");
    rubbish.status = "{";
    EXPECT_EQ(state(step(Act::Look, looked(rubbish))), State::Running);
}

TEST(JobStep, AJobOfSomebodyElseIsLeftAlone) {
    const auto other = job("uid-2", R"({"type":"Complete","status":"True"})");
    engine::Snapshot seen = looked(other);
    seen.attempt = engine::Attempt{Verb::Create, smoke, {}, engine::Refusal{409, "exists"}};
    for (const Act act : {Act::Run, Act::Look, Act::Stop})
        EXPECT_EQ(why(step(act, seen)), "Job shop/smoke belongs to somebody else");
}

TEST(JobStep, AJobIsStoppedByItsUid) {
    EXPECT_TRUE(wants(step(Act::Stop), smoke));
    const engine::Action deletion = action(step(Act::Stop, looked(job("uid-1"))));
    EXPECT_EQ(deletion.verb, Verb::Delete);
    EXPECT_EQ(deletion.object, (engine::Subject{smoke, "job-uid"}));
    EXPECT_EQ(state(step(Act::Stop, tried(Verb::Delete))), State::Stopped);
    for (const int gone : {404, 409})
        EXPECT_EQ(state(step(Act::Stop, tried(Verb::Delete, engine::Refusal{gone, ""}))),
                  State::Stopped);
    EXPECT_EQ(why(step(Act::Stop, tried(Verb::Delete, engine::Refusal{500, "busy"}))),
              "Job shop/smoke: busy");
    EXPECT_EQ(state(step(Act::Stop, looked(std::nullopt))), State::Stopped)
        << "what is gone needs no stopping";
    auto leaving = job("uid-1");
    leaving.meta.deleting = true;
    EXPECT_EQ(state(step(Act::Stop, looked(leaving))), State::Stopped);
    EXPECT_EQ(why(step(Act::Stop, unseen(500, "busy"))), "Job shop/smoke: busy");
}

TEST(JobStep, TheJobOfAnOldMeasurementGoesFirstAndHoldsNothingUp) {
    const model::Ref old{&model::jobs, "shop", "old"};
    JobQuestion next = question(Act::Run);
    next.retired = "old";
    EXPECT_TRUE(wants(step(next), old));
    const engine::Action deletion = action(step(next, looked(job("uid-1"), old)));
    EXPECT_EQ(deletion.verb, Verb::Delete);
    EXPECT_EQ(deletion.object.ref, old);
    for (const std::optional<engine::Refusal>& refusal :
         {std::optional<engine::Refusal>{}, std::optional{engine::Refusal{403, "no"}}})
        EXPECT_EQ(action(step(next, tried(Verb::Delete, refusal, old))).verb, Verb::Create);
    for (const std::optional<model::CustomObject>& found :
         {std::optional<model::CustomObject>{}, std::optional{job("uid-2")}})
        EXPECT_EQ(action(step(next, looked(found, old))).verb, Verb::Create);
    engine::Snapshot made = tried(Verb::Create);
    made.attempt->object = job("uid-1");
    EXPECT_EQ(state(step(next, made)), State::Running);
}

TEST(JobStep, WhatMayPassIsUnknownAndWhatWillNotIsASentence) {
    for (const int status : {0, 401, 408, 429, 500, 503}) {
        EXPECT_EQ(state(step(Act::Run, tried(Verb::Create, engine::Refusal{status, "busy"}))),
                  State::Unknown);
        EXPECT_EQ(state(step(Act::Look, unseen(status, "busy"))), State::Unknown);
    }
    EXPECT_EQ(why(step(Act::Run, tried(Verb::Create, engine::Refusal{422, "template is wrong"}))),
              "Job shop/smoke: template is wrong");
    const std::string no_right = R"(jobs.batch is forbidden: User "sluice" cannot create resource)";
    EXPECT_THAT(why(step(Act::Run, tried(Verb::Create, engine::Refusal{403, no_right}))),
                HasSubstr(no_right + " (the right to run Jobs"));
    EXPECT_THAT(why(step(Act::Look, unseen(403, no_right))),
                HasSubstr(no_right + " (the right to run Jobs"));
    const std::string no_room = R"(jobs.batch "smoke" is forbidden: exceeded quota: few)";
    EXPECT_EQ(why(step(Act::Run, tried(Verb::Create, engine::Refusal{403, no_room}))),
              "Job shop/smoke: " + no_room);
    const std::string said = "Jobs are made only where sluice-analysis-jobs is bound.";
    EXPECT_EQ(why(step(Act::Run, tried(Verb::Create, engine::Refusal{403, said}))),
              "Job shop/smoke: " + said);
    engine::Snapshot rubbish = unseen(0, "rubbish");
    rubbish.fetched[0].refusal->unreadable = true;
    EXPECT_EQ(why(step(Act::Look, rubbish)), "Job shop/smoke: rubbish");
}

}  // namespace
}  // namespace sluice::api::analysis
