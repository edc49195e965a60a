#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/analysis/inquire.hpp"
#include "api/metrics/prometheus.hpp"
#include "tests/unit/probe/hook_world.hpp"

namespace sluice::probe::test {
namespace {

using namespace api::analysis;
using api::metrics::metric_bounds;
using testing::HasSubstr;

// Web servers and Prometheus, behind one port.
class AnalysisQuestions : public HookWorld {
  protected:
    AnalysisQuestions() {
        hook = [this](const Seen& request) { return peer(request); };
    }

    void open_caller(const std::string& allowed = "", bool allow_local = true,
                     api::InquiryBounds bounds = metric_bounds) {
        hosts = api::read_hosts(allowed).value();
        analyses =
            std::make_unique<Inquirer>(loop, api, plugins, "measurement", allow_local, bounds);
    }
    Inquirer::CallId begin_question(Question question) {
        if (!analyses) open_caller();
        return analyses->begin(
            inquire(*engine::question_of(std::move(question)), api::Asking{"shop", hosts}).value(),
            [this](const api::Said& said) {
                answers.push_back(*engine::opened<MeasurementAnswer>(*said));
            });
    }
    MeasurementAnswer ask(decltype(Question::what) what) {
        answers.clear();
        begin_question({"key", std::move(what)});
        EXPECT_TRUE(answers.empty()) << "never from inside begin()";
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
    WebQuestion web() const {
        WebQuestion question;
        question.provider.url = server.url("/ready");
        question.provider.json_path = "{.ok}";
        return question;
    }

    Handler peer = [](const Seen&) { return Reply{200, R"({"ok":true})"}; };
    std::vector<MeasurementAnswer> answers;
    api::HostList hosts;
    std::unique_ptr<Inquirer> analyses;
};

TEST_F(AnalysisQuestions, AWebServerIsAsked) {
    const MeasurementAnswer answer = ask(web());
    ASSERT_TRUE(std::holds_alternative<Measured>(answer.what)) << why(answer);
    EXPECT_EQ(std::get<Measured>(answer.what).text, "true");
    EXPECT_EQ(asked.at(0).target, "/ready");
    EXPECT_EQ(asked.at(0).method, "GET");
}

TEST_F(AnalysisQuestions, PrometheusIsAskedWithASecretOfTheNamespace) {
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

TEST_F(AnalysisQuestions, ATokenIsAskedForBeforeTheQuestion) {
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

TEST_F(AnalysisQuestions, ForbiddenAddressesAndHostsAreNotAsked) {
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

TEST_F(AnalysisQuestions, ARedirectAndABoundAreSentences) {
    peer = [this](const Seen&) { return Reply{302, "", server.url("/other")}; };
    EXPECT_EQ(why(ask(web())), "the server answered HTTP 302; redirects are not followed");
    EXPECT_EQ(asked.size(), 1u);
    peer = [](const Seen&) { return Reply{.silent = true}; };
    api::InquiryBounds hasty = metric_bounds;
    hasty.deadline = 50ms;
    open_caller("", true, hasty);
    EXPECT_THAT(why(ask(web())), HasSubstr("the measurement gave no verdict within"));
}

TEST_F(AnalysisQuestions, ABoundOfOursIsNoMeasurement) {
    peer = [](const Seen&) { return Reply{.silent = true}; };
    api::InquiryBounds none = metric_bounds;
    none.calls_max = 1;
    none.waiting_max = 0;
    open_caller("", true, none);
    begin_question({"first", web()});
    EXPECT_TRUE(std::holds_alternative<NotAsked>(ask(web()).what));
}

TEST_F(AnalysisQuestions, AQuestionThatWasTakenBackGivesNothing) {
    const auto one = begin_question({"a", web()});
    const auto other = begin_question({"b", web()});
    EXPECT_NE(one, other);
    analyses->cancel(one);
    analyses->cancel(other);
    loop.run_for(50ms);
    EXPECT_TRUE(answers.empty());
    EXPECT_EQ(analyses->in_flight() + analyses->waiting(), 0u);
    begin_question({"c", web()});
    analyses.reset();
    loop.run_for(50ms);
    EXPECT_TRUE(answers.empty());
}

}  // namespace
}  // namespace sluice::probe::test
