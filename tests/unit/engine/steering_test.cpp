// Turns that a rollout can take, decided from one look and a plan that is made for the test.
#include "engine/steering.hpp"

#include <gtest/gtest.h>

#include "model/annotations.hpp"
#include "tests/unit/engine/steered.hpp"

namespace sluice::engine {
namespace {

using namespace testing;
namespace key = model::key;

TEST(Steering, RemembersTheGenerationThatItsOwnMoveOfTheGateLeadsTo) {
    const Snapshot look = open_at(3, 2);
    const auto set = after(look, steer(look, course(step_to(2)), noon));
    EXPECT_EQ(set.partition, Partition{1});
    EXPECT_EQ(recall(set)->generation, set.meta.generation);
    const Snapshot idle = seen(3);
    const auto adopted = after(idle, steer(idle, course(), noon));
    EXPECT_EQ(adopted.partition, idle.workload.partition) << "the gate rests already";
    EXPECT_EQ(recall(adopted)->generation, idle.workload.meta.generation);
}

TEST(Steering, ASetThatIsAtRestIsAdoptedWithoutARolloutAndOneThatIsNotWithItsFirst) {
    const Snapshot idle = seen(3);
    const auto resting = recall(after(idle, steer(idle, course(), noon)));
    EXPECT_EQ(resting->id, 0);
    EXPECT_FALSE(resting->open);
    const Snapshot busy = pending(3);
    const Decision decision = steer(busy, course(), noon);
    const auto rollout = recall(after(busy, decision));
    EXPECT_EQ(rollout->id, 1);
    EXPECT_TRUE(rollout->open);
    EXPECT_TRUE(tells(decision, Reason::RolloutStarted));
    EXPECT_FALSE(tells(decision, Reason::PodsPredateSet));
}

TEST(Steering, SaysWhenPodsAreOlderThanTheirSet) {
    Snapshot look = seen(3);
    for (int ordinal = 0; ordinal < 3; ++ordinal)
        look.pods[static_cast<std::size_t>(ordinal)] = pod(ordinal, "older");
    EXPECT_EQ(told(steer(look, course(), noon), Reason::PodsPredateSet),
              "The pods of web are older than the set: one that dies comes back on revision web-A, "
              "whatever the gate says.");
}

TEST(Steering, WhoReportsElsewhereWritesOnlyThePhaseToTheWorkload) {
    const Snapshot look = open_at(3, 2);
    Course elsewhere = course(step_to(2));
    elsewhere.reports_on_workload = false;
    const auto quiet = after(look, steer(look, elsewhere, noon)).annotations;
    EXPECT_EQ(quiet.at(key::phase), "Rolling");
    EXPECT_FALSE(quiet.contains(key::reason));
    const auto loud = after(look, steer(look, course(step_to(2)), noon)).annotations;
    EXPECT_EQ(loud.at(key::reason), "PodsNotReady");
}

TEST(Steering, NamesThePodsThatMayGo) {
    EXPECT_EQ(told(steer(open_at(5, 4), course(step_to(2)), noon), Reason::HookAllowed),
              "Pod web-3 may be updated to revision web-B (2 of 5).");
    EXPECT_EQ(told(steer(open_at(5, 4), course(step_to(4)), noon), Reason::HookAllowed),
              "Pods web-3 to web-1 may be updated to revision web-B (4 of 5).");
}

TEST(Steering, NarrowsTheGateWhenAScaleUpExposesMoreThanThePlanAllows) {
    Plan plan = step_to(5);
    plan.exposed_max = PodCount{1};
    const Decision decision = steer(open_at(5, 3), course(plan), noon);
    EXPECT_EQ(moved_to(decision), Partition{4});
    EXPECT_EQ(decision.report.phase, Phase::Rolling);
    EXPECT_EQ(told(decision, Reason::GateFollowsScale),
              "The set was scaled in mid-rollout: 1 of its 5 pods may run revision web-B now.");
    plan.exposed_max = PodCount{0};
    const Decision none = steer(open_at(5, 3), course(plan), noon);
    EXPECT_EQ(moved_to(none), closed_partition);
    EXPECT_EQ(none.report.phase, Phase::Waiting);
    plan.exposed_max = PodCount{2};
    EXPECT_FALSE(tells(steer(open_at(5, 3), course(plan), noon), Reason::GateFollowsScale));
}

TEST(Steering, ARolloutEndsWithASentenceAboutItsPods) {
    EXPECT_EQ(steer(all_updated(3), course(), noon).report.message,
              "All 3 pods run revision web-B.");
    EXPECT_EQ(steer(all_updated(1), course(), noon).report.message, "The pod runs revision web-B.");
    EXPECT_EQ(steer(all_updated(2), course(), noon).report.message,
              "All 2 pods run revision web-B.");
}

TEST(Steering, AWordForOneRolloutDoesNotDisarmTheNext) {
    Snapshot look = all_updated(3);
    look.workload.annotations[key::allow_scale_to_zero] = "true";
    look.workload.annotations[key::refused] = "a change that was kept back";
    const Decision decision = steer(look, course(), noon);
    ASSERT_EQ(decision.report.reason, Reason::RolloutCompleted);
    EXPECT_TRUE(decision.needs_live);
    ASSERT_TRUE(decision.ended.has_value());
    EXPECT_STREQ(decision.ended->outcome, "completed");
    EXPECT_EQ(decision.ended->took, 10min);
    const auto annotations = after(look, decision).annotations;
    EXPECT_FALSE(annotations.contains(key::allow_scale_to_zero));
    EXPECT_FALSE(annotations.contains(key::refused));
}

TEST(Steering, AStepTakesNoAnnotationAwayThatPeopleOrPoliciesHaveSet) {
    Snapshot look = open_at(3, 2);
    look.workload.annotations[key::allow_scale_to_zero] = "true";
    look.workload.annotations[key::refused] = "a change that was kept back";
    const auto annotations = after(look, steer(look, course(step_to(2)), noon)).annotations;
    EXPECT_TRUE(annotations.contains(key::allow_scale_to_zero));
    EXPECT_TRUE(annotations.contains(key::refused));
    EXPECT_FALSE(annotations.contains(key::fence)) << "nobody else can lead";
}

TEST(Steering, AWaitThatIsOverSoonIsToldToNobody) {
    Snapshot look = open_at(3, 0);
    const Plan plan{.throughout = {RevisionSettled{}}};
    const Decision soon = steer(look, course(plan), noon);
    EXPECT_TRUE(soon.silent);
    EXPECT_FALSE(patch_in(soon));
    EXPECT_EQ(soon.wake_at, noon + 10s);
    look.waiting_for = Reason::SettlingRevision;
    look.waiting_since = noon - 10s;
    const Decision long_since = steer(look, course(plan), noon);
    EXPECT_FALSE(long_since.silent);
    EXPECT_TRUE(patch_in(long_since));
}

TEST(Steering, ATemplateOfTheSameRevisionIsRememberedWithTheNextStep) {
    Snapshot look = open_at(3, 2);
    look.workload.template_hash = 0xBB;
    EXPECT_EQ(recall(after(look, steer(look, course(step_to(2)), noon)))->template_hash, 0xBBu);
}

TEST(Steering, ATemplateThatChangesUnderExposedPodsShutsTheGateAtOnce) {
    Snapshot look = open_at(3, 2);
    look.workload.template_hash = 0xC;
    EXPECT_NE(moved_to(steer(look, course(step_to(2)), noon)), closed_partition)
        << "the generation is the one that our own write led to";
    ++look.workload.meta.generation;
    const Decision decision = steer(look, course(step_to(2)), noon);
    EXPECT_EQ(moved_to(decision), closed_partition);
    EXPECT_EQ(recall(after(look, decision))->template_hash, 0xCu) << "and only once";
}

TEST(Steering, ASetThatChangesBeforeItWasEverLookedAtIsShutFirst) {
    Snapshot look = pending(3, Partition{0});
    look.workload.observed_generation = 1;
    const Decision decision = steer(look, course(), noon);
    EXPECT_EQ(moved_to(decision), closed_partition);
    EXPECT_EQ(decision.report.reason, Reason::Adopted);
    const auto memory = recall(after(look, decision));
    EXPECT_EQ(memory->id, 0);
    EXPECT_FALSE(memory->open);
    look.workload.partition = closed_partition;
    EXPECT_EQ(steer(look, course(), noon).report.reason, Reason::StatusStale)
        << "what is shut can wait for the status";
    look.workload.partition = Partition{0};
    look.workload.observed_generation = 0;
    EXPECT_EQ(steer(look, course(), noon).report.reason, Reason::StatusStale) << "it is being made";
}

TEST(Steering, ATemplateThatGoesBackIsARollbackForThoseWhoSaySo) {
    Snapshot look = open_at(3, 2);
    look.workload.template_hash = 0xA;
    look.workload.update_revision = "web-A";
    look.workload.partition = closed_partition;
    Course freely = course();
    freely.returns_freely = true;
    const Decision back = steer(look, freely, noon);
    EXPECT_EQ(told(back, Reason::RollingBack),
              "The template is back at revision web-A: the pods that were updated return to it.");
    EXPECT_STREQ(back.ended->outcome, "superseded");
    const Decision anew = steer(look, course(), noon);
    EXPECT_EQ(told(anew, Reason::RolloutStarted), "Revision web-A waits behind a closed gate.");
}

TEST(Steering, AnAwaitedRevisionIsTheOneThatComesOfTheWriteItWasRememberedWith) {
    Snapshot look = pending(3);
    Memory memory = opened(look);
    memory.revision = awaited_revision;
    look = remembering(look, memory);
    EXPECT_EQ(recall(look.workload)->revision, "web-B");
    Snapshot early = look;
    early.workload.observed_generation = memory.generation - 1;
    EXPECT_EQ(recall(early.workload)->revision, awaited_revision) << "its status is of before";
    Snapshot later = look;
    later.workload.observed_generation = ++later.workload.meta.generation;
    EXPECT_EQ(recall(later.workload)->revision, awaited_revision) << "it has changed again since";
}

TEST(Steering, TenThousandPodsAreSteeredAndNotOneMore) {
    Snapshot look = seen(0);
    look.workload.replicas = PodCount{10'000};
    EXPECT_NE(steer(look, course(), noon).report.reason, Reason::TooManyReplicas);
    look.workload.replicas = PodCount{10'001};
    EXPECT_EQ(steer(look, course(), noon).report.reason, Reason::TooManyReplicas);
}

TEST(GoingBack, TheUpdatedPodsReturnOneByOneTheLowestFirst) {
    const Decision decision = steer(going_back(), course(), noon);
    ASSERT_TRUE(removal_in(decision));
    EXPECT_EQ(removal_in(decision)->object.ref.name, "web-1");
    EXPECT_EQ(removal_in(decision)->object.uid, "pod-1-B");
    EXPECT_EQ(decision.report.message, "Pod web-1 returns to revision web-A.");
}

TEST(GoingBack, APodThatIsBackMustBeAvailableBeforeTheNextLeaves) {
    Snapshot look = going_back();
    look.workload.min_ready = 30s;
    look.pods[0].ready_since = noon - 10s;
    const Decision decision = steer(look, course(), noon);
    EXPECT_FALSE(removal_in(decision));
    EXPECT_EQ(decision.report.message, "Waiting for pod web-0 to be ready on revision web-A.");
    EXPECT_EQ(decision.wake_at, noon + 20s) << "from then on time alone makes it so";
    EXPECT_TRUE(removal_in(steer(look, course(), noon + 20s)));
}

TEST(GoingBack, TimeAloneMakesNoPodAvailableThatIsNotReadyOrOnItsWayOut) {
    Snapshot look = going_back();
    look.pods[0].ready = false;
    EXPECT_EQ(steer(look, course(), noon).wake_at, std::nullopt);
    look = going_back();
    look.pods[0].meta.deleting = true;
    const Decision decision = steer(look, course(), noon);
    EXPECT_FALSE(removal_in(decision));
    EXPECT_EQ(decision.wake_at, std::nullopt);
}

TEST(GoingBack, APersonMaySayThatPodsThatAreNotReadyDoNotMatter) {
    Snapshot look = going_back();
    look.pods[0].ready = false;
    look.workload.annotations[key::allow_unready] = "true";
    EXPECT_TRUE(removal_in(steer(look, course(), noon)));
    look.pods.erase(look.pods.begin());
    EXPECT_FALSE(removal_in(steer(look, course(), noon))) << "but all must exist";
}

TEST(GoingBack, NoPodLeavesWhileTheGateIsOpen) {
    Snapshot look = rolling(3, 1);
    Memory memory = opened(look);
    memory.returning = true;
    look = remembering(look, memory);
    const Decision decision = steer(look, course(), noon);
    EXPECT_EQ(moved_to(decision), closed_partition);
    EXPECT_FALSE(removal_in(decision));
}

TEST(GoingBack, EndsWhenAllPodsAreBack) {
    Snapshot look = going_back();
    look.pods[1] = pod(1, "A");
    look.pods[2] = pod(2, "A");
    const Decision decision = steer(look, course(), noon);
    EXPECT_EQ(decision.report.reason, Reason::RolledBack);
    EXPECT_TRUE(decision.needs_live) << "a pod whose last news were lost must not be overlooked";
    ASSERT_TRUE(decision.ended.has_value());
    EXPECT_STREQ(decision.ended->outcome, "rolled_back");
    EXPECT_EQ(decision.ended->took, 10min);
}

TEST(Deadlines, AWaitEndsAtTheDeadlineOfItsStepAtTheLatest) {
    Plan plan = step_to(2, {Refused{Reason::HookRefused, "not yet"}});
    plan.deadline = noon + 5min;
    EXPECT_EQ(steer(open_at(3, 2), course(plan), noon).wake_at, noon + 5min);
    EXPECT_EQ(steer(open_at(3, 2), course(plan), noon + 5min - 1ms).report.reason,
              Reason::HookRefused);
    const Decision late = steer(open_at(3, 2), course(plan), noon + 5min);
    EXPECT_EQ(late.report.reason, Reason::ProgressDeadlineExceeded);
    EXPECT_EQ(late.report.message, "The next step was not reached in time. not yet");
    EXPECT_EQ(moved_to(late), std::nullopt);
}

TEST(Deadlines, ARestThatWasWishedForMissesNone) {
    Plan plan = step_to(2, {Pause{.place = 4}});
    plan.deadline = noon - 5min;
    const Decision decision = steer(open_at(3, 2), course(plan), noon);
    EXPECT_EQ(decision.report.reason, Reason::StepPaused);
    EXPECT_EQ(decision.rests_at, 4);
    EXPECT_EQ(decision.wake_at, std::nullopt);
}

TEST(Deadlines, WhatTheChecksHaveComeToIsRememberedBeyondThem) {
    Plan plan = step_to(2, {MetricCheck{.query = {}, .initial_delay = 1h, .next = PodIndex{1}}});
    plan.deadline = noon - 5min;
    EXPECT_TRUE(steer(open_at(3, 2), course(plan), noon).progress.has_value());
    plan.at_deadline = OnFailure::Rollback;
    const Decision back = steer(open_at(3, 2), course(plan), noon);
    EXPECT_TRUE(back.progress.has_value());
    EXPECT_EQ(moved_to(back), closed_partition);
}

}  // namespace
}  // namespace sluice::engine
