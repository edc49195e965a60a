#include "api/analysis/token.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.hpp"
#include "tests/unit/api/analysis/asking.hpp"

namespace sluice::api::analysis {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string token = "token-77c1";
const Answer given{200, "application/json",
                   R"({"access_token":"token-77c1","token_type":"Bearer","expires_in":3600})"};
const Answer unknown_client{401, "", R"({"error":"invalid_client"})"};

WebQuestion with_client(const std::string& url = "https://shop/ready") {
    WebQuestion question = web(url);
    question.provider.oauth2 =
        OAuth2{"https://shop/token", "me & you", "{{args.token}}", {"read", "more"}};
    question.secrets = login;
    return question;
}

std::string header_of(const Ask& ask, std::string_view name) {
    for (const AskHeader& header : ask.headers)
        if (header.name == name) return std::string{header.value.reveal()};
    return "none";
}

TEST(Token, IsAskedForFirstAndCarriedByTheQuestion) {
    const WebQuestion question = with_client();
    FindingStep first = step(question);
    ASSERT_TRUE(std::holds_alternative<NeedSecret>(first));
    const Ask asked = request(question, knowing());
    EXPECT_EQ(asked.method, "POST");
    EXPECT_EQ(asked.url, "https://shop/token");
    EXPECT_EQ(asked.body, "grant_type=client_credentials&scope=read%20more");
    EXPECT_EQ(header_of(asked, "Content-Type"), "application/x-www-form-urlencoded");
    EXPECT_EQ(header_of(asked, "Authorization"),
              "Basic " + encode_base64("me%20%26%20you:canary%2F5f%221d"));
    EXPECT_EQ(asked.timeout, 10s);
    const Ask carried = request(question, knowing({given}));
    EXPECT_EQ(carried.url, "https://shop/ready");
    EXPECT_EQ(header_of(carried, "Authorization"), "Bearer " + token);
    EXPECT_EQ(measured(question, knowing({given, Answer{200, "", "7"}})).text, "7");
    EXPECT_EQ(longest(question), 60s);
}

TEST(Token, IsCarriedByBothWaysToAskPrometheus) {
    PrometheusQuestion question = prometheus();
    question.provider.oauth2 = OAuth2{"http://id/token", "me", "open sesame", {}};
    EXPECT_EQ(request(question).body, "grant_type=client_credentials");
    for (const auto& answers : {std::vector<Result<Answer>>{given},
                                std::vector<Result<Answer>>{given, Answer{405, "", ""}}}) {
        Learnt learnt;
        learnt.answers = answers;
        EXPECT_THAT(request(question, learnt).url, HasSubstr("prom:9090/base/api/v1/query"));
        EXPECT_EQ(header_of(request(question, learnt), "Authorization"), "Bearer " + token);
    }
    EXPECT_EQ(longest(question), 150s);
}

TEST(Token, IsAskedForAgainWithTheClientInTheBody) {
    const WebQuestion question = with_client();
    for (const int status : {400, 401, 403}) {
        const Ask again = request(question, knowing({Answer{status, "", ""}}));
        EXPECT_EQ(again.url, "https://shop/token");
        EXPECT_EQ(again.body,
                  "grant_type=client_credentials&scope=read%20more&client_id=me%20%26%20you&"
                  "client_secret=canary%2F5f%221d");
        EXPECT_EQ(header_of(again, "Authorization"), "none");
    }
    const Ask carried = request(question, knowing({unknown_client, given}));
    EXPECT_EQ(carried.url, "https://shop/ready");
    EXPECT_EQ(header_of(carried, "Authorization"), "Bearer " + token);
    EXPECT_EQ(measured(question, knowing({unknown_client, given, Answer{200, "", "7"}})).text, "7");
}

TEST(Token, WhatIsNoneIsASentence) {
    const auto told = [](std::vector<Result<Answer>> answers) {
        return why(with_client(), knowing(std::move(answers)));
    };
    EXPECT_EQ(told({unknown_client, unknown_client}),
              "the token endpoint answered HTTP 401: invalid_client");
    EXPECT_EQ(told({unknown_client, Answer{400, "", R"({"error":"canary"})"}}),
              "the token endpoint answered HTTP 400");
    EXPECT_EQ(told({Answer{503, "", "{"}}), "the token endpoint answered HTTP 503");
    EXPECT_EQ(told({Answer{302, "", ""}}),
              "the token endpoint answered HTTP 302; redirects are not followed");
    EXPECT_EQ(told({failure(ErrorKind::Timeout, "nothing within 10s")}),
              "the token endpoint gave no answer: nothing within 10s");
    EXPECT_EQ(told({Answer{200, "", "access_token=a"}}), "the token endpoint's answer is not JSON");
    for (const char* body : {"{}", "[]", "7", R"({"access_token":7})", R"({"access_token":""})"})
        EXPECT_EQ(told({Answer{200, "", body}}),
                  "the token endpoint's answer holds no access_token")
            << body;
    EXPECT_EQ(told({Answer{200, "", R"({"access_token":"a","token_type":"mac"})"}}),
              "the token endpoint gave a token of another type than Bearer");
    for (const std::string bad : {"a b", R"(a\nb)", R"(\u00e9)"})
        EXPECT_EQ(told({Answer{200, "", R"({"access_token":")" + bad + R"("})"}}),
                  "the token endpoint gave a token that a header cannot carry")
            << bad;
    EXPECT_EQ(told({Answer{200, "", R"({"access_token":")" + std::string(8193, 'a') + R"("})"}}),
              "the token endpoint gave a token that a header cannot carry");
}

TEST(Token, NoTextRepeatsItOrTheClient) {
    WebQuestion question = with_client();
    const std::string pair = encode_base64("me%20%26%20you:canary%2F5f%221d");
    const Measured echoed = measured(
        question,
        knowing(
            {given, Answer{200, "", R"({"a":"Bearer token-77c1","b":"Basic )" + pair + R"("})"}}));
    EXPECT_EQ(echoed.text, R"({"a":"Bearer [redacted]","b":"Basic [redacted]"})");
    EXPECT_EQ(why(question, knowing({given, failure(ErrorKind::Timeout, "no answer to " + token)})),
              "no answer to [redacted]");
    EXPECT_THAT(why(question, knowing({failure(ErrorKind::Timeout, "lost: " + pair)})),
                HasSubstr("lost: [redacted]"));
    question.secrets = {};
    question.provider.oauth2->client_secret = "open-sesame";
    EXPECT_THAT(measured(question, knowing({given, Answer{200, "", "open-sesame"}})).text,
                Not(HasSubstr("sesame")));
}

TEST(Token, TheClientGoesOnlyWhereItsSecretMay) {
    WebQuestion question = with_client("https://metrics/x");
    EXPECT_THAT(why(question, knowing()),
                HasSubstr("Secret ns/login: may not be sent to https://metrics."));
    question = with_client();
    question.provider.oauth2->token_url = "https://evil/token";
    EXPECT_THAT(why(question, knowing()),
                HasSubstr("Secret ns/login: may not be sent to https://evil."));
    question.provider.oauth2->token_url = "http://shop/token";
    EXPECT_THAT(why(question, knowing()), HasSubstr("may not be sent to http://shop."));
    question = with_client();
    question.provider.insecure = true;
    EXPECT_THAT(why(question, knowing()), HasSubstr("whose certificate is not to be verified"));
    question.secrets = {};
    question.provider.oauth2->client_secret = "open-sesame";
    EXPECT_FALSE(request(question, knowing()).verify);
}

TEST(Token, ASecretOfAHeaderNeedNotGoToTheEndpoint) {
    WebQuestion question = with_client();
    question.provider.oauth2 = OAuth2{"https://id/token", "me", "open sesame", {}};
    question.provider.headers = {{"X-Key", "{{args.token}}"}};
    const Ask asked = request(question, knowing());
    EXPECT_EQ(asked.url, "https://id/token");
    EXPECT_EQ(header_of(asked, "X-Key"), "none");
    EXPECT_EQ(header_of(request(question, knowing({given})), "X-Key"), canary);
}

TEST(Token, TheEndpointMustBeOneThatMayBeAsked) {
    const HostList hosts = read_hosts("shop").value();
    WebQuestion question = with_client();
    question.provider.oauth2->token_url = "https://id/token";
    EXPECT_EQ(why(question, knowing({}, {{"sluice.dev/allowed-hosts", "shop,id"}}), hosts),
              "the host \"id\" is not one that Sluice may ask");
    question.provider.oauth2->token_url = "https://a:b@shop/token";
    EXPECT_THAT(why(question, knowing()), HasSubstr("the tokenUrl must not hold a user"));
}

TEST(Token, NoSecretSaysWhereOrWhatForItIsAsked) {
    const std::string refusal =
        "tokenUrl and scopes must not hang on a Secret: clientId and clientSecret may";
    WebQuestion question = with_client();
    question.provider.oauth2->token_url = "https://shop/{{args.token}}";
    EXPECT_EQ(why(question, knowing()), refusal);
    question = with_client();
    question.provider.oauth2->scopes = {"{{args.token}}"};
    EXPECT_EQ(why(question, knowing()), refusal);
}

}  // namespace
}  // namespace sluice::api::analysis
