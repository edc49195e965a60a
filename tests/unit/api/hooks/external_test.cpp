#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/api/hooks/hook_talk.hpp"

namespace sluice::api::hooks {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

HookCatalogue declared(ExternalHook hook) {
    HookCatalogue catalogue;
    catalogue.external.emplace("backup", std::move(hook));
    return catalogue;
}

const std::string url = "https://backup.ops.svc/ask";
const HookCatalogue plain = declared({url, 7s, "", ""});
const HookCatalogue with_headers = declared({url, 7s, "", "tokens"});

Transition moving() {
    return transition("backup", pod("web-2", "10.0.0.2"), std::nullopt);
}

HookVerdict verdict_on(const Result<Answer>& given) {
    return play(plain, moving(), {{given}, {}}).verdict.value();
}

std::string refusal(const Result<Answer>& given) {
    const HookVerdict verdict = verdict_on(given);
    EXPECT_FALSE(verdict.allowed);
    return verdict.message;
}

Talk ask_with(Secret headers) {
    return play(with_headers, moving(), {{}, {{"tokens", std::move(headers)}}});
}

std::string header_refusal(Secret headers) {
    const Talk talk = ask_with(std::move(headers));
    EXPECT_TRUE(talk.verdict && !talk.verdict->allowed);
    if (!talk.verdict) return "";
    EXPECT_THAT(talk.verdict->message, Not(HasSubstr(canary)));
    return talk.verdict->message;
}

TEST(ExternalHook, IsAskedOnceWithBothPods) {
    Transition both = moving();
    both.next = pod("web-1", "10.0.0.1");
    const Talk talk = play(plain, both, {{answer(204)}, {}});
    EXPECT_THAT(talk.asked,
                ElementsAre("POST https://backup.ops.svc/ask "
                            R"({"hook":"backup","namespace":"shop","statefulset":"es",)"
                            R"("prev":{"metadata":{"name":"web-2"}},)"
                            R"("next":{"metadata":{"name":"web-1"}},"idempotencyKey":"key-1"})"));
    EXPECT_TRUE(talk.verdict->allowed);
    EXPECT_EQ(talk.requests[0].timeout, Duration{7s});
    ASSERT_EQ(talk.requests[0].headers.size(), 2u);
    EXPECT_EQ(talk.requests[0].headers[0].name, "Content-Type");
    EXPECT_EQ(talk.requests[0].headers[0].value.reveal(), "application/json");
    EXPECT_EQ(talk.requests[0].headers[1].name, "Idempotency-Key");
    EXPECT_EQ(talk.requests[0].headers[1].value.reveal(), "key-1");
}

TEST(ExternalHook, AnAbsentPodIsNull) {
    EXPECT_THAT(play(plain, moving(), {}).asked.at(0), HasSubstr(R"("next":null)"));
    const Transition first = transition("backup", std::nullopt, pod("web-2", ""));
    EXPECT_THAT(play(plain, first, {}).asked.at(0), HasSubstr(R"("prev":null)"));
}

TEST(ExternalHook, APodThatIsNoJsonObjectIsNotSent) {
    for (const std::string json : {"", "{", "[]", "null", R"({"a":1} x)"}) {
        Transition broken = moving();
        broken.prev->json = json;
        const Talk talk = play(plain, broken, {});
        EXPECT_TRUE(talk.requests.empty());
        EXPECT_EQ(talk.verdict.value().message, "pod web-2 cannot be read as JSON");
    }
}

TEST(ExternalHook, ConsentIsA2xxWithoutABodyOrWithAllowedTrue) {
    for (const Result<Answer>& given :
         {answer(200), answer(204), answer(299), answer(200, " \r\n"),
          answer(200, R"({"allowed":true})"), answer(201, R"({"allowed":true,"message":7})"),
          answer(200, R"( {"extra":{"allowed":false},"allowed":true} )")}) {
        EXPECT_TRUE(verdict_on(given).allowed) << given->status << given->body;
    }
    EXPECT_EQ(verdict_on(answer(200, R"({"allowed":true,"message":"go"})")).message, "go");
}

TEST(ExternalHook, ARefusalCarriesTheHooksMessage) {
    EXPECT_EQ(refusal(answer(200, R"({"allowed":false,"message":"backup running"})")),
              "backup running");
    EXPECT_EQ(refusal(answer(200, R"({"allowed":false})")), "hook refused without a message");
    EXPECT_EQ(refusal(answer(200, R"({"allowed":false,"message":null})")),
              "hook refused without a message");
}

TEST(ExternalHook, AnAnswerThatCannotBeReadRefusesAndSaysWhy) {
    struct Row {
        std::string body, message;
    };
    const std::string not_json = "hook's answer is not JSON";
    const std::string how = ", not as true or false";
    for (const Row& row : {
             Row{"OK", not_json},
             Row{"{", not_json},
             Row{R"({"allowed":true)", not_json},
             Row{R"({"allowed":true} {})", not_json},
             Row{R"({'allowed':true})", not_json},
             Row{R"({"allowed":True})", not_json},
             Row{"{\"allowed\":true,\"x\":\"\xff\"}", not_json},
             Row{R"({"allowed":true,"x":)" + std::string(40, '[') + std::string(40, ']') + "}",
                 not_json},
             Row{std::string(60'000, '['), not_json},
             Row{"<html>canary-5f1d</html>", not_json},
             Row{"true", "hook's answer is a boolean, not a JSON object"},
             Row{"null", "hook's answer is null, not a JSON object"},
             Row{"1", "hook's answer is a number, not a JSON object"},
             Row{R"("allowed")", "hook's answer is a string, not a JSON object"},
             Row{R"([{"allowed":true}])", "hook's answer is an array, not a JSON object"},
             Row{"{}", "hook's answer does not say allowed"},
             Row{R"({"Allowed":true})", "hook's answer does not say allowed"},
             Row{R"({"response":{"allowed":true}})", "hook's answer does not say allowed"},
             Row{R"({"allowed":"true"})", "hook's answer gives allowed as a string" + how},
             Row{R"({"allowed":1})", "hook's answer gives allowed as a number" + how},
             Row{R"({"allowed":null})", "hook's answer gives allowed as null" + how},
             Row{R"({"allowed":[true]})", "hook's answer gives allowed as an array" + how},
             Row{R"({"allowed":{}})", "hook's answer gives allowed as an object" + how},
             Row{R"({"allowed":false,"allowed":true})", "hook's answer gives allowed twice"},
         }) {
        EXPECT_EQ(refusal(answer(200, row.body)), row.message) << row.body.substr(0, 80);
    }
}

TEST(ExternalHook, AnotherStatusThan2xxRefuses) {
    EXPECT_EQ(refusal(answer(503)), "hook answered HTTP 503");
    EXPECT_EQ(refusal(answer(500, "stack trace")), "hook answered HTTP 500");
    EXPECT_EQ(refusal(answer(404, R"({"message":"x"})")), "hook answered HTTP 404");
    EXPECT_EQ(refusal(answer(500, R"({"allowed":true})")), "hook answered HTTP 500");
    EXPECT_EQ(refusal(answer(409, R"({"allowed":false,"message":"backup running"})")),
              "hook answered HTTP 409: backup running");
    EXPECT_EQ(refusal(answer(302)), "hook answered HTTP 302; redirects are not followed");
    EXPECT_EQ(refusal(answer(199)), "hook answered HTTP 199");
}

TEST(ExternalHook, AFailedRequestRefusesWithItsSentence) {
    EXPECT_EQ(refusal(failure(ErrorKind::Timeout, "no answer within 7s")), "no answer within 7s");
    EXPECT_EQ(refusal(failure(ErrorKind::TooLarge, "the answer is larger than 64 KiB")),
              "the answer is larger than 64 KiB");
}

TEST(ExternalHook, MessagesAreOneCleanLineOf256Bytes) {
    EXPECT_EQ(
        refusal(answer(200, R"({"allowed":false,"message":"a\u0000b\u001b[31mc\nd\u202ee"})")),
        "ab[31mc de");
    std::string umlauts;
    for (int i = 0; i < 200; ++i)
        umlauts += "ü";
    const std::string even =
        refusal(answer(200, R"({"allowed":false,"message":")" + umlauts + "\"}"));
    EXPECT_EQ(even, umlauts.substr(0, 256));
    const std::string odd =
        refusal(answer(200, R"({"allowed":false,"message":"x)" + umlauts + "\"}"));
    EXPECT_EQ(odd, "x" + umlauts.substr(0, 254));
}

TEST(ExternalHook, ASecretBecomesHeaders) {
    const Talk talk = ask_with(secret({{"Authorization", "Bearer t\n"}, {"X-Team", "db"}}));
    EXPECT_EQ(talk.asked.at(0), "secret tokens");
    const std::vector<AskHeader>& headers = talk.requests.at(0).headers;
    ASSERT_EQ(headers.size(), 4u);
    EXPECT_EQ(headers[0].name, "Authorization");
    EXPECT_EQ(headers[0].value.reveal(), "Bearer t");
    EXPECT_EQ(headers[1].name, "X-Team");
    EXPECT_EQ(headers[3].name, "Idempotency-Key");
}

TEST(ExternalHook, ASecretMayNotSetTheHeadersThatFrameTheRequest) {
    for (const std::string name :
         {"Host", "Content-Length", "Transfer-Encoding", "Connection", "Idempotency-Key",
          "content-type", "HOST", "Expect", "Upgrade", "TE", "Trailer", "Keep-Alive"}) {
        EXPECT_EQ(header_refusal(secret({{name, canary}})),
                  "Secret shop/tokens: key " + name + " names a header that a Secret may not set");
    }
}

TEST(ExternalHook, ASecretThatMakesNoHeadersIsRefusedByItsKey) {
    for (const std::string name : {"", "X Y", "X:", "Ünicode", "X(1)"}) {
        EXPECT_EQ(header_refusal(secret({{name, canary}})),
                  "Secret shop/tokens: key " + name + " is not the name of a header");
    }
    EXPECT_EQ(header_refusal(secret({{"X", canary + "\r\nHost: evil"}})),
              "Secret shop/tokens: key X holds bytes that a header cannot carry");
    EXPECT_EQ(header_refusal(secret({{"X", canary + std::string(1, '\0')}})),
              "Secret shop/tokens: key X holds bytes that a header cannot carry");
    EXPECT_EQ(header_refusal({}), "Secret shop/tokens: has no keys, so there is no header to send");
    EXPECT_EQ(header_refusal(secret({{"X", ""}})), "Secret shop/tokens: key X is empty");
    EXPECT_EQ(header_refusal(secret({{"X-A", canary}, {"x-a", canary}})),
              "Secret shop/tokens: key x-a names the same header as another");
    std::map<std::string, std::string> many;
    for (int i = 0; i < 33; ++i)
        many["X-" + std::to_string(i)] = canary;
    EXPECT_EQ(header_refusal(secret(many)), "Secret shop/tokens: has more than 32 keys");
}

TEST(ExternalHook, ASecretGoesOnlyToTheHostsThatItLists) {
    const auto listing = [](const std::string& hosts) {
        Secret made = secret({{"X-Token", canary}});
        made.annotations = {{"sluice.dev/allowed-hosts", hosts}};
        return made;
    };
    for (const std::string hosts : {"backup.ops.svc", "x, *.ops.svc:443"})
        EXPECT_EQ(ask_with(listing(hosts)).requests.size(), 1u) << hosts;
    for (const std::string hosts : {"", "other", "backup.ops.svc:80"}) {
        EXPECT_EQ(header_refusal(listing(hosts)),
                  "Secret shop/tokens: its annotation sluice.dev/allowed-hosts does not list the "
                  "host \"backup.ops.svc\"");
    }
}

TEST(ExternalHook, AnAuthorityComesFromItsSecret) {
    const HookCatalogue trusted = declared({url, 10s, "ca", ""});
    const Talk talk = play(trusted, moving(), {{}, {{"ca", secret({{"ca.crt", "PEM\n"}})}}});
    EXPECT_EQ(talk.asked.at(0), "secret ca");
    EXPECT_EQ(talk.requests.at(0).ca_pem, "PEM");
    EXPECT_EQ(play(trusted, moving(), {{}, {{"ca", secret({{"tls.crt", canary}})}}})
                  .verdict.value()
                  .message,
              "Secret shop/ca: has no key ca.crt");
    const Result<Secret> unreadable = failure(ErrorKind::Forbidden, "Sluice may not read it");
    const HookVerdict held = play(trusted, moving(), {{}, {{"ca", unreadable}}}).verdict.value();
    EXPECT_FALSE(held.allowed);
    EXPECT_EQ(held.message, "Sluice may not read it");
}

TEST(ExternalHook, AHookThatEchoesItsSecretDoesNotLeakIt) {
    const std::map<std::string, std::string> headers{{"Authorization", "Bearer " + canary + "\n"},
                                                     {"X-Pin", canary.substr(0, 5)}};
    for (const std::string message :
         {"got Bearer canary-5f1d", "got canary-5f1d", "canary-5f1dcanary-5f1d",
          "can\\u0001ary-5f1d", "canary-\\u200b5f1d"}) {
        for (const int status : {200, 401}) {
            const Result<Answer> echo =
                answer(status, R"({"allowed":false,"message":")" + message + "\"}");
            const HookVerdict verdict =
                play(with_headers, moving(), {{echo}, {{"tokens", secret(headers)}}})
                    .verdict.value();
            EXPECT_FALSE(verdict.allowed);
            EXPECT_THAT(verdict.message, HasSubstr("[redacted]"));
            EXPECT_THAT(verdict.message, Not(HasSubstr("canary")));
        }
    }
}

}  // namespace
}  // namespace sluice::api::hooks
