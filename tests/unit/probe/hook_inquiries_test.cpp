#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/probe/hook_world.hpp"

namespace sluice::probe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class HookCalls : public HookWorld {};

TEST_F(HookCalls, TheHookSeesThePodsAsTheyAreNow) {
    const HookVerdict verdict =
        ask(plain(), transition("backup", expected_pod("web-2"), expected_pod("web-1")));
    EXPECT_TRUE(verdict.allowed);
    ASSERT_EQ(asked.size(), 1u);
    EXPECT_EQ(asked[0].method, "POST");
    EXPECT_EQ(asked[0].target, "/ask");
    EXPECT_EQ(asked[0].headers["content-type"], "application/json");
    EXPECT_EQ(asked[0].headers["idempotency-key"], "key-1");
    EXPECT_THAT(asked[0].headers["user-agent"], StartsWith("sluice/"));
    const std::string status = R"(,"status":{"podIP":"127.0.0.1"}})";
    EXPECT_EQ(asked[0].body,
              R"({"hook":"backup","namespace":"shop","statefulset":"web",)"
              R"("prev":{"kind":"Pod","metadata":{"name":"web-2","uid":"web-2-uid"})" +
                  status +
                  R"(,"next":{"kind":"Pod","metadata":{"name":"web-1","uid":"web-1-uid"})" +
                  status + R"(,"idempotencyKey":"key-1"})");
}

TEST_F(HookCalls, ARefusalBringsItsMessage) {
    hook = [](const Seen&) { return Reply{200, R"({"allowed":false,"message":"not now"})"}; };
    EXPECT_EQ(refusal(plain(), first()), "not now");
}

TEST_F(HookCalls, BodiesThatTheCallerSendsAlongAreNotTrusted) {
    Transition asking = first();
    asking.next->json = R"({"forged":true})";
    asking.next->ip = "10.1.2.3";
    EXPECT_TRUE(ask(plain(), asking).allowed);
    EXPECT_THAT(asked.at(0).body, testing::Not(HasSubstr("forged")));
}

TEST_F(HookCalls, APodOfTheSameNameIsNotTheSamePod) {
    objects["/api/v1/namespaces/shop/pods/web-2"] = {200, pod_json("web-2", "another")};
    EXPECT_EQ(refusal(plain(), first()),
              "pod web-2 was replaced while the hook was about to be asked");
    EXPECT_TRUE(asked.empty());
}

TEST_F(HookCalls, APodThatCannotBeReadHolds) {
    const std::string path = "/api/v1/namespaces/shop/pods/web-2";
    objects.erase(path);
    EXPECT_EQ(refusal(plain(), first()), "pod web-2 does not exist");
    objects[path] = {500, R"({"kind":"Status","message":"etcd is away"})"};
    EXPECT_THAT(refusal(plain(), first()), StartsWith("pod web-2 could not be read: "));
    for (const std::string body : {"", "[]", "{"}) {
        objects[path] = {200, body};
        EXPECT_EQ(refusal(plain(), first()), "pod web-2 was not answered as a JSON object");
    }
    for (const std::string body : {"{}", R"({"metadata":[]})", R"({"metadata":{"uid":7}})"}) {
        objects[path] = {200, body};
        EXPECT_EQ(refusal(plain(), first()),
                  "pod web-2 was replaced while the hook was about to be asked");
    }
    EXPECT_TRUE(asked.empty());
}

TEST_F(HookCalls, AnApiServerThatIsAwayHolds) {
    kube::ApiClient away(loop, std::make_shared<FixedCredentials>(closed_url()), 1);
    caller = std::make_unique<Inquirer>(loop, away, plugins, "hook", true);
    EXPECT_THAT(refusal(plain(), first()), StartsWith("pod web-2 could not be read: cannot reach"));
    caller.reset();
}

TEST_F(HookCalls, AHookThatIsAwayHolds) {
    EXPECT_THAT(refusal(declared({closed_url(), 10s, "", ""}), first()),
                StartsWith("cannot reach 127.0.0.1:"));
}

TEST_F(HookCalls, ARedirectIsNotFollowed) {
    hook = [](const Seen&) { return Reply{302, "", "/elsewhere"}; };
    EXPECT_EQ(refusal(plain(), first()), "hook answered HTTP 302; redirects are not followed");
    EXPECT_EQ(asked.size(), 1u);
}

TEST_F(HookCalls, AnAnswerLargerThanItsBoundRefuses) {
    const std::string yes = R"({"allowed":true})";
    const std::size_t room = api::Ask{}.body_max - yes.size();
    hook = [&](const Seen&) { return Reply{200, yes + std::string(room, ' ')}; };
    EXPECT_TRUE(ask(plain(), first()).allowed);
    hook = [&](const Seen&) { return Reply{200, yes + std::string(room + 1, ' ')}; };
    EXPECT_NE(refusal(plain(), first()), "");
}

TEST_F(HookCalls, AHookThatDoesNotAnswerInTimeRefuses) {
    hook = [](const Seen&) { return Reply{.silent = true}; };
    EXPECT_THAT(refusal(declared({server.url(), 20ms, "", ""}), first()), HasSubstr("20ms"));
}

TEST_F(HookCalls, ACallAsAWholeHasADeadline) {
    hook = [](const Seen&) { return Reply{.silent = true}; };
    open(true, {.deadline = 50ms});
    EXPECT_EQ(refusal(plain(), first()), "the hook gave no verdict within 50ms");
    EXPECT_EQ(caller->in_flight(), 0u);
}

TEST_F(HookCalls, TheStepsOfACallAreBounded) {
    open(true, {.steps_max = 1});
    EXPECT_EQ(refusal(plain(), first()), "the hook gave no verdict within 1 steps");
}

TEST_F(HookCalls, LoopbackIsRefusedUnlessLocalHooksAreAllowed) {
    open(false);
    EXPECT_NE(refusal(plain(), first()), "");
    Transition es = transition("elasticsearch", std::nullopt, expected_pod("web-2"));
    es.annotations["sluice.dev/elasticsearch-port"] = std::to_string(server.port());
    EXPECT_THAT(refusal(plain(), es), StartsWith("pod web-2: GET /_cat/health: "));
    EXPECT_TRUE(asked.empty());
}

TEST_F(HookCalls, LinkLocalIsRefusedEvenForLocalHooks) {
    const HookVerdict verdict = ask(declared({"http://169.254.169.254/x", 10s, "", ""}), first());
    EXPECT_FALSE(verdict.allowed);
    EXPECT_THAT(verdict.message, HasSubstr("169.254.169.254"));
}

TEST_F(HookCalls, AnUnknownHookRefuses) {
    EXPECT_THAT(refusal(plain(), transition("bakup", std::nullopt, expected_pod("web-2"))),
                StartsWith("there is no hook \"bakup\""));
}

TEST_F(HookCalls, ElasticsearchIsSpokenToInOrder) {
    put_secret("login", {200, secret_json({{"username", "elastic"}, {"password", canary}})});
    hook = [](const Seen& request) {
        if (request.target == "/_cluster/settings") return Reply{200, R"({"acknowledged":true})"};
        if (request.target == "/_flush/synced") return Reply{405, "{}"};
        if (request.target == "/_flush") return Reply{200, "{}"};
        return Reply{200, R"([{"status":"green"}])"};
    };
    Transition es = transition("elasticsearch", expected_pod("web-2"), expected_pod("web-1"));
    es.annotations = {{"sluice.dev/elasticsearch-port", std::to_string(server.port())},
                      {"sluice.dev/elasticsearch-secret", "login"}};
    EXPECT_TRUE(ask(plain(), es).allowed);
    std::vector<std::string> requests;
    for (Seen& request : asked) {
        requests.push_back(request.method + " " + request.target);
        EXPECT_EQ(request.headers["authorization"], "Basic " + encode_base64("elastic:" + canary));
    }
    EXPECT_THAT(requests, ElementsAre("PUT /_cluster/settings", "GET /_cat/health?format=json",
                                      "GET /_cat/health?format=json", "PUT /_cluster/settings",
                                      "POST /_flush/synced", "POST /_flush"));
}

}  // namespace
}  // namespace sluice::probe::test
