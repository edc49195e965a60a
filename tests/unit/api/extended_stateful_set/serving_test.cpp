// Which version serves, who follows it, and how long the one before it stays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/extended_stateful_set/services.hpp"
#include "tests/unit/api/extended_stateful_set/extended.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

using namespace testing;
using engine::Action;
using engine::Decision;
using engine::Reason;
using ::testing::HasSubstr;
namespace json = boost::json;

model::CustomObject service(const std::string& selector) {
    model::CustomObject one;
    one.meta = {{"shop", "door"}, "uid-door", 3, 0, false};
    one.annotations = {{std::string{serves_key}, "x"}};
    one.spec = R"({"clusterIP":"10.0.0.1","selector":)" + selector + "}";
    trim_service(one);
    return one;
}

std::string selecting(int version) {
    return fmt::format(R"({{"app":"x","fissile.cloudfoundry.org/version":"{}"}})", version);
}

// Version 2 has just begun to serve, and version 1 is still there.
Known switched(const std::string& strategy) {
    Known known;
    known.object.spec.insert(1, R"("updateStrategy":)" + strategy + ",");
    known.add_version({1}, 2, known.digest());
    known.settled();
    known.object.spec.replace(known.object.spec.find("x:1"), 3, "x:2");
    ++known.object.meta.generation;
    known.settled();
    known.add_version({2}, 2, known.digest());
    known.settled();
    return known;
}

// Version 1 has been there all the time, or has not; now no pod of it is ready, and none ever was.
Known with_new_pods(bool has_served) {
    Known known;
    known.add_version({1}, 2, known.digest());
    if (has_served) known.settled();
    for (model::Pod& pod : known.seen.pods) {
        pod.ready = false;
        pod.never_ready = true;
    }
    known.settled();
    known.object.spec.replace(known.object.spec.find("x:1"), 3, "x:2");
    ++known.object.meta.generation;
    known.settled();
    return known;
}

TEST(Serving, WhoServedStillDoesWhenAllItsPodsAreMadeAnew) {
    EXPECT_EQ(with_new_pods(true).status().exposed, PodCount{0});
}

TEST(Serving, WhoNeverDidHoldsUpNobody) {
    EXPECT_EQ(with_new_pods(false).status().exposed, PodCount{1});
}

TEST(Services, FollowWhomTheirAnnotationNames) {
    EXPECT_EQ(followed_by(service(selecting(1))), (model::Ref{&resource, "shop", "x"}));
    model::CustomObject other = service(selecting(1));
    other.annotations.clear();
    EXPECT_EQ(followed_by(other).name, "");
    other.annotations = {{std::string{serves_key}, "No Name"}};
    EXPECT_EQ(followed_by(other).name, "");
}

TEST(Services, KeepNothingButTheirSelector) {
    EXPECT_EQ(json::parse(service(selecting(1)).spec),
              json::parse(R"({"selector":)" + selecting(1) + "}"));
    model::CustomObject nobodys = service(selecting(1));
    nobodys.annotations.clear();
    trim_service(nobodys);
    EXPECT_EQ(nobodys.spec, "");
    EXPECT_FALSE(has_selector(service("null")));
}

TEST(Services, AreSwitchedInOneWriteAsTheyWereSeen) {
    const Action action = switch_to(service(R"({"app":"x"})"), 2);
    const json::value patch = json::parse(action.body);
    EXPECT_EQ(patch.at(0).at("value"), "uid-door");
    EXPECT_EQ(patch.at(1), json::parse(R"({"op":"test","path":"/spec/selector",)"
                                       R"("value":{"app":"x"}})"));
    EXPECT_EQ(patch.at(2), json::parse(R"({"op":"add","value":"2","path":)"
                                       R"("/spec/selector/fissile.cloudfoundry.org~1version"})"));
    EXPECT_TRUE(selects(service(selecting(2)), 2));
    EXPECT_FALSE(selects(service(selecting(2)), 1));
}

TEST(ExtendedServing, AServiceIsSwitchedWhenAPodIsReadyAndNotBefore) {
    Known known;
    known.add_version({1}, 2, known.digest());
    known.settled();
    known.seen.naming = {service(R"({"app":"x"})")};
    Decision decision = known.settled();
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_EQ(decision.actions[0].object.ref.resource, &model::services);
    for (model::Pod& pod : known.seen.pods)
        pod.ready = false;
    decision = known.settled();
    EXPECT_TRUE(decision.actions.empty());
}

TEST(ExtendedServing, AServiceThatCannotFollowHoldsTheUpgrade) {
    Known known;
    known.add_version({1}, 2, known.digest());
    known.settled();
    known.object.spec.replace(known.object.spec.find("x:1"), 3, "x:2");
    known.seen.naming = {service("null")};
    known.settled();
    EXPECT_EQ(known.status().exposed, PodCount{0});
    EXPECT_EQ(known.status().reason, "ServiceNotSwitched");
    EXPECT_THAT(known.status().message, HasSubstr("Service door has no selector"));
    known.seen.naming = {service(R"({"app":"x"})")};
    known.seen.attempt = engine::Attempt{Action::Verb::Patch,
                                         {&model::services, "shop", "door"},
                                         {},
                                         engine::Refusal{403, "services is forbidden"}};
    known.settled();
    EXPECT_THAT(known.status().message, HasSubstr("Service door was refused: services is"));
    EXPECT_EQ(known.status().exposed, PodCount{0});
}

TEST(ExtendedServing, TheVersionBeforeStaysForItsTime) {
    Known known = switched(R"({"blueGreen":true})");
    EXPECT_EQ(known.status().current, 2);
    EXPECT_EQ(known.status().previous, 1);
    EXPECT_EQ(known.status().reason, "VersionLeaving");
    Decision decision = known.settled();
    EXPECT_TRUE(decision.actions.empty());
    EXPECT_LE(decision.wake_at, noon + 30s);
    known.now = noon + 30s;
    decision = known.settled();
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_EQ(decision.actions[0].verb, Action::Verb::Delete);
}

TEST(ExtendedServing, NoVersionGoesThatAServiceSelects) {
    Known known = switched("{}");
    known.seen.naming = {service(selecting(1))};
    Decision decision = known.settled();
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_EQ(decision.actions[0].object.ref.name, "door") << "it is switched first";
    known.seen.naming = {service(selecting(2)), service(selecting(1))};
    known.seen.naming.back().meta.key.name = "gate";
    known.seen.attempt = engine::Attempt{
        Action::Verb::Patch, {&model::services, "shop", "gate"}, {}, engine::Refusal{403, "no"}};
    decision = known.settled();
    for (const Action& action : decision.actions)
        EXPECT_NE(action.verb, Action::Verb::Delete);
}

TEST(ExtendedServing, WhatIsNotWantedGivesWayToTheVersionBefore) {
    Known known = switched(R"({"scaleDownDelaySeconds":60})");
    known.object.annotations[std::string{abort_key}] = "2";
    const Decision decision = known.settled();
    EXPECT_EQ(known.status().current, 1);
    EXPECT_EQ(known.status().update, 2);
    EXPECT_EQ(known.status().reason, "RolledBack");
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_EQ(decision.actions[0].object.ref.name, "x-v2");
}

TEST(ExtendedServing, WithoutAllPodsOfTheVersionBeforeNothingGivesWay) {
    Known known = switched(R"({"scaleDownDelaySeconds":60})");
    known.seen.pods.front().ready = false;
    known.object.annotations[std::string{abort_key}] = "2";
    known.settled();
    EXPECT_EQ(known.status().current, 2);
}

TEST(ExtendedServing, WhoIsWantedBackStaysAndGrowsWithTheOthers) {
    Known known = switched(R"({"scaleDownDelaySeconds":60})");
    known.object.spec.replace(known.object.spec.find(R"("replicas":2)"), 12, R"("replicas":3)");
    known.seen.sets[1].replicas = PodCount{3};
    known.add_pod({2}, 2);
    known.settled();
    known.object.annotations[std::string{abort_key}] = "2";
    known.now = noon + 1h;
    const Decision decision = known.settled();
    EXPECT_EQ(decision.report.reason, Reason::RollingBack);
    EXPECT_THAT(decision.report.message, HasSubstr("waiting for 3 pods of v1"));
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_EQ(decision.actions[0].object.ref.name, "x-v1");
    EXPECT_THAT(decision.actions[0].body, HasSubstr(R"("path":"/spec/replicas","value":3)"));
    known.seen.sets[0].replicas = PodCount{3};
    known.add_pod({1}, 2);
    known.settled();
    EXPECT_EQ(known.status().current, 1);
}

// Version 2 is on its way, and its canary is there.
Known with_canary() {
    Known known;
    known.object.spec.insert(1, R"("updateStrategy":{"canaries":1},)");
    known.add_version({1}, 2, known.digest());
    known.settled();
    known.object.spec.replace(known.object.spec.find("x:1"), 3, "x:2");
    ++known.object.meta.generation;
    known.settled();
    known.add_version({2}, 1, known.digest());
    known.seen.pods.back().ready = false;
    known.settled();
    return known;
}

TEST(ExtendedServing, ACanaryDoesNotServeBecauseNobodyIsWantedForAWhile) {
    Known known = with_canary();
    EXPECT_EQ(known.status().exposed, PodCount{1});
    known.object.spec.replace(known.object.spec.find(R"("replicas":2)"), 12, R"("replicas":0)");
    known.settled();
    known.seen.pods.clear();
    for (model::StatefulSet& set : known.seen.sets)
        set.replicas = PodCount{0};
    EXPECT_EQ(known.settled().report.reason, Reason::ScaledToZero);
    EXPECT_EQ(known.status().current, 1);
    known.object.spec.replace(known.object.spec.find(R"("replicas":0)"), 12, R"("replicas":2)");
    const Decision decision = known.settled();
    EXPECT_EQ(decision.actions.at(0).object.ref.name, "x-v1") << "it goes on as it was";
    EXPECT_EQ(known.status().exposed, PodCount{1});
}

TEST(ExtendedServing, NothingGoesBackToAVersionThatSomebodyHasDeleted) {
    Known known = with_canary();
    known.object.annotations[std::string{abort_key}] = "2";
    known.settled();
    EXPECT_EQ(known.status().exposed, PodCount{0});
    EXPECT_EQ(known.status().reason, "RollingBack");
    known.seen.sets.erase(known.seen.sets.begin());
    std::erase_if(known.seen.pods, [](const model::Pod& pod) { return pod.owner == "x-v1"; });
    known.settled();
    EXPECT_EQ(known.status().exposed, PodCount{1}) << "its pod is all there is";
    known.object.annotations.erase(std::string{abort_key});
    known.seen.pods.back().ready = true;
    known.settled();
    EXPECT_EQ(known.status().exposed, PodCount{2});
}

// Each look costs a round, and there are only so many.
TEST(ExtendedServing, AllServicesAreLookedAtTogether) {
    Known known = switched("{}");
    known.seen.naming.clear();
    for (int i = 0; i < 9; ++i) {
        known.seen.naming.push_back(service(selecting(2)));
        known.seen.naming.back().meta.key.name = fmt::format("door-{}", i);
    }
    EXPECT_EQ(known.settled().rests_on.size(), 9u);
}

TEST(ExtendedServing, MoreServicesThanCanBeLookedAtAreToldAndHoldEverything) {
    Known known = switched("{}");
    known.seen.naming.assign(services_max + 1, service(selecting(2)));
    EXPECT_TRUE(known.settled().rests_on.empty());
    EXPECT_EQ(known.status().reason, "ServiceNotSwitched");
    EXPECT_THAT(known.status().message, HasSubstr("65 Services follow, and 64 are the most"));
}

}  // namespace
}  // namespace sluice::api::extended_stateful_set
