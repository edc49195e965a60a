#include "api/extended_stateful_set/decide.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/annotations.hpp"
#include "tests/unit/api/extended_stateful_set/extended.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

using namespace testing;
using engine::Action;
using engine::Decision;
using engine::Reason;
using ::testing::HasSubstr;
using ::testing::Not;
using Verb = Action::Verb;
namespace json = boost::json;

TEST(ExtendedDecision, ANumberIsWrittenDownBeforeItsSetIsMade) {
    Known known;
    const Decision first = known.decided();
    ASSERT_EQ(first.actions.size(), 1u);
    EXPECT_TRUE(first.actions[0].of_status);
    EXPECT_THAT(first.actions[0].body, HasSubstr(R"("updateVersion":1)"));
    const Decision then = known.settled();
    ASSERT_EQ(then.actions.size(), 1u);
    EXPECT_EQ(then.actions[0].verb, Verb::Create);
    EXPECT_EQ(then.actions[0].object.ref.name, "x-v1");
}

TEST(ExtendedDecision, AVersionIsItsTemplateWithANumber) {
    Known known;
    const json::value set = json::parse(known.settled().actions.at(0).body);
    const json::value& meta = set.at("metadata");
    EXPECT_EQ(meta.at("labels").at("tier"), "data");
    EXPECT_EQ(meta.at("labels").at("fissile.cloudfoundry.org/version"), "1");
    EXPECT_EQ(meta.at("annotations").at("fissile.cloudfoundry.org/version"), "1");
    EXPECT_EQ(meta.at("annotations").at("sluice.dev/claim"), "extendedstatefulset/x");
    EXPECT_EQ(meta.at("ownerReferences").at(0).at("uid"), "uid-x");
    const json::value& spec = set.at("spec");
    EXPECT_EQ(spec.at("replicas"), 2);
    EXPECT_EQ(spec.at("serviceName"), "x");
    for (const json::value* labels : {&spec.at("selector").at("matchLabels"),
                                      &spec.at("template").at("metadata").at("labels")}) {
        EXPECT_EQ(labels->at("app"), "x");
        EXPECT_EQ(labels->at("fissile.cloudfoundry.org/version"), "1");
        EXPECT_EQ(labels->at("sluice.dev/extendedstatefulset"), "x");
    }
    EXPECT_EQ(spec.at("updateStrategy").at("rollingUpdate").at("partition"), 1'000'000);
}

TEST(ExtendedDecision, ACanaryIsMadeBesideTheVersionThatServes) {
    Known known = upgrading();
    const Decision decision = known.settled();
    EXPECT_EQ(known.status().update, 2);
    EXPECT_EQ(known.status().current, 1);
    EXPECT_EQ(known.status().exposed, PodCount{1});
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_EQ(decision.actions[0].object.ref.name, "x-v2");
    EXPECT_EQ(json::parse(decision.actions[0].body).at("spec").at("replicas"), 1);
}

TEST(ExtendedDecision, TheOldVersionGoesOnlyWhenTheNewOneServes) {
    Known known = upgrading();
    known.settled();
    const std::string digest = known.digest();
    known.add_version({2}, 1, digest);
    Decision decision = known.settled();
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_THAT(decision.actions[0].body, HasSubstr("/spec/replicas"));
    EXPECT_EQ(known.status().exposed, PodCount{2});
    known.seen.sets.back().replicas = PodCount{2};
    decision = known.settled();
    EXPECT_TRUE(decision.actions.empty()) << "a pod of the new version is not there yet";
    EXPECT_EQ(known.status().current, 1);
    known.add_pod({2}, 1);
    decision = known.settled();
    EXPECT_EQ(known.status().current, 2);
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_EQ(decision.actions[0].verb, Verb::Delete);
    EXPECT_EQ(decision.actions[0].object.ref.name, "x-v1");
    EXPECT_TRUE(cannot_be_undone(decision.actions[0]));
    for (model::Pod& pod : known.seen.pods)
        if (pod.owner == "x-v2") pod.ready = false;
    EXPECT_TRUE(known.settled().actions.empty()) << "it is the last one that is ready";
}

TEST(ExtendedDecision, AVersionThatFailedIsMarkedAndKeepsItsNumber) {
    Known known = upgrading();
    known.settled();
    const std::string digest = known.digest();
    known.add_version({2}, 1, digest);
    known.seen.pods.back().ready = false;
    known.seen.pods.back().never_ready = true;
    known.settled();
    known.now = noon + 10min + 1s;
    Decision decision = known.settled();
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_THAT(decision.actions[0].body,
                HasSubstr(R"({"op":"replace","path":"/spec/replicas","value":0})"));
    known.seen.sets.back().replicas = PodCount{0};
    known.seen.pods.pop_back();
    decision = known.settled();
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_THAT(decision.actions[0].body, HasSubstr("fissile.cloudfoundry.org~1stale"));
    EXPECT_THAT(decision.actions[0].body, HasSubstr("not reached in time"));
    EXPECT_EQ(known.status().reason, "RolledBack");
    EXPECT_EQ(known.status().current, 1);
    EXPECT_EQ(known.status().update, 2);
}

// A canary that was not ready in time, and was scaled away.
Known failed_once(int retries) {
    Known known = failing(fmt::format(R"("updateStrategy":{{"retryCount":{}}},)", retries));
    known.seen.sets.back().replicas = PodCount{0};
    return known;
}

TEST(ExtendedDecision, TheNextAttemptWaitsUntilThePodsOfTheOneBeforeAreGone) {
    Known known = failed_once(1);
    known.seen.pods.back().meta.deleting = true;
    EXPECT_TRUE(known.settled().actions.empty());
    EXPECT_EQ(known.status().exposed, PodCount{0});
    known.seen.pods.pop_back();
    const Decision decision = known.settled();
    EXPECT_EQ(known.status().attempts, 2);
    EXPECT_EQ(known.status().exposed, PodCount{1});
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_THAT(decision.actions[0].body,
                HasSubstr(R"({"op":"replace","path":"/spec/replicas","value":1})"));
}

TEST(ExtendedDecision, APersonsRetryWaitsForThemToo) {
    Known known = failed_once(0);
    const model::Pod left = known.seen.pods.back();
    known.seen.pods.pop_back();
    known.settled();
    ASSERT_EQ(known.status().reason, "RolledBack");
    known.seen.pods.push_back(left);
    known.object.annotations[model::key::retry] = "1";
    EXPECT_TRUE(known.settled().actions.empty());
    EXPECT_EQ(known.status().exposed, PodCount{0});
    known.seen.pods.pop_back();
    known.settled();
    EXPECT_EQ(known.status().exposed, PodCount{1});
}

TEST(ExtendedDecision, ASetThatTheServerRefusesIsTold) {
    Known known;
    known.settled();
    known.seen.attempt = {Verb::Create,
                          {&model::statefulsets, "shop", "x-v1"},
                          std::nullopt,
                          engine::Refusal{422, "spec.template: Invalid value"}};
    const Decision decision = known.decided();
    EXPECT_EQ(decision.report.reason, Reason::VersionRefused);
    EXPECT_THAT(decision.report.message, HasSubstr("spec.template: Invalid value"));
}

TEST(ExtendedDecision, ASpecThatCannotBeReadChangesNothingButTheReport) {
    Known known = upgrading();
    known.object.spec = R"({"scaling":{"min":-1}})";
    const Decision decision = known.decided();
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_TRUE(decision.actions[0].of_status);
    EXPECT_EQ(decision.report.reason, Reason::InvalidSpec);
}

TEST(ExtendedDecision, OneThatIsDeletedIsLeftToKubernetes) {
    Known known = upgrading();
    known.object.meta.deleting = true;
    EXPECT_TRUE(known.decided().actions.empty());
}

// In two zones with two pods each; the first version serves, and another template is wanted.
Known zoned() {
    return upgrading(R"("zones":["a","b"],)");
}

TEST(ExtendedDecision, AZoneIsWrittenWhereItsPodsSeeIt) {
    Known known;
    known.object.spec.insert(1, R"("zones":["a","b"],"zoneNodeLabel":"rack",)");
    known.object.spec.replace(known.object.spec.find(R"("containers")"), 12,
                              R"("affinity":{"nodeAffinity":{)"
                              R"("requiredDuringSchedulingIgnoredDuringExecution":)"
                              R"({"nodeSelectorTerms":[{"matchExpressions":[)"
                              R"({"key":"disk","operator":"Exists"}]},{}]}}},)"
                              R"("initContainers":[{"name":"i","env":[)"
                              R"({"name":"KUBE_AZ","value":"?"},{"name":"MINE","value":"1"}]}],)"
                              R"("containers")");
    known.add_version({1, 0}, 2, known.digest());
    const json::value set = json::parse(known.settled().actions.at(0).body);
    EXPECT_EQ(set.at("metadata").at("name"), "x-z1-v1");
    const json::value& pod = set.at("spec").at("template");
    for (const json::value* meta : {&set.at("metadata"), &pod.at("metadata")}) {
        EXPECT_EQ(meta->at("labels").at("fissile.cloudfoundry.org/az-index"), "1");
        EXPECT_EQ(meta->at("labels").at("fissile.cloudfoundry.org/az-name"), "b");
        EXPECT_EQ(meta->at("annotations").at("fissile.cloudfoundry.org/zones"), R"(["a","b"])");
    }
    EXPECT_EQ(set.at("spec").at("selector").at("matchLabels").at(std::string{zone_index_key}), "1");
    const std::string variables = json::serialize(pod.at("spec").at("initContainers"));
    for (const char* one :
         {R"({"name":"KUBE_AZ","value":"b"})", R"({"name":"BOSH_AZ","value":"b"})",
          R"({"name":"CF_OPERATOR_AZ","value":"b"})", R"({"name":"AZ_INDEX","value":"2"})",
          R"({"name":"MINE","value":"1"})"})
        EXPECT_THAT(variables, HasSubstr(one));
    EXPECT_THAT(variables, Not(HasSubstr("?")));
    const std::string in_zone = R"({"key":"rack","operator":"In","values":["b"]})";
    EXPECT_EQ(json::serialize(pod.at_pointer(
                  "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/"
                  "nodeSelectorTerms")),
              R"([{"matchExpressions":[{"key":"disk","operator":"Exists"},)" + in_zone +
                  R"(]},{"matchExpressions":[)" + in_zone + "]}]");
}

TEST(ExtendedDecision, TheSecondZoneWaitsForTheFirst) {
    Known known = zoned();
    Decision decision = known.settled();
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_EQ(decision.actions[0].object.ref.name, "x-z0-v2");
    EXPECT_EQ(known.status().exposed, PodCount{1});
    known.add_version({2, 0}, 1, known.digest());
    decision = known.settled();
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_THAT(decision.actions[0].body, HasSubstr("/spec/replicas"));
    known.seen.sets.back().replicas = PodCount{2};
    EXPECT_TRUE(known.settled().actions.empty()) << "the last pod of the first zone is not there";
    known.add_pod({2, 0}, 1);
    decision = known.settled();
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_EQ(decision.actions[0].object.ref.name, "x-z1-v2");
    EXPECT_EQ(known.status().exposed, PodCount{4});
    EXPECT_EQ(known.status().current, 1);
}

TEST(ExtendedDecision, AVersionLeavesOneZoneAfterTheOther) {
    Known known = zoned();
    known.settled();
    for (const int zone : {0, 1})
        known.add_version({2, zone}, 2, known.digest());
    Decision decision = known.settled();
    EXPECT_EQ(known.status().current, 2);
    EXPECT_EQ(known.status().ready, PodCount{4});
    EXPECT_EQ(known.status().selector,
              "sluice.dev/extendedstatefulset=x,fissile.cloudfoundry.org/version=2,"
              "fissile.cloudfoundry.org/az-index=0");
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_EQ(decision.actions[0].verb, Verb::Delete);
    EXPECT_EQ(decision.actions[0].object.ref.name, "x-z0-v1");
    EXPECT_TRUE(decision.actions[0].awaits_owned);
    known.seen.sets.front().meta.deleting = true;
    EXPECT_TRUE(known.settled().actions.empty()) << "its pods are still there";
    known.seen.sets.erase(known.seen.sets.begin());
    decision = known.settled();
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_EQ(decision.actions[0].object.ref.name, "x-z1-v1");
}

TEST(ExtendedDecision, ZonesGiveUpPodsOneAfterTheOther) {
    Known known = zoned();
    known.object.spec.replace(known.object.spec.find("x:2"), 3, "x:1");
    known.object.spec.replace(known.object.spec.find(R"("replicas":2)"), 12, R"("replicas":1)");
    Decision decision = known.settled();
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_EQ(decision.actions[0].object.ref.name, "x-z0-v1");
    known.seen.sets[0].replicas = PodCount{1};
    EXPECT_TRUE(known.settled().actions.empty()) << "a pod of the first zone is still there";
    std::erase_if(known.seen.pods,
                  [](const auto& pod) { return pod.meta.key.name == "x-z0-v1-1"; });
    decision = known.settled();
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_EQ(decision.actions[0].object.ref.name, "x-z1-v1");
}

TEST(ExtendedDecision, OtherZonesAreReachedFromThoseThatServe) {
    Known known = zoned();
    known.object.spec.replace(known.object.spec.find(R"(["a","b"])"), 9, R"(["a","b","c"])");
    for (int zone = 0; zone < 3; ++zone) {
        Decision decision = known.settled();
        ASSERT_EQ(decision.actions.size(), 1u) << zone;
        EXPECT_EQ(decision.actions[0].object.ref.name, fmt::format("x-z{}-v2", zone));
        known.add_version({2, zone}, 2, known.digest());
    }
    known.settled();
    EXPECT_EQ(known.status().current, 2);
}

TEST(ExtendedDecision, PodsOfOthersAreNoMatter) {
    Known known;
    known.add_version({1}, 2, known.digest());
    known.add_pod({9}, 0);
    known.settled();
    EXPECT_EQ(known.status().replicas, PodCount{2});
    EXPECT_EQ(known.status().phase, "Ready");
}

}  // namespace
}  // namespace sluice::api::extended_stateful_set
