#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/api/hooks/hook_talk.hpp"

namespace sluice::api::hooks {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Transition with(std::map<std::string, std::string> annotations) {
    Transition moving = transition("elasticsearch", std::nullopt, pod("es-2", "10.0.0.12"));
    moving.annotations = std::move(annotations);
    return moving;
}

Transition with_secret(const std::string& scheme = "https") {
    return with({{"sluice.dev/elasticsearch-secret", "es-login"},
                 {"sluice.dev/elasticsearch-scheme", scheme}});
}

Talk ask(const Transition& asked, Result<Secret> login) {
    return play(HookCatalogue{}, asked, {{}, {{"es-login", std::move(login)}}});
}

std::string refusal(const Transition& asked, Result<Secret> login) {
    const Talk talk = ask(asked, std::move(login));
    EXPECT_TRUE(talk.verdict && !talk.verdict->allowed);
    if (!talk.verdict) return "";
    EXPECT_THAT(talk.verdict->message, Not(HasSubstr(canary)));
    return talk.verdict->message;
}

TEST(ElasticsearchAccess, AnnotationsSetSchemeAndPort) {
    const Talk talk = play(HookCatalogue{},
                           with({{"sluice.dev/elasticsearch-scheme", "https"},
                                 {"sluice.dev/elasticsearch-port", "9243"}}),
                           {});
    EXPECT_THAT(talk.asked, ElementsAre("GET https://10.0.0.12:9243/_cat/health?format=json"));
}

TEST(ElasticsearchAccess, AWrongAnnotationIsNamed) {
    for (const std::string scheme : {"", "HTTP", "ftp", "https "}) {
        EXPECT_EQ(
            refusal(with({{"sluice.dev/elasticsearch-scheme", scheme}}), Secret{}),
            "annotation sluice.dev/elasticsearch-scheme: \"" + scheme + "\" is not http or https");
    }
    for (const std::string port : {"", "0", "65536", "92000", "-1", "9200/x", "09200", "http"}) {
        EXPECT_EQ(refusal(with({{"sluice.dev/elasticsearch-port", port}}), Secret{}),
                  "annotation sluice.dev/elasticsearch-port: \"" + port +
                      "\" is not a port between 1 and 65535");
    }
    for (const std::string name : {"", "Upper", "../x", "a/b", "a b"}) {
        EXPECT_EQ(refusal(with({{"sluice.dev/elasticsearch-secret", name}}), Secret{}),
                  "annotation sluice.dev/elasticsearch-secret: \"" + name +
                      "\" is not the name of a Secret");
    }
}

TEST(ElasticsearchAccess, TheSecretIsFetchedBeforeAnythingIsAsked) {
    const Talk talk = ask(with_secret(), secret({{"apiKey", "k"}}));
    EXPECT_THAT(talk.asked, ElementsAre("secret es-login",
                                        "GET https://10.0.0.12:9200/_cat/health?format=json"));
}

TEST(ElasticsearchAccess, UserAndPasswordBecomeBasicAuthorization) {
    struct Row {
        std::string username, password, authorization;
    };
    for (const Row& row :
         {Row{"elastic", "changeme", "Basic ZWxhc3RpYzpjaGFuZ2VtZQ=="},
          Row{"elastic\n", "changeme\r\n", "Basic ZWxhc3RpYzpjaGFuZ2VtZQ=="},
          Row{"u", "pw", "Basic dTpwdw=="}, Row{"u", "p:w", "Basic dTpwOnc="},
          Row{"u", "p\xff", "Basic dTpw/w=="}, Row{"ab", "cde", "Basic YWI6Y2Rl"}}) {
        const Talk talk = ask(with_secret("http"),
                              secret({{"username", row.username}, {"password", row.password}}));
        ASSERT_EQ(talk.requests.size(), 1u);
        ASSERT_EQ(talk.requests[0].headers.size(), 1u);
        EXPECT_EQ(talk.requests[0].headers[0].name, "Authorization");
        EXPECT_EQ(talk.requests[0].headers[0].value.reveal(), row.authorization);
    }
}

TEST(ElasticsearchAccess, AnApiKeyIsSentAsSuchAndTheAuthorityIsTrusted) {
    const Talk talk = ask(with_secret(), secret({{"apiKey", "abc==\n"}, {"ca.crt", "PEM\n"}}));
    ASSERT_EQ(talk.requests.size(), 1u);
    EXPECT_EQ(talk.requests[0].headers[0].value.reveal(), "ApiKey abc==");
    EXPECT_EQ(talk.requests[0].ca_pem, "PEM");
}

TEST(ElasticsearchAccess, ExactlyOneWayToAuthenticate) {
    const std::string both =
        "Secret shop/es-login: holds both username/password and apiKey; keep one of them";
    EXPECT_EQ(refusal(with_secret(), secret({{"username", canary}, {"apiKey", canary}})), both);
    EXPECT_EQ(refusal(with_secret(),
                      secret({{"username", "u"}, {"password", canary}, {"apiKey", canary}})),
              both);
    EXPECT_EQ(refusal(with_secret(), secret({{"ca.crt", canary}, {"token", canary}})),
              "Secret shop/es-login: needs the keys username and password, or the key apiKey");
    EXPECT_EQ(refusal(with_secret(), secret({{"username", canary}})),
              "Secret shop/es-login: has no key password");
    EXPECT_EQ(refusal(with_secret(), secret({{"password", canary}})),
              "Secret shop/es-login: has no key username");
}

TEST(ElasticsearchAccess, AValueThatCannotBeMeantIsRefusedByItsKey) {
    EXPECT_EQ(refusal(with_secret(), secret({{"username", "u"}, {"password", "\n"}})),
              "Secret shop/es-login: key password is empty");
    EXPECT_EQ(refusal(with_secret(), secret({{"username", canary + ":x"}, {"password", canary}})),
              "Secret shop/es-login: key username must not hold a colon");
    EXPECT_EQ(refusal(with_secret(), secret({{"apiKey", canary + "\r\nX-Evil: 1"}})),
              "Secret shop/es-login: key apiKey holds bytes that a header cannot carry");
    EXPECT_EQ(refusal(with_secret(), secret({{"apiKey", std::string(9000, 'x')}})),
              "Secret shop/es-login: key apiKey is longer than 8 KiB");
    EXPECT_EQ(refusal(with_secret(), secret({{"apiKey", canary}, {"ca.crt", ""}})),
              "Secret shop/es-login: key ca.crt is empty");
    EXPECT_EQ(refusal(with_secret("http"), secret({{"apiKey", canary}, {"ca.crt", canary}})),
              "Secret shop/es-login: key ca.crt is of no use with http; set annotation "
              "sluice.dev/elasticsearch-scheme: https");
}

TEST(ElasticsearchAccess, TheSecretGoesOnlyToThePodsThatItLists) {
    const auto listing = [](const std::string& hosts) {
        Secret made = secret({{"apiKey", canary}});
        made.annotations = {{"sluice.dev/allowed-hosts", hosts}};
        return made;
    };
    for (const std::string hosts : {"10.0.0.12", "x,10.0.0.12:9200"})
        EXPECT_EQ(ask(with_secret(), listing(hosts)).requests.size(), 1u) << hosts;
    for (const std::string hosts : {"prometheus", "10.0.0.11", "10.0.0.12:443"}) {
        EXPECT_EQ(refusal(with_secret(), listing(hosts)),
                  "Secret shop/es-login: its annotation sluice.dev/allowed-hosts does not list the "
                  "host \"10.0.0.12\"");
    }
}

TEST(ElasticsearchAccess, ASecretThatCannotBeReadHolds) {
    EXPECT_EQ(
        refusal(with_secret(), failure(ErrorKind::NotFound, "Secret shop/es-login does not exist")),
        "Secret shop/es-login does not exist");
}

}  // namespace
}  // namespace sluice::api::hooks
