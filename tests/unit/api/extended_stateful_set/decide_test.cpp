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
using Verb = Action::Verb;
namespace json = boost::json;

// A version that serves, and another template.
Known upgrading() {
    Known known;
    known.add_version(1, 2, known.digest());
    known.settled();
    known.object.spec.replace(known.object.spec.find("x:1"), 3, "x:2");
    ++known.object.meta.generation;
    return known;
}

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
    known.add_version(2, 1, digest);
    Decision decision = known.settled();
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_THAT(decision.actions[0].body, HasSubstr("/spec/replicas"));
    EXPECT_EQ(known.status().exposed, PodCount{2});
    known.seen.sets.back().replicas = PodCount{2};
    decision = known.settled();
    EXPECT_TRUE(decision.actions.empty()) << "a pod of the new version is not there yet";
    EXPECT_EQ(known.status().current, 1);
    known.add_pod(2, 1);
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
    known.add_version(2, 1, digest);
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

TEST(ExtendedDecision, PodsOfOthersAreNoMatter) {
    Known known;
    known.add_version(1, 2, known.digest());
    known.add_pod(9, 0);
    known.settled();
    EXPECT_EQ(known.status().replicas, PodCount{2});
    EXPECT_EQ(known.status().phase, "Ready");
}

}  // namespace
}  // namespace sluice::api::extended_stateful_set
