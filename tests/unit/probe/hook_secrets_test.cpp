#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/net/certificates.hpp"
#include "tests/unit/probe/hook_world.hpp"

namespace sluice::probe::test {
namespace {

namespace asio = boost::asio;
using testing::HasSubstr;
using testing::StartsWith;

class HookSecrets : public HookWorld {
  protected:
    std::shared_ptr<const HookCatalogue> with_headers() const {
        return declared({server.url("/ask"), 10s, "", "tokens"});
    }
};

TEST_F(HookSecrets, HeadersComeFromTheSecret) {
    put_secret("tokens", {200, secret_json({{"Authorization", "Bearer " + canary + "\n"}})});
    EXPECT_TRUE(ask(with_headers(), first()).allowed);
    EXPECT_EQ(asked.at(0).headers["authorization"], "Bearer " + canary);
}

TEST_F(HookSecrets, ARotatedSecretIsSeenByTheNextCall) {
    put_secret("tokens", {200, secret_json({{"X-Token", "old"}})});
    EXPECT_TRUE(ask(with_headers(), first()).allowed);
    put_secret("tokens", {200, secret_json({{"X-Token", "new"}})});
    EXPECT_TRUE(ask(with_headers(), first()).allowed);
    EXPECT_EQ(asked.at(0).headers["x-token"], "old");
    EXPECT_EQ(asked.at(1).headers["x-token"], "new");
}

TEST_F(HookSecrets, ASecretThatMayNotBeReadNamesTheRoleToBind) {
    put_secret("tokens", {403, R"({"kind":"Status","message":"secrets is forbidden"})"});
    EXPECT_EQ(refusal(with_headers(), first()),
              "Sluice may not read Secret shop/tokens: bind the ClusterRole sluice-secret-reader "
              "in this namespace (docs/hooks.md)");
    EXPECT_TRUE(asked.empty());
}

TEST_F(HookSecrets, ASecretThatIsMissingOrBrokenHolds) {
    EXPECT_EQ(refusal(with_headers(), first()), "Secret shop/tokens does not exist");
    put_secret("tokens", {503, "busy"});
    EXPECT_THAT(refusal(with_headers(), first()),
                StartsWith("Secret shop/tokens could not be read: "));
    put_secret("tokens", {200, "[]"});
    EXPECT_EQ(refusal(with_headers(), first()),
              "Secret shop/tokens was not answered as a JSON object");
    put_secret("tokens", {200, R"({"data":"canary-5f1d"})"});
    EXPECT_EQ(refusal(with_headers(), first()), "Secret shop/tokens: data is not an object");
    for (const std::string value : {R"("canary-5f1d")", "7", "null", R"("YQ=")", R"("YR==")"}) {
        put_secret("tokens", {200, R"({"data":{"X-Token":)" + value + "}}"});
        EXPECT_EQ(refusal(with_headers(), first()),
                  "Secret shop/tokens: key X-Token is not valid base64");
    }
    EXPECT_TRUE(asked.empty());
}

TEST_F(HookSecrets, ASecretWithoutDataHolds) {
    for (const std::string body : {"{}", R"({"data":null})", R"({"data":{}})"}) {
        put_secret("tokens", {200, body});
        EXPECT_EQ(refusal(with_headers(), first()),
                  "Secret shop/tokens: has no keys, so there is no header to send");
    }
}

TEST_F(HookSecrets, AHookThatEchoesItsSecretDoesNotLeakIt) {
    put_secret("tokens", {200, secret_json({{"Authorization", "Bearer " + canary}})});
    hook = [](const Seen& request) {
        return Reply{401, R"({"allowed":false,"message":"bad token )" +
                              request.headers.at("authorization") + "\"}"};
    };
    EXPECT_EQ(refusal(with_headers(), first()), "hook answered HTTP 401: bad token [redacted]");
}

TEST_F(HookSecrets, TheAuthorityOfTheSecretIsTheOnlyOneTrusted) {
    const net::testing::Authority own("own");
    const net::testing::Authority other("other");
    const net::testing::Pem identity = own.issue("hook", "IP:127.0.0.1");
    asio::ssl::context tls(asio::ssl::context::tls_server);
    tls.use_certificate_chain(asio::buffer(identity.cert));
    tls.use_private_key(asio::buffer(identity.key), asio::ssl::context::pem);
    net::testing::ScriptedServer secure(loop, obeying(hook), &tls);
    const auto trusting = declared({secure.url(), 10s, "ca", ""});

    put_secret("ca", {200, secret_json({{"ca.crt", own.pem()}})});
    EXPECT_TRUE(ask(trusting, first()).allowed);
    put_secret("ca", {200, secret_json({{"ca.crt", other.pem()}})});
    EXPECT_THAT(refusal(trusting, first()), HasSubstr("certificate"));
    put_secret("ca", {200, secret_json({{"ca.crt", canary}})});
    EXPECT_THAT(refusal(trusting, first()), HasSubstr("certificate"));
    EXPECT_THAT(refusal(declared({secure.url(), 10s, "", ""}), first()), HasSubstr("certificate"));
}

}  // namespace
}  // namespace sluice::probe::test
