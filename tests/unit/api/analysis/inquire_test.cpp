#include "api/analysis/inquire.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/base64.hpp"
#include "tests/unit/api/analysis/asking.hpp"

namespace sluice::api::analysis {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::Not;

Answer vector_of(const std::string& samples) {
    return {200, "",
            R"({"status":"success","data":{"resultType":"vector","result":[)" + samples + "]}}"};
}
Answer range_of(const std::string& series) {
    return {200, "",
            R"({"status":"success","data":{"resultType":"matrix","result":[)" + series + "]}}"};
}
std::string sample(const std::string& text) {
    return R"({"metric":{},"value":[1,")" + text + R"("]})";
}

TEST(InquirePrometheus, TheQueryGoesByPostAndThenByGet) {
    PrometheusQuestion question = prometheus();
    question.provider.headers = {{"X-Scope-OrgID", "a"}};
    question.provider.timeout = 7s;
    question.provider.insecure = true;
    const Ask first = request(question);
    EXPECT_EQ(first.method, "POST");
    EXPECT_EQ(first.url, "http://prom:9090/base/api/v1/query");
    EXPECT_EQ(first.body, "query=up");
    EXPECT_EQ(first.headers.at(0).name, "X-Scope-OrgID");
    EXPECT_EQ(first.timeout, 7s);
    EXPECT_FALSE(first.verify);
    Learnt refused;
    refused.answers.emplace_back(Answer{405, "", ""});
    EXPECT_EQ(request(question, refused).url, "http://prom:9090/base/api/v1/query?query=up");
    EXPECT_EQ(longest(question), 44s);
}

TEST(InquirePrometheus, AVectorIsAListAndAScalarANumber) {
    const auto read = [](const Answer& answer) {
        Learnt learnt;
        learnt.answers.emplace_back(answer);
        return measured(prometheus(), learnt);
    };
    EXPECT_EQ(read(vector_of(sample("0.5") + "," + sample("7"))).text, "[0.5,7]");
    EXPECT_EQ(read(vector_of("")).text, "[]");
    EXPECT_EQ(read(vector_of(sample("NaN"))).text, "[NaN]");
    EXPECT_TRUE(std::isnan(*read(vector_of(sample("NaN"))).value.if_array()->at(0).number()));
    EXPECT_EQ(*read(vector_of(sample("-Inf"))).value.if_array()->at(0).number(), -HUGE_VAL);
    const Measured scalar = read(
        {200, "", R"({"status":"success","data":{"resultType":"scalar","result":[1,"2.5"]}})"});
    EXPECT_EQ(scalar.value.number(), 2.5);
}

PrometheusQuestion over_a_span() {
    PrometheusQuestion question = prometheus();
    question.provider.range =
        RangeQuery{"now() - duration(\"5m\")", "now()", Duration{90s + 500ms}};
    question.at = *parse_rfc3339("2026-01-31T12:00:00.250Z");
    return question;
}

TEST(InquirePrometheus, ASpanIsAskedForFromTheTimeOfTheQuestion) {
    const Ask first = request(over_a_span());
    EXPECT_EQ(first.method, "POST");
    EXPECT_EQ(first.url, "http://prom:9090/base/api/v1/query_range");
    EXPECT_EQ(first.body, "query=up&start=1769860500.250&end=1769860800.250&step=90.500");
    Learnt refused;
    refused.answers.emplace_back(Answer{405, "", ""});
    EXPECT_EQ(request(over_a_span(), refused).url,
              "http://prom:9090/base/api/v1/query_range?query=up&start=1769860500.250&"
              "end=1769860800.250&step=90.500");
}

TEST(InquirePrometheus, ARangeIsTheListOfAllItsSamples) {
    Learnt learnt;
    learnt.answers.emplace_back(range_of(R"({"metric":{"a":"x"},"values":[[1,"2"],[2,"NaN"]]},)"
                                         R"({"metric":{"a":"y"},"values":[[1,"0.5"]]})"));
    EXPECT_EQ(measured(over_a_span(), learnt).text, "[2,NaN,0.5]");
    EXPECT_EQ(measured(prometheus(), learnt).text, "[2,NaN,0.5]");
    learnt.answers = {range_of("")};
    EXPECT_EQ(measured(over_a_span(), learnt).text, "[]");
}

TEST(InquirePrometheus, ASpanThatIsNoneIsASentence) {
    PrometheusQuestion question = over_a_span();
    question.provider.range->start = "yesterday";
    EXPECT_THAT(why(question), HasSubstr("rangeQuery.start must be a time such as now()"));
    question.provider.range->start = "{{args.token}}";
    EXPECT_THAT(why(question), HasSubstr("rangeQuery.start must be a time"));
    question = over_a_span();
    question.provider.range->end = "now() - duration(\"6m\")";
    EXPECT_EQ(why(question), "rangeQuery.end must not be before rangeQuery.start");
    question.provider.range->end = "";
    EXPECT_THAT(why(question), HasSubstr("rangeQuery.end must be a time"));
    question.provider.range->step = Placeholder{"{{args.token}}"};
    EXPECT_EQ(why(question), "rangeQuery.step must not hang on a Secret");
}

TEST(InquirePrometheus, WhatIsNoAnswerIsASentence) {
    const auto told = [](Result<Answer> answer) {
        Learnt learnt;
        learnt.answers.push_back(std::move(answer));
        return why(prometheus(), learnt);
    };
    EXPECT_EQ(told(Answer{500, "", "oops"}), "Prometheus answered HTTP 500");
    EXPECT_EQ(told(Answer{200, "", "oops"}), "Prometheus's answer is not JSON");
    EXPECT_EQ(told(failure(ErrorKind::Timeout, "no answer within 30s")), "no answer within 30s");
    for (const Answer& answer :
         {vector_of(R"({"metric":{},"histogram":[1,{"count":"1"}]})"),
          range_of(R"({"metric":{},"histograms":[[1,{"count":"1"}]]})"),
          range_of(R"({"metric":{},"values":[[1,"2"]],"histograms":[[1,{"count":"1"}]]})")})
        EXPECT_EQ(told(answer), "Prometheus's answer holds a histogram") << answer.body;
    PrometheusQuestion broken = prometheus();
    broken.provider.query = "sum(up";
    EXPECT_THAT(why(broken), HasSubstr("the query "));
    broken = prometheus();
    broken.provider.address = "http://user:pw@prom";
    EXPECT_THAT(why(broken), HasSubstr("must not hold a user or password"));
}

TEST(InquireWeb, TheRequestIsWhatTheTemplateSays) {
    WebQuestion question = web("https://shop/a?b=c");
    question.provider.method = Method::Put;
    question.provider.body = R"({"a":1})";
    question.provider.body_is_json = true;
    question.provider.timeout = 20s;
    const Ask ask = request(question);
    EXPECT_EQ(ask.method, "PUT");
    EXPECT_EQ(ask.url, "https://shop/a?b=c");
    EXPECT_EQ(ask.body, R"({"a":1})");
    EXPECT_EQ(ask.headers.at(0).value.reveal(), "application/json");
    EXPECT_EQ(ask.timeout, 20s);
    EXPECT_TRUE(ask.verify);
    EXPECT_EQ(longest(question), 50s);
}

TEST(InquireWeb, AnAnswerIsReadByItsPath) {
    const auto read = [](const std::string& body, const std::string& path) {
        WebQuestion question = web();
        question.provider.json_path = path;
        Learnt learnt;
        learnt.answers.emplace_back(Answer{200, "", body});
        return measured(question, learnt).text;
    };
    EXPECT_EQ(read(R"({"data":{"ok":true,"n":3}})", "{$.data}"), R"({"n":3,"ok":true})");
    EXPECT_EQ(read(R"({"data":{"n":3}})", "{$.data.n}"), "3");
    EXPECT_EQ(read(R"([1,2])", ""), "[1,2]");
    EXPECT_EQ(read("all is well", ""), R"("all is well")");
    EXPECT_EQ(read("all is well", "{$.data}"), R"("all is well")") << "as in the original";
}

TEST(InquireWeb, WhatIsNoAnswerIsASentence) {
    const auto told = [](Answer answer, const std::string& path) {
        WebQuestion question = web();
        question.provider.json_path = path;
        Learnt learnt;
        learnt.answers.emplace_back(std::move(answer));
        return why(question, learnt);
    };
    EXPECT_EQ(told({503, "", "{}"}, ""), "the server answered HTTP 503");
    EXPECT_EQ(told({302, "", ""}, ""), "the server answered HTTP 302; redirects are not followed");
    for (const char* path : {"", "{.a}"})
        EXPECT_EQ(told({200, "", "\xff"}, path), "the answer is neither JSON nor a text in UTF-8");
    EXPECT_THAT(told({200, "", "{}"}, "{.a}"), HasSubstr("jsonPath: "));
}

TEST(InquireSecrets, EachIsFetchedAndPutIntoItsHeader) {
    WebQuestion question = web();
    question.secrets = login;
    question.provider.headers = {{"Authorization", "Bearer {{ args.token }}"}};
    FindingStep first = step(question);
    ASSERT_TRUE(std::holds_alternative<NeedSecret>(first));
    EXPECT_EQ(std::get<NeedSecret>(first).name, "login");
    const Ask ask = request(question, knowing());
    EXPECT_EQ(ask.headers.at(0).value.reveal(), "Bearer " + canary);
}

TEST(InquireSecrets, NoneStandsOutsideOfAHeader) {
    WebQuestion in_url = web("https://shop/x?key={{args.token}}");
    in_url.secrets = login;
    EXPECT_EQ(why(in_url, knowing()), "the url must not hang on a Secret: headers may");
    WebQuestion in_body = web();
    in_body.secrets = login;
    in_body.provider.body = "{{args.token}}";
    EXPECT_EQ(why(in_body, knowing()), "the body must not hang on a Secret: headers may");
    PrometheusQuestion in_query = prometheus();
    in_query.secrets = login;
    in_query.provider.query = "up{a=\"{{args.token}}\"}";
    EXPECT_EQ(why(in_query, knowing()), "the query must not hang on a Secret: headers may");
    PrometheusQuestion in_address = prometheus();
    in_address.secrets = login;
    in_address.provider.address = "http://prom/{{args.token}}";
    EXPECT_EQ(why(in_address, knowing()), "the address must not hang on a Secret: headers may");
}

TEST(InquireSecrets, AnEchoDoesNotReachTheStatus) {
    WebQuestion question = web();
    question.secrets = login;
    question.provider.headers = {{"Authorization", "{{args.token}}"}};
    const std::string in_base64 = "\"" + encode_base64(canary) + "\"";
    for (const std::string& body : {std::string{R"({"got":"canary/5f\"1d"})"},
                                    std::string{R"("/x?key=canary%2F5f%221d")"}, in_base64}) {
        const Measured echoed = measured(question, knowing({Answer{200, "", body}}));
        EXPECT_THAT(echoed.text, Not(HasSubstr("canary"))) << body;
        EXPECT_THAT(echoed.text, Not(HasSubstr(encode_base64(canary)))) << body;
        EXPECT_THAT(echoed.text, HasSubstr("[redacted]"));
    }
    const std::string told =
        why(question, knowing({failure(ErrorKind::Timeout, "no answer to " + canary)}));
    EXPECT_EQ(told, "no answer to [redacted]");
}

TEST(InquireSecrets, TheyGoOnlyWhereTheyMay) {
    WebQuestion question = web();
    question.secrets = login;
    EXPECT_EQ(why(question, knowing({}, {{"sluice.dev/allowed-hosts", "prom"}})),
              "Secret ns/login: may not be sent to https://shop. To allow it: kubectl -n ns "
              "annotate --overwrite secret login sluice.dev/allowed-hosts=prom,shop, or start the "
              "operator with --allowed-metric-hosts=shop");
    question.provider.insecure = true;
    EXPECT_THAT(why(question, knowing()), HasSubstr("whose certificate is not to be verified"));
    question.provider.insecure = false;
    question.secrets = {{"token", {"login", "none"}}};
    EXPECT_EQ(why(question, knowing()), "Secret ns/login: has no key none");
    question.secrets = {{"token", {"../x", "key"}}};
    EXPECT_EQ(why(question, knowing()), "\"../x\" is not the name of a Secret");
}

TEST(InquireHosts, OnlyAllowedHostsAreAskedAndNoSecretIsFetchedForOthers) {
    const HostList hosts = read_hosts("prom").value();
    WebQuestion question = web();
    question.secrets = login;
    EXPECT_EQ(why(question, {}, hosts), "the host \"shop\" is not one that Sluice may ask");
    EXPECT_TRUE(std::holds_alternative<Ask>(step(prometheus(), {}, hosts)));
}

TEST(InquireHeaders, WhatMakesTheRequestIsNotForUsersToSay) {
    for (const char* name :
         {"Host", "content-length", "Transfer-Encoding", "Proxy-Authorization", "a b", "", "x:"}) {
        WebQuestion question = web();
        question.provider.headers = {{name, "x"}};
        EXPECT_THAT(why(question), HasSubstr("is not one that can be sent")) << name;
    }
    WebQuestion question = web();
    question.provider.headers = {{"X-A", "a\r\nb"}};
    EXPECT_EQ(why(question),
              "the value of the header \"X-A\" holds bytes that a header cannot carry");
}

}  // namespace
}  // namespace sluice::api::analysis
