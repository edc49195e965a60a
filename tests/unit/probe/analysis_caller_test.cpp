#include "probe/analysis_caller.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "tests/unit/probe/hook_world.hpp"

namespace sluice::probe::test {
namespace {

using namespace api::analysis;
using testing::HasSubstr;
using State = JobSeen::State;
using Act = JobQuestion::Act;

const std::string jobs = "/apis/batch/v1/namespaces/shop/jobs";

// The API server's Jobs, beside web servers and Prometheus, behind one port.
class AnalysisCallerTest : public HookWorld {
  protected:
    AnalysisCallerTest() {
        hook = [this](const Seen& request) {
            if (!request.target.starts_with(jobs)) return peer(request);
            return request.method == "POST" ? create(request) : of_one(request);
        };
    }

    Reply create(const Seen& request) {
        if (refusal_of_jobs) return *refusal_of_jobs;
        const auto body = boost::json::parse(request.body);
        const std::string name{body.at_pointer("/metadata/name").as_string()};
        if (known.contains(name))
            return {409, R"({"kind":"Status","reason":"AlreadyExists","message":"exists"})"};
        known[name] = job_json("uid-1", "");
        return {201, known[name]};
    }
    Reply of_one(const Seen& request) {
        const auto found = known.find(request.target.substr(jobs.size() + 1));
        if (found == known.end()) return {404, R"({"kind":"Status","message":"not found"})"};
        const std::string body = found->second;
        if (request.method == "DELETE") {
            deletions.push_back(request.body);
            known.erase(found);
        }
        return {200, body};
    }
    static std::string job_json(const std::string& controller, const std::string& conditions) {
        return R"({"metadata":{"uid":"job-uid","ownerReferences":[{"uid":"other"},{"uid":")" +
               controller + R"(","controller":true}]},"status":{"conditions":[)" + conditions +
               "]}}";
    }

    void open_caller(const std::string& allowed = "", bool allow_local = true,
                     InquiryBounds bounds = analysis_bounds) {
        analyses = std::make_unique<AnalysisCaller>(loop, api, api::read_hosts(allowed).value(),
                                                    allow_local, bounds);
    }
    AnalysisCaller::CallId begin_question(Question question) {
        if (!analyses) open_caller();
        return analyses->ask("shop", std::move(question), [this](MeasurementAnswer answer) {
            answers.push_back(std::move(answer));
        });
    }
    MeasurementAnswer ask(decltype(Question::what) what) {
        answers.clear();
        begin_question({"key", std::move(what)});
        EXPECT_TRUE(answers.empty()) << "never from inside ask()";
        while (answers.empty())
            if (loop.run_one_for(60s) == 0) return {"standstill", {}, {}};
        loop.poll();
        EXPECT_EQ(answers.size(), 1u);
        EXPECT_EQ(answers.front().key, "key");
        return answers.front();
    }
    static std::string why(const MeasurementAnswer& answer) {
        const auto* failed = std::get_if<NotMeasured>(&answer.what);
        return failed ? failed->why : "measured";
    }
    JobSeen seen(const JobQuestion& question) {
        const MeasurementAnswer answer = ask(question);
        const auto* job = std::get_if<JobSeen>(&answer.what);
        EXPECT_NE(job, nullptr) << why(answer);
        return job ? *job : JobSeen{State::Unknown, "nothing"};
    }
    static JobQuestion job(Act act, const std::string& name = "smoke") {
        return {act, name, "uid-1",
                act == Act::Run ? R"({"metadata":{"name":")" + name + R"("}})" : "", ""};
    }
    WebQuestion web() const {
        WebQuestion question;
        question.provider.url = server.url("/ready");
        question.provider.json_path = "{.ok}";
        return question;
    }

    Handler peer = [](const Seen&) { return Reply{200, R"({"ok":true})"}; };
    std::map<std::string, std::string> known;  // Jobs by name
    std::vector<std::string> deletions;
    std::optional<Reply> refusal_of_jobs;
    std::vector<MeasurementAnswer> answers;
    std::unique_ptr<AnalysisCaller> analyses;
};

TEST_F(AnalysisCallerTest, AWebServerIsAsked) {
    const MeasurementAnswer answer = ask(web());
    ASSERT_TRUE(std::holds_alternative<Measured>(answer.what)) << why(answer);
    EXPECT_EQ(std::get<Measured>(answer.what).text, "true");
    EXPECT_EQ(asked.at(0).target, "/ready");
    EXPECT_EQ(asked.at(0).method, "GET");
}

TEST_F(AnalysisCallerTest, PrometheusIsAskedWithASecretOfTheNamespace) {
    peer = [](const Seen&) {
        return Reply{200, R"({"status":"success","data":{"resultType":"vector","result":[)"
                          R"({"metric":{},"value":[1,"7"]}]}})"};
    };
    put_secret("login", {200, secret_json({{"key", canary}})});
    PrometheusQuestion question;
    question.provider.address = server.url("/base");
    question.provider.query = "up";
    question.provider.headers = {{"Authorization", "Bearer {{args.token}}"}};
    question.secrets = {{"token", {"login", "key"}}};
    const MeasurementAnswer answer = ask(question);
    ASSERT_TRUE(std::holds_alternative<Measured>(answer.what)) << why(answer);
    EXPECT_EQ(std::get<Measured>(answer.what).text, "[7]");
    EXPECT_EQ(asked.at(0).target, "/base/api/v1/query");
    EXPECT_EQ(asked.at(0).headers["authorization"], "Bearer " + canary);
    question.secrets = {{"token", {"nobody", "key"}}};
    EXPECT_EQ(why(ask(question)), "Secret shop/nobody does not exist");
}

TEST_F(AnalysisCallerTest, ATokenIsAskedForBeforeTheQuestion) {
    peer = [](const Seen& seen) {
        const bool is_question = seen.target == "/ready";
        return Reply{200, is_question ? R"({"ok":true})" : R"({"access_token":"t-1"})"};
    };
    put_secret("login", {200, secret_json({{"key", canary}})});
    WebQuestion question = web();
    question.provider.oauth2 = OAuth2{server.url("/token"), "me", "{{args.token}}", {}};
    question.secrets = {{"token", {"login", "key"}}};
    const MeasurementAnswer answer = ask(question);
    ASSERT_TRUE(std::holds_alternative<Measured>(answer.what)) << why(answer);
    ASSERT_EQ(asked.size(), 2u);
    EXPECT_EQ(asked.at(0).target, "/token");
    EXPECT_EQ(asked.at(0).body, "grant_type=client_credentials");
    EXPECT_EQ(asked.at(1).target, "/ready");
    EXPECT_EQ(asked.at(1).headers["authorization"], "Bearer t-1");
    question.provider.oauth2 = OAuth2{"http://169.254.169.254/token", "me", "open sesame", {}};
    EXPECT_THAT(why(ask(question)), HasSubstr("which must not be contacted"));
}

TEST_F(AnalysisCallerTest, ForbiddenAddressesAndHostsAreNotAsked) {
    open_caller("prom.example.com");
    EXPECT_EQ(why(ask(web())), "the host \"127.0.0.1\" is not one that Sluice may ask");
    open_caller("", false);
    EXPECT_THAT(why(ask(web())), HasSubstr("which must not be contacted"));
    open_caller("", true);
    WebQuestion link_local = web();
    link_local.provider.url = "http://169.254.169.254/latest";
    EXPECT_THAT(why(ask(link_local)), HasSubstr("which must not be contacted"));
    EXPECT_TRUE(asked.empty());
}

TEST_F(AnalysisCallerTest, ARedirectAndABoundAreSentences) {
    peer = [this](const Seen&) { return Reply{302, "", server.url("/other")}; };
    EXPECT_EQ(why(ask(web())), "the server answered HTTP 302; redirects are not followed");
    EXPECT_EQ(asked.size(), 1u);
    peer = [](const Seen&) { return Reply{.silent = true}; };
    InquiryBounds hasty = analysis_bounds;
    hasty.deadline = 50ms;
    open_caller("", true, hasty);
    EXPECT_THAT(why(ask(web())), HasSubstr("the measurement gave no verdict within"));
}

TEST_F(AnalysisCallerTest, ABoundOfOursIsNoMeasurement) {
    peer = [](const Seen&) { return Reply{.silent = true}; };
    InquiryBounds none = analysis_bounds;
    none.calls_max = 1;
    none.waiting_max = 0;
    open_caller("", true, none);
    begin_question({"first", web()});
    EXPECT_TRUE(std::holds_alternative<NotAsked>(ask(web()).what));
}

TEST_F(AnalysisCallerTest, AJobIsMadeOnceHoweverOftenItIsAskedFor) {
    EXPECT_EQ(seen(job(Act::Run)).state, State::Running);
    EXPECT_EQ(known.size(), 1u);
    known["smoke"] = job_json("uid-1", R"({"type":"Complete","status":"True"})");
    EXPECT_EQ(seen(job(Act::Run)).state, State::Succeeded);
    EXPECT_EQ(known.size(), 1u);
}

TEST_F(AnalysisCallerTest, AJobIsLookedAt) {
    EXPECT_EQ(why(ask(job(Act::Look))), "Job shop/smoke is gone");
    known["smoke"] = job_json("uid-1", R"({"type":"Failed","status":"False"})");
    EXPECT_EQ(seen(job(Act::Look)).state, State::Running);
    known["smoke"] = job_json("uid-1", R"({"type":"Failed","status":"True",)"
                                       R"("reason":"BackoffLimitExceeded","message":"twice"})");
    const JobSeen failed = seen(job(Act::Look));
    EXPECT_EQ(failed.state, State::Failed);
    EXPECT_EQ(failed.message, "BackoffLimitExceeded: twice");
}

TEST_F(AnalysisCallerTest, AJobOfSomebodyElseIsLeftAlone) {
    known["smoke"] = job_json("uid-2", R"({"type":"Complete","status":"True"})");
    for (const Act act : {Act::Run, Act::Look, Act::Stop})
        EXPECT_EQ(why(ask(job(act))), "Job shop/smoke belongs to somebody else");
    EXPECT_EQ(known.size(), 1u);
}

TEST_F(AnalysisCallerTest, AJobIsStoppedWithItsPods) {
    known["smoke"] = job_json("uid-1", "");
    EXPECT_EQ(seen(job(Act::Stop)).state, State::Stopped);
    EXPECT_TRUE(known.empty());
    EXPECT_THAT(deletions.at(0), HasSubstr(R"("propagationPolicy":"Background")"));
    EXPECT_THAT(deletions.at(0), HasSubstr(R"("preconditions":{"uid":"job-uid"})"));
    EXPECT_EQ(seen(job(Act::Stop)).state, State::Stopped) << "what is gone needs no stopping";
}

TEST_F(AnalysisCallerTest, TheJobOfAnOldMeasurementGoes) {
    known["old"] = job_json("uid-1", "");
    JobQuestion next = job(Act::Run, "new");
    next.retired = "old";
    EXPECT_EQ(seen(next).state, State::Running);
    for (int i = 0; i < 100 && known.contains("old"); ++i)
        loop.run_one_for(1s);
    EXPECT_FALSE(known.contains("old"));
    EXPECT_EQ(answers.size(), 1u) << "only the question was answered";
}

TEST_F(AnalysisCallerTest, WhatMayPassIsUnknownAndWhatWillNotIsASentence) {
    refusal_of_jobs = {503, R"({"kind":"Status","message":"busy"})"};
    EXPECT_EQ(seen(job(Act::Run)).state, State::Unknown);
    refusal_of_jobs = {422, R"({"kind":"Status","message":"spec.template is wrong"})"};
    EXPECT_EQ(why(ask(job(Act::Run))), "Job shop/smoke: spec.template is wrong");
    refusal_of_jobs = {403, R"({"kind":"Status","message":"jobs is forbidden"})"};
    EXPECT_THAT(why(ask(job(Act::Run))), HasSubstr("jobs is forbidden (the right to run Jobs"));
}

TEST_F(AnalysisCallerTest, ManyJobsAreAskedAboutInTurn) {
    for (int i = 0; i < 30; ++i)
        begin_question({"key", job(Act::Run, "smoke-" + std::to_string(i))});
    EXPECT_EQ(analyses->in_flight(), jobs_max);
    EXPECT_EQ(analyses->waiting(), 30 - jobs_max);
    while (answers.size() < 30)
        ASSERT_NE(loop.run_one_for(60s), 0u);
    EXPECT_EQ(known.size(), 30u);
    EXPECT_EQ(analyses->in_flight() + analyses->waiting(), 0u);
}

TEST_F(AnalysisCallerTest, AQuestionThatWasTakenBackGivesNothing) {
    const auto about_web = begin_question({"a", web()});
    const auto about_job = begin_question({"b", job(Act::Run)});
    EXPECT_NE(about_web, about_job);
    analyses->cancel(about_web);
    analyses->cancel(about_job);
    loop.run_for(50ms);
    EXPECT_TRUE(answers.empty());
    EXPECT_EQ(analyses->in_flight() + analyses->waiting(), 0u);
    begin_question({"c", job(Act::Run)});
    analyses.reset();
    loop.run_for(50ms);
    EXPECT_TRUE(answers.empty());
}

}  // namespace
}  // namespace sluice::probe::test
