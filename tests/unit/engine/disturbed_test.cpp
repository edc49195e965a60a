// What others do to the gate in mid-rollout, and what becomes of the rollout then.
#include <gtest/gtest.h>

#include "tests/unit/engine/steered.hpp"

namespace sluice::engine {
namespace {

using namespace testing;
namespace key = model::key;

// Somebody else has written this partition since our last look.
Snapshot set_to(int partition, Snapshot look) {
    look.workload.partition = Partition{partition};
    look.workload.observed_generation = ++look.workload.meta.generation;
    return look;
}

// A manifest that holds the number of replicas is applied while four of five pods are on B.
Snapshot manifest_applied() {
    return set_to(5, open_at(5, 1));
}

TEST(OpenedGate, WhoOpenedItIsNamedWhereItIsKnown) {
    Snapshot look = set_to(0, open_at(3, 2));
    EXPECT_EQ(told(steer(look, course(), noon), Reason::GateBypassed),
              "Somebody else lowered the partition from 2 to 0; Sluice put it back.");
    look.workload.partition_owner = "kubectl-edit";
    EXPECT_EQ(told(steer(look, course(), noon), Reason::GateBypassed),
              "Field manager kubectl-edit lowered the partition from 2 to 0; Sluice put it back.");
}

TEST(AppliedManifest, TheGateGoesBackAsFarAsTheStepAllowsNow) {
    Plan plan = step_to(5);
    EXPECT_EQ(moved_to(steer(manifest_applied(), course(plan), noon)), Partition{1});
    plan.exposed_max = PodCount{2};
    EXPECT_EQ(moved_to(steer(manifest_applied(), course(plan), noon)), Partition{3});
    plan.exposed_max = PodCount{9};
    EXPECT_EQ(moved_to(steer(manifest_applied(), course(plan), noon)), Partition{1});
}

TEST(AppliedManifest, WhatWasCollectedAtTheStepCountsOnIfTheGateIsBackWhereItWas) {
    const auto subject = [](const Snapshot& look) { return check_subject(look, "one"); };
    Snapshot look = manifest_applied();
    const Snapshot back = then(look, steer(look, course(step_to(5)), noon));
    EXPECT_EQ(back.workload.partition, Partition{1});
    EXPECT_EQ(subject(back), subject(open_at(5, 1)));
    look.pods[1] = pod(1, "A");
    const Snapshot further_up = then(look, steer(look, course(step_to(5)), noon));
    EXPECT_EQ(further_up.workload.partition, Partition{2});
    EXPECT_EQ(recall(further_up.workload)->generation, further_up.workload.meta.generation)
        << "its gates are asked again";
}

TEST(AppliedManifest, ARolloutThatFailedMeanwhileIsNotPutForwardAgain) {
    Plan plan = step_to(5);
    plan.throughout = {Analysis{.state = Analysis::State::Bad,
                                .reason = Reason::AnalysisRunFailed,
                                .message = "Too many errors."}};
    const Decision decision = steer(manifest_applied(), course(plan), noon);
    EXPECT_EQ(moved_to(decision), closed_partition);
    EXPECT_EQ(told(decision, Reason::AnalysisRunFailed), "Too many errors.");
}

TEST(Brake, IsReleasedByAWordAndForgotten) {
    Snapshot look = set_to(4, open_at(5, 1));
    look = then(look, steer(look, course(step_to(5)), noon));
    EXPECT_EQ(recall(look.workload)->brake, Partition{4});
    look.workload.annotations[key::retry] = "again";
    const Decision goes_on = steer(look, course(step_to(5)), noon);
    EXPECT_EQ(goes_on.report.phase, Phase::Rolling);
    EXPECT_EQ(goes_on.report.message,
              "The rollout to revision web-B goes on: 1 of 5 pods are exposed to it.");
    look = set_to(5, then(look, goes_on));
    EXPECT_EQ(steer(look, course(step_to(5)), noon).report.reason, Reason::PartitionRestored)
        << "that is a manifest, and not the brake again";
}

TEST(Brake, IsForgottenWhereWhoRaisedItLowersItAgain) {
    Snapshot look = set_to(4, open_at(5, 1));
    look = then(look, steer(look, course(step_to(5)), noon));
    look = set_to(1, look);
    look = then(look, steer(look, course(step_to(5)), noon));
    EXPECT_EQ(recall(look.workload)->brake, Partition{});
    look = set_to(5, look);
    EXPECT_EQ(steer(look, course(step_to(5)), noon).report.reason, Reason::PartitionRestored)
        << "that is a manifest, and not the brake again";
}

TEST(ClosedGate, AGateThatExposesNobodyIsClosedForThoseThatAreYetToCome) {
    const Decision decision = steer(open_at(3, 3), course(step_to(1)), noon);
    EXPECT_EQ(moved_to(decision), closed_partition);
    EXPECT_EQ(decision.report.phase, Phase::Waiting);
    EXPECT_EQ(decision.report.message, "Revision web-B waits behind a closed gate.");
}

}  // namespace
}  // namespace sluice::engine
