#include "api/extended_job/output.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/api/extended_job/errand.hpp"

namespace sluice::api::extended_job {
namespace {

using namespace testing;
using engine::Decision;
using engine::Reason;
using ::testing::HasSubstr;
using ::testing::Not;
using Verb = engine::Action::Verb;
namespace json = boost::json;

PodSeen pod(const std::string& name, const std::string& phase, const std::string& created,
            const std::string& owner = R"({"uid":"uid-job","controller":true})") {
    return {"uid-" + name, "",
            R"({"metadata":{"name":")" + name + R"(","creationTimestamp":")" + created +
                R"(","ownerReferences":[)" + owner + R"(]},"status":{"phase":")" + phase +
                R"("}})"};
}

Inquiry asked(bool has_succeeded) {
    const auto question =
        engine::question_of(OutputQuestion{1, "job-x", "uid-job", has_succeeded, {"main", "side"}});
    return *inquire(*question, {.ns = "shop", .metric_hosts = {}});
}

const OutputAnswer& answer_in(const Move& move) {
    return *engine::opened<OutputAnswer>(*std::get<Said>(move));
}

TEST(ExtendedJobOutput, TheLastPodThatEndedSoIsAskedContainerByContainer) {
    Learnt learnt;
    const Inquiry inquiry = asked(true);
    const Move first = inquiry.next(learnt);
    EXPECT_EQ(std::get<NeedPods>(first).selector, "job-name=job-x");
    learnt.pod_lists.emplace("job-name=job-x",
                             std::vector{pod("a", "Succeeded", "2026-01-01T00:00:00Z"),
                                         pod("b", "Succeeded", "2026-01-02T00:00:00Z"),
                                         pod("c", "Failed", "2026-01-03T00:00:00Z")});
    EXPECT_EQ(std::get<NeedLog>(inquiry.next(learnt)).pod, "b");
    learnt.logs.emplace(std::pair{"b", "main"}, Redacted{R"({"a":"1"})"});
    EXPECT_EQ(std::get<NeedLog>(inquiry.next(learnt)).container, "side");
    learnt.logs.emplace(std::pair{"b", "side"}, Redacted{"{}"});
    const Move last = inquiry.next(learnt);
    const auto& outputs = std::get<std::map<std::string, Values>>(answer_in(last).what);
    EXPECT_EQ(outputs.at("main").at("a").reveal(), "1");
    EXPECT_TRUE(outputs.at("side").empty());
}

TEST(ExtendedJobOutput, OfAJobThatFailedThePodThatFailedIsAsked) {
    Learnt learnt;
    learnt.pod_lists.emplace("job-name=job-x",
                             std::vector{pod("a", "Succeeded", "2026-01-01T00:00:00Z"),
                                         pod("c", "Failed", "2026-01-03T00:00:00Z")});
    EXPECT_EQ(std::get<NeedLog>(asked(false).next(learnt)).pod, "c");
}

TEST(ExtendedJobOutput, AllContainersOfAJobShareWhatItMayPrint) {
    const auto question =
        engine::question_of(OutputQuestion{1, "job-x", "uid-job", true, {"a", "b", "c", "d"}});
    const Inquiry inquiry = *inquire(*question, {.ns = "shop", .metric_hosts = {}});
    Learnt learnt;
    learnt.pod_lists.emplace("job-name=job-x",
                             std::vector{pod("p", "Succeeded", "2026-01-01T00:00:00Z")});
    const std::string printed = R"({"a":")" + std::string(output_bytes_max - 1000, 'x') + R"("})";
    for (const char* container : {"a", "b"}) {
        EXPECT_EQ(std::get<NeedLog>(inquiry.next(learnt)).bytes_max, output_bytes_max);
        learnt.logs.emplace(std::pair{"p", container}, Redacted{printed});
    }
    EXPECT_EQ(std::get<NeedLog>(inquiry.next(learnt)).bytes_max,
              outputs_bytes_max - 2 * printed.size());
    learnt.logs.emplace(std::pair{"p", "c"}, failure(ErrorKind::TooLarge, "too long"));
    const Move move = inquiry.next(learnt);
    EXPECT_EQ(std::get<OutputAnswer::Unusable>(answer_in(move).what).why,
              "its containers printed more than 512 KiB together");
}

TEST(ExtendedJobOutput, APodThatOnlyLooksLikeOneOfTheJobIsNotAsked) {
    Learnt learnt;
    const std::string later = "2026-01-03T00:00:00Z";
    std::vector pods{pod("a", "Succeeded", "2026-01-01T00:00:00Z")};
    for (const char* owner : {"", R"({"uid":"uid-job"})", R"({"uid":"uid-job","controller":false})",
                              R"({"uid":"uid-other","controller":true})"})
        pods.push_back(pod("z", "Succeeded", later, owner));
    learnt.pod_lists.emplace("job-name=job-x", pods);
    EXPECT_EQ(std::get<NeedLog>(asked(true).next(learnt)).pod, "a");
}

TEST(ExtendedJobOutput, WithoutAPodThereIsNothingToRead) {
    Learnt learnt;
    learnt.pod_lists.emplace("job-name=job-x", std::vector<PodSeen>{});
    const Move move = asked(true).next(learnt);
    EXPECT_TRUE(std::holds_alternative<OutputAnswer::Unusable>(answer_in(move).what));
}

TEST(ExtendedJobOutput, AServerThatDoesNotAnswerIsAskedAgain) {
    Learnt learnt;
    learnt.pod_lists.emplace("job-name=job-x", failure(ErrorKind::Server, "no"));
    Move move = asked(true).next(learnt);
    EXPECT_TRUE(std::holds_alternative<OutputAnswer::Unknown>(answer_in(move).what));
    const Said said = asked(true).give_up({ErrorKind::Timeout, "late"});
    EXPECT_TRUE(
        std::holds_alternative<OutputAnswer::Unknown>(engine::opened<OutputAnswer>(*said)->what));
}

TEST(ExtendedJobOutput, OnlyAFlatObjectOfTextsIsAnOutput) {
    EXPECT_EQ(read_output_text(R"({"a.b-c_1":"x"})")->size(), 1u);
    EXPECT_EQ(read_output_text("secret words").error(), "is no JSON object");
    EXPECT_EQ(read_output_text("").error(), "is no JSON object");
    EXPECT_EQ(read_output_text(R"(["secret"])").error(), "is no JSON object");
    EXPECT_EQ(read_output_text(R"({"a":{"b":"secret"}})").error(), "has a value that is no text");
    EXPECT_EQ(read_output_text(R"({"a":1})").error(), "has a value that is no text");
    EXPECT_EQ(read_output_text(R"({"secret word":"x"})").error(),
              "has a key that a Secret cannot have");
}

// A run whose Job is complete, and what its containers have printed.
struct Ended : Known {
    explicit Ended(const std::string& output) : Known(strategy("now"), R"(,"output":)" + output) {
        settled();
        make_job();
        end_job(complete);
    }
    void answer(decltype(OutputAnswer::what) what) {
        seen.evidence = {
            {"out", engine::answer_of(OutputAnswer{1, run().job, std::move(what)}), now}};
    }
    void print(const std::string& text) {
        Values values;
        values.emplace("token", Redacted{text});
        answer(std::map<std::string, Values>{{"main", std::move(values)}});
    }
};

TEST(ExtendedJobOutput, ItIsAskedForOnceTheJobHasEnded) {
    Ended ended{R"({"namePrefix":"keys-"})"};
    const Decision decision = ended.decided();
    ASSERT_TRUE(decision.probe);
    const auto* question = engine::opened<OutputQuestion>(*decision.probe->question);
    ASSERT_NE(question, nullptr);
    EXPECT_EQ(question->job, ended.run().job);
    EXPECT_EQ(question->job_uid, "uid-job");
    EXPECT_TRUE(question->has_succeeded);
}

TEST(ExtendedJobOutput, TheSecretIsWrittenBeforeTheRunIsOver) {
    Ended ended{R"({"namePrefix":"keys-","secretLabels":{"tier":"data"}})"};
    ended.print("hush");
    const Decision decision = ended.decided();
    ASSERT_EQ(decision.actions.size(), 3u);
    const json::value secret = json::parse(decision.actions[0].body);
    EXPECT_EQ(decision.actions[0].verb, Verb::Create);
    EXPECT_EQ(secret.at("metadata").at("name"), "keys-main");
    EXPECT_EQ(secret.at("metadata").at("labels").at("tier"), "data");
    EXPECT_EQ(secret.at("metadata").at("ownerReferences").at(0).at("uid"), "uid-x");
    EXPECT_EQ(secret.at("data").at("token"), "aHVzaA==");
    EXPECT_EQ(decision.actions[1].verb, Verb::Patch);
    EXPECT_TRUE(decision.actions[1].follows);
    EXPECT_THAT(decision.actions[1].body, HasSubstr(R"("op":"test")"));
    EXPECT_TRUE(decision.actions[2].of_status);
    EXPECT_TRUE(decision.actions[2].follows);
    EXPECT_THAT(decision.actions[2].body, Not(HasSubstr("aHVzaA==")));
    EXPECT_THAT(decision.actions[2].body, HasSubstr("Succeeded"));
}

TEST(ExtendedJobOutput, ASecretThatCannotBeWrittenHoldsTheRun) {
    struct Case {
        int status;
        const char* said;
        const char* told;
    };
    for (const auto& [status, said, told] :
         {Case{403, "User a cannot hush", "sluice-extendedjob-jobs"},
          Case{403, "exceeded quota: hush", "ResourceQuota"}, Case{422, "hush", "somebody"}}) {
        Ended ended{R"({"namePrefix":"keys-"})"};
        ended.print("hush");
        ended.seen.attempt = engine::Attempt{
            Verb::Patch, {&model::secrets, "shop", "keys-main"}, {}, engine::Refusal{status, said}};
        const Decision decision = ended.decided();
        EXPECT_EQ(decision.report.reason, Reason::OutputHeld) << status;
        EXPECT_THAT(decision.report.message, Not(HasSubstr("hush"))) << status;
        EXPECT_THAT(decision.report.message, HasSubstr(told)) << status;
        ended.apply(decision);
        EXPECT_EQ(ended.status().active.size(), 1u) << status;
    }
}

TEST(ExtendedJobOutput, ASecretWhoseWriteWasLostIsWrittenAgain) {
    Ended ended{R"({"namePrefix":"keys-"})"};
    ended.print("hush");
    ended.seen.attempt = engine::Attempt{
        Verb::Create, {&model::secrets, "shop", "keys-main"}, {}, engine::Refusal{0, "no answer"}};
    EXPECT_EQ(ended.decided().actions.size(), 3u);
}

TEST(ExtendedJobOutput, WhatCannotBeReadAsOneIsAFailureAndKeepsTheJob) {
    Ended ended{R"({"namePrefix":"keys-"})"};
    const std::string job = ended.run().job;
    ended.answer(OutputAnswer::Unusable{"the output of container main is no JSON object"});
    ended.apply(ended.decided());
    EXPECT_EQ(ended.status().phase, "Failed");
    EXPECT_EQ(ended.status().kept_job, job);
}

TEST(ExtendedJobOutput, WhatCouldNotBeReadIsReadAgainAfterAWhile) {
    Ended ended{R"({"namePrefix":"keys-"})"};
    ended.answer(OutputAnswer::Unknown{"the kubelet does not answer"});
    EXPECT_EQ(ended.decided().report.reason, Reason::OutputHeld);
    EXPECT_FALSE(ended.decided().probe);
    ended.now = ended.now + 30s;
    EXPECT_TRUE(ended.decided().probe);
}

// Runs for pods whose Jobs have all ended.
struct EndedForPods : Known {
    explicit EndedForPods(std::initializer_list<std::string> jobs)
        : Known(R"({"strategy":"podstate","when":"ready"})",
                R"(,"output":{"namePrefix":"keys-"})") {
        Status status;
        status.pod_state = "ready";
        for (const std::string& job : jobs)
            status.active.push_back({.number = ++status.runs,
                                     .job = job,
                                     .strategy = "podstate",
                                     .stage = jobs::Stage::Succeeded,
                                     .pod = "web-0",
                                     .started = noon});
        object.status = write_status(status);
    }
    void answer(std::int64_t run, const std::string& job, decltype(OutputAnswer::what) what) {
        seen.evidence = {{job, engine::answer_of(OutputAnswer{run, job, std::move(what)}), now}};
    }
    void print(std::int64_t run, const std::string& job) {
        Values values;
        values.emplace("token", Redacted{"hush"});
        answer(run, job, std::map<std::string, Values>{{"main", std::move(values)}});
    }
    std::string asked_of() const {
        const Decision decision = decided();
        return decision.probe ? decision.probe->key : "nobody";
    }
};

TEST(ExtendedJobOutput, OneThatCannotBeReadIsAskedAgainWhenTheOthersHadTheirTurn) {
    EndedForPods ended{"job-a", "job-b"};
    EXPECT_EQ(ended.asked_of(), "job-a");
    ended.answer(1, "job-a", OutputAnswer::Unknown{"the kubelet does not answer"});
    EXPECT_EQ(ended.asked_of(), "nobody");
    EXPECT_EQ(ended.decided().wake_at, noon + 30s);
    ended.now = noon + 30s;
    EXPECT_EQ(ended.asked_of(), "job-b");
    EXPECT_EQ(ended.decided().report.reason, Reason::OutputHeld);
    ended.answer(2, "job-b", OutputAnswer::Unknown{"the kubelet does not answer"});
    EXPECT_EQ(ended.asked_of(), "nobody");
    ended.now = noon + 1min;
    EXPECT_EQ(ended.asked_of(), "job-a");
}

TEST(ExtendedJobOutput, AnAnswerServesTheRunThatItIsAbout) {
    EndedForPods ended{"job-a", "job-b", "job-c"};
    ended.print(2, "job-b");
    const Decision decision = ended.decided();
    EXPECT_FALSE(decision.probe);
    ASSERT_EQ(decision.actions.size(), 3u);
    EXPECT_EQ(decision.actions[0].object.ref.name, "keys-main");
    ended.apply(decision);
    EXPECT_EQ(ended.status().active.size(), 2u);
    EXPECT_EQ(ended.status().last->job, "job-b");
    EXPECT_EQ(ended.asked_of(), "job-c");
}

TEST(ExtendedJobOutput, WhatIsWrittenIsForgottenButNotWhoseTurnItIs) {
    EndedForPods ended{"job-a", "job-b", "job-c"};
    ended.print(2, "job-b");
    const Decision writes = ended.decided();
    EXPECT_FALSE(writes.noted);
    ended.apply(writes);
    const Decision forgets = ended.decided();
    ASSERT_TRUE(forgets.noted);
    const auto* left = engine::opened<OutputAnswer>(*forgets.noted->answer);
    ASSERT_NE(left, nullptr);
    EXPECT_TRUE(std::get<0>(left->what).empty());
    ended.seen.evidence = {*forgets.noted};
    EXPECT_FALSE(ended.decided().noted);
    EXPECT_EQ(ended.asked_of(), "job-c");
}

TEST(ExtendedJobOutput, ASecretThatWasRefusedIsNotWrittenAgainBeforeAWhile) {
    EndedForPods ended{"job-a", "job-b"};
    ended.print(1, "job-a");
    ended.seen.attempt = engine::Attempt{
        Verb::Patch, {&model::secrets, "shop", "keys-main"}, {}, engine::Refusal{422, "no"}};
    const Decision refused = ended.decided();
    EXPECT_EQ(refused.report.reason, Reason::OutputHeld);
    ASSERT_TRUE(refused.noted);
    ended.apply(refused);
    ended.seen.attempt.reset();
    ended.seen.evidence = {*refused.noted};
    ended.now = noon + 29s;
    EXPECT_EQ(ended.asked_of(), "nobody");
    EXPECT_TRUE(ended.decided().actions.empty());
    EXPECT_EQ(ended.decided().wake_at, noon + 30s);
    ended.now = noon + 30s;
    EXPECT_EQ(ended.asked_of(), "job-b");
}

TEST(ExtendedJobOutput, JobsOfOthersAreMadeWhileOneCannotBeRead) {
    EndedForPods ended{"job-a"};
    Status status = ended.status();
    status.active.push_back({.number = ++status.runs,
                             .job = "job-b",
                             .strategy = "podstate",
                             .stage = jobs::Stage::Due,
                             .pod = "web-1",
                             .started = noon});
    ended.object.status = write_status(status);
    ended.answer(1, "job-a", OutputAnswer::Unknown{"the kubelet does not answer"});
    const Decision made = ended.decided();
    ASSERT_EQ(made.actions.size(), 1u);
    EXPECT_EQ(made.actions[0].object.ref.name, "job-b");
}

TEST(ExtendedJobOutput, WhyAJobFailedIsToldAlsoIfItsOutputCannotBeRead) {
    Known known{strategy("now"), R"(,"output":{"namePrefix":"k-","writeOnFailure":true})"};
    known.settled();
    known.make_job();
    known.end_job(failed);
    known.seen.evidence = {
        {"out",
         engine::answer_of(OutputAnswer{
             1, known.run().job, OutputAnswer::Unusable{"no pod of the Job is left to be asked"}}),
         known.now}};
    known.apply(known.decided());
    EXPECT_EQ(known.status().last->message,
              "BackoffLimitExceeded; and no pod of the Job is left to be asked.");
}

TEST(ExtendedJobOutput, OfAFailureItIsKeptOnlyIfSomebodyWantsIt) {
    for (const bool wanted : {false, true}) {
        Known known{strategy("now"), fmt::format(R"(,"output":{{"namePrefix":"k-",)"
                                                 R"("writeOnFailure":{}}})",
                                                 wanted)};
        known.settled();
        known.make_job();
        known.end_job(failed);
        EXPECT_EQ(known.decided().probe.has_value(), wanted);
        EXPECT_EQ(known.status().active.empty(), !wanted);
    }
}

}  // namespace
}  // namespace sluice::api::extended_job
