// Who steers a set that PhasedRollouts name, and what each of them is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/api/phased_rollout/looks.hpp"

namespace sluice::api::phased_rollout {
namespace {

using namespace testing;
using ::testing::HasSubstr;

TEST(Decide, TheFinalizerComesBeforeEverythingElse) {
    model::CustomObject fresh = object("slow");
    fresh.finalizers = {"somebody.else/has-one"};
    const Decision decision = decide(with(pending(3, Partition{0}), {fresh}), noon);
    EXPECT_EQ(line(decision), "Idle; finalizers of slow");
    EXPECT_THAT(writes_in(decision).front().body,
                HasSubstr(R"(["somebody.else/has-one","sts.plus/finalizer"])"));
}

TEST(Decide, AdoptsBehindAClosedGate) {
    const Decision idle = decide(with(seen(3), {object("slow")}), noon);
    EXPECT_EQ(line(idle), "Adopted; writes; tells Adopted");
    EXPECT_THAT(patch_in(idle)->body, HasSubstr("phasedrollout/slow"));
    EXPECT_THAT(patch_in(idle)->body, HasSubstr("sts.plus~1phasedRollout"));
    const Decision late = decide(with(pending(3, Partition{0}), {object("slow")}), noon);
    EXPECT_EQ(line(late),
              "RolloutStarted; writes, partition 1000000; tells Adopted; tells RolloutStarted");
}

TEST(Decide, TheHolderSteersOrElseTheOldest) {
    model::CustomObject old = object("old");
    old.created = noon - 3h;
    model::CustomObject late = object("slow");
    const Decision held = decide(resting({old, late}), noon);
    EXPECT_EQ(told(held, "slow").phase, "Updated");
    EXPECT_EQ(told(held, "old").phase, "ErrorCannotManage");
    EXPECT_THAT(told(held, "old").message, HasSubstr("phasedrollout/slow steers StatefulSet web"));
    const Decision free = decide(with(seen(3), {old, late}), noon);
    EXPECT_THAT(patch_in(free)->body, HasSubstr("phasedrollout/old"));
    EXPECT_EQ(told(free, "slow").phase, "ErrorCannotManage");
    old.meta.deleting = true;
    const Decision leaving = decide(with(seen(3), {old, late}), noon);
    EXPECT_THAT(patch_in(leaving)->body, HasSubstr("phasedrollout/slow"));
    EXPECT_EQ(line(leaving), "Adopted; writes; tells Adopted; finalizers of old");
}

TEST(Decide, TakesOverFromOneThatIsGone) {
    Snapshot look = resting({object("new")});
    const Decision decision = decide(look, noon);
    ASSERT_TRUE(patch_in(decision));
    EXPECT_THAT(patch_in(decision)->body, HasSubstr("phasedrollout/new"));
}

TEST(Decide, AnotherApiIsRespected) {
    Snapshot look = with(seen(3), {object("slow")});
    look.workload.has_annotations = true;
    look.workload.annotations[key::claim] = "pilot/web";
    const Decision decision = decide(look, noon);
    EXPECT_EQ(line(decision), "ClaimedByOther; status of slow tells CannotManage");
    EXPECT_THAT(told(decision, "slow").message, HasSubstr("pilot/web"));
}

TEST(Decide, AMissingSetIsToldAndLetsADeletedObjectGo) {
    Snapshot look;
    look.workload.meta.key = {"shop", "web"};
    model::CustomObject leaving = object("leaving");
    leaving.meta.deleting = true;
    look.objects = {object("slow"), leaving};
    const Decision decision = decide(look, noon);
    EXPECT_EQ(line(decision),
              "TargetMissing; status of slow tells CannotManage; finalizers of leaving");
    EXPECT_EQ(told(decision, "slow").phase, "ErrorSTSNotFound");
}

TEST(Decide, SkipCheckOpensTheGateAndSaysSo) {
    const auto skips = object("slow", {{"/skipCheck", "true"}});
    const Decision opens = decide(open_at(2, {skips}), noon);
    EXPECT_EQ(line(opens), "Suspended; writes, partition 0, releases; tells Suspended");
    EXPECT_THAT(patch_in(opens)->body, Not(HasSubstr("sts.plus~1phasedRollout")));
    Snapshot open = with(rolling(3, 0), {skips});
    open.workload.partition = Partition{0};
    const Decision rests = decide(open, noon);
    EXPECT_EQ(line(rests), "Suspended; status of slow tells Suspended");
    EXPECT_EQ(writes_in(rests)[0].notices[0].message,
              "Checks are switched off: Kubernetes updates the pods by itself.");
    EXPECT_EQ(told(rests, "slow").phase, "Suspended");
}

TEST(Decide, DeletionOpensTheGateAndThenLetsTheObjectGo) {
    model::CustomObject leaving = object("slow");
    leaving.meta.deleting = true;
    const Decision opens = decide(open_at(2, {leaving}), noon);
    EXPECT_EQ(line(opens), "Released; writes, partition 0, releases; tells Released");
    ASSERT_TRUE(opens.subject.has_value());
    EXPECT_EQ(opens.subject->ref.name, "slow");
    EXPECT_THAT(patch_in(opens)->body, HasSubstr("sts.plus~1phasedRollout"));
    const Decision goes = decide(with(rolling(3, 0), {leaving}), noon);
    EXPECT_EQ(line(goes), "Released; finalizers of slow");
    leaving.finalizers.clear();
    EXPECT_EQ(line(decide(with(rolling(3, 0), {leaving}), noon)), "Released");
}

TEST(Decide, ASetWhoseClaimantVanishedIsLetGoAsItIs) {
    const Decision decision = decide(open_at(2, {}), noon);
    EXPECT_EQ(line(decision), "Released; writes, releases; tells Released");
    EXPECT_TRUE(decision.needs_live);
}

TEST(Decide, ASpecThatCannotBeReadHoldsEverything) {
    model::CustomObject odd = object("slow");
    odd.spec = R"({"targetRef":"web","check":{"query":{"expr":"up{","url":"ftp://x"}}})";
    const Decision decision = decide(open_at(2, {odd}), noon);
    EXPECT_EQ(line(decision), "InvalidSpec; status of slow tells CannotManage");
    EXPECT_THAT(told(decision, "slow").message, HasSubstr("spec.check.query.url"));
    // Somebody opens the gate meanwhile: it is closed all the same.
    Snapshot bypassed = open_at(2, {odd});
    bypassed.workload.partition = Partition{0};
    EXPECT_TRUE(patch_in(decide(bypassed, noon))->partition);
}

TEST(Decide, NamesTheObjectInTheCommandThatHelps) {
    model::CustomObject paused = object("slow");
    paused.annotations[key::paused] = "true";
    const Decision decision = decide(open_at(2, {paused}), noon);
    EXPECT_EQ(decision.report.reason, engine::Reason::Paused);
    EXPECT_EQ(decision.report.unblock,
              "kubectl -n shop annotate statefulset/web phasedrollout/slow sluice.dev/paused-");
    ASSERT_TRUE(decision.subject.has_value());
    EXPECT_EQ(decision.subject->ref.name, "slow");
}

TEST(Decide, WhoTakesASetThatNobodyHoldsLooksFirst) {
    EXPECT_TRUE(decide(with(seen(3), {object("slow")}), noon).needs_live);
    EXPECT_FALSE(decide(with(resting({object("new")}), {object("new")}), noon).needs_live);
}

TEST(Decide, APersonMaySayOnEitherObjectThatUnreadyPodsBehindTheGateDoNotMatter) {
    Snapshot look = open_at(2, {object("slow")});
    look.pods[0].ready = false;
    EXPECT_EQ(decide(look, noon).report.reason, engine::Reason::PodsNotReady);
    Snapshot by_set = look;
    by_set.workload.annotations[key::allow_unready] = "true";
    EXPECT_EQ(decide(by_set, noon).report.reason, engine::Reason::InitialDelay);
    Snapshot by_object = look;
    by_object.objects[0].annotations[key::allow_unready] = "true";
    EXPECT_EQ(decide(by_object, noon).report.reason, engine::Reason::InitialDelay);
}

// The first check of the step has come to this, a minute after the step began.
Decision after_check(engine::MetricAnswer::Kind kind, int successes, bool passes_on_data = false) {
    Snapshot look = open_at(2, {object("slow")});
    look.environment.passes_on_data = passes_on_data;
    look.progress = decide(look, noon).progress;
    look.progress->tries = look.progress->successes = successes;
    look.progress->last = noon + 30s;
    const Decision asks = decide(look, noon + 1min);
    look.evidence = {{asks.probe.value().key,
                      engine::answer_of(engine::MetricAnswer{kind, true, false, "0.5"}),
                      noon + 1min}};
    return decide(look, noon + 1min);
}

TEST(Decide, AFailedCheckIsToldWithoutItsCounts) {
    const Decision decision = after_check(engine::MetricAnswer::Kind::Data, 0);
    ASSERT_EQ(line(decision), "CheckFailed; status of slow tells CheckFailed");
    EXPECT_EQ(writes_in(decision)[0].notices[0].message,
              "The check before pod web-1 failed: Prometheus returned data, where only no data "
              "means a pass.");
}

TEST(Decide, TellsThatTheChecksPassedWhenAPodMayGo) {
    EXPECT_EQ(line(after_check(engine::MetricAnswer::Kind::NoData, 2)),
              "PodsNotReady; writes, partition 1; tells ChecksPassed");
}

TEST(Decide, DataPassesWhereTheOperatorWasToldSoAndTheCheckSaysNothing) {
    constexpr auto data = engine::MetricAnswer::Kind::Data;
    EXPECT_EQ(line(after_check(data, 2, true)),
              "PodsNotReady; writes, partition 1; tells ChecksPassed");
}

TEST(Decide, TheFirstRolloutIsToldAtOnce) {
    Snapshot look = resting({object("slow")});
    engine::Memory memory = memory_of(look, false);
    memory.id = 0;
    look = claimed(look, memory);
    const std::string rests = write_status(told(decide(look, noon), "slow"));
    look = open_at(2, {object("slow")});
    memory = memory_of(look, true);
    memory.id = 1;
    look = claimed(look, memory);
    look.objects[0].status = rests;
    look.pods[2] = pod(2, "A", false);
    EXPECT_EQ(line(decide(look, noon)), "PodsNotReady; status of slow");
}

TEST(Decide, AStatusThatSpeaksOfAnotherRolloutIsPutRightAtOnce) {
    Snapshot look = open_at(2, {object("slow")});
    look.pods[2] = pod(2, "B", false);
    Status status = told(decide(look, noon), "slow");
    look.objects[0].status = write_status(status);
    look.pods[2] = pod(2, "A", false);
    ASSERT_EQ(line(decide(look, noon)), "PodsNotReady") << "over in a moment";
    status.rollout->id = 2;
    look.objects[0].status = write_status(status);
    EXPECT_EQ(line(decide(look, noon)), "PodsNotReady; status of slow");
    status.rollout.reset();
    look.objects[0].status = write_status(status);
    EXPECT_EQ(line(decide(look, noon)), "PodsNotReady; status of slow");
}

TEST(Decide, TheTargetOfASpecThatIsNoneIsNobody) {
    for (const char* spec : {"", "{", "7", "{}", R"({"targetRef":7})"}) {
        model::CustomObject odd = object("slow");
        odd.spec = spec;
        EXPECT_EQ(target_of(odd).name, "") << spec;
    }
    EXPECT_EQ(target_of(object("slow")), (model::Ref{&model::statefulsets, "shop", "web"}));
}

TEST(Decide, OnlyRollingUpdateIsSteered) {
    Snapshot look = with(seen(3), {object("slow")});
    look.workload.strategy = model::UpdateStrategy::OnDelete;
    EXPECT_EQ(line(decide(look, noon)), "OnDelete; status of slow tells CannotManage");
}

TEST(Decide, AnOldStatusIsNotWrittenAgain) {
    Snapshot look = resting({object("slow")});
    const Decision first = decide(look, noon);
    ASSERT_EQ(line(first), "Idle; status of slow");
    look.objects[0].status = write_status(told(first, "slow"));
    const Decision second = decide(look, noon + 5min);
    EXPECT_EQ(line(second), "Idle");
    look.objects[0].spec = changed({{"/skipCheck", "true"}});
    look.workload.annotations = {{std::string{steered_by}, "slow"}};
    look.workload.partition = Partition{0};
    look.objects[0].status = write_status(told(decide(look, noon), "slow"));
    EXPECT_EQ(line(decide(look, noon)), "Suspended") << "what was told is not told again";
}

TEST(Decide, APodThatIsReplacedIsWorthAWriteOnlyIfItTakesLong) {
    Snapshot look = open_at(2, {object("slow")});
    look.pods[2] = pod(2, "B", false);
    // A rollout that the status does not know yet is told at once.
    const Decision first = decide(look, noon);
    ASSERT_EQ(line(first), "PodsNotReady; status of slow");
    look.objects[0].status = write_status(told(first, "slow"));

    look.pods[2] = pod(2, "A", false);
    look.waiting_for = engine::Reason::PodsNotReady;
    look.waiting_since = noon;
    const Decision soon = decide(look, noon + 2s);
    EXPECT_EQ(line(soon), "PodsNotReady");
    ASSERT_TRUE(soon.wake_at);
    EXPECT_EQ(*soon.wake_at, noon + 10s);
    EXPECT_EQ(line(decide(look, *soon.wake_at)), "PodsNotReady; status of slow");
}

// A failing check with a rollback: gate closed, newest pod first, one at a time, and then held.
TEST(Decide, RollsBackNewestFirst) {
    const auto spec =
        object("slow", {{"/onFailure", "\"Rollback\""}, {"/check/failureThreshold", "1"}});
    Snapshot look = open_at(1, {spec});
    Decision decision = decide(look, noon);
    ASSERT_TRUE(decision.progress);
    look.progress = decision.progress;
    look.progress->failures = 1;
    look.progress->window = look.progress->since;
    const Decision fails = decide(look, noon);
    EXPECT_EQ(line(fails), "RollingBack; writes, partition 1000000; tells ChecksExhausted");

    engine::Memory memory = memory_of(look, true);
    memory.returning = true;
    memory.partition = closed_partition;
    look.workload.partition = closed_partition;
    look = claimed(look, memory);
    EXPECT_EQ(line(decide(look, noon)), "RollingBack; deletes web-1; tells RollingBack");
    look.pods[1] = pod(1, "A", false);
    EXPECT_EQ(line(decide(look, noon)), "RollingBack; status of slow tells RollingBack");
    look.pods[1] = pod(1, "A");
    EXPECT_EQ(line(decide(look, noon)), "RollingBack; deletes web-2; tells RollingBack");
    look.pods[2] = pod(2, "A");
    const Decision done = decide(look, noon);
    EXPECT_EQ(line(done), "RolledBack; writes; tells RolledBack");

    memory.open = memory.returning = false;
    memory.failed = true;
    look = claimed(look, memory);
    const Decision stays = decide(look, noon);
    EXPECT_EQ(line(stays), "RolledBack; status of slow tells RolledBack");
    EXPECT_EQ(told(stays, "slow").failed_revision, "web-B");
    look.objects[0].annotations[key::retry] = "again";
    EXPECT_EQ(line(decide(look, noon)), "RolloutStarted; writes; tells RolloutStarted");
}

// A forged status adds no passes, and an old view of it takes no failures away.
TEST(Decide, OfTwoAccountsOfAStepTheLessHopefulOneCounts) {
    Snapshot look = open_at(2, {object("slow")});
    const Decision first = decide(look, noon);
    ASSERT_TRUE(first.progress);
    Status status = told(first, "slow");
    ASSERT_TRUE(status.check && status.rolling_pod);
    const auto sober = [&](int ours, int theirs) {
        Snapshot seen = look;
        seen.progress = first.progress;
        seen.progress->successes = ours;
        status.check->successes = theirs;
        seen.objects[0].status = write_status(status);
        prepare(seen);
        return seen.progress->successes;
    };
    EXPECT_EQ(sober(0, 99), 0);
    EXPECT_EQ(sober(2, 0), 0);
    EXPECT_EQ(sober(2, 2), 2);
}

// B is bad and the person in charge puts the old template back: nobody asks Prometheus about that.
TEST(Decide, ATemplateThatGoesBackInMidRolloutIsARollback) {
    Snapshot look = open_at(1, {object("slow")});
    engine::Memory memory = memory_of(look, true);
    look.workload.update_revision = "web-A";
    look.workload.template_hash = 0xA;
    look.workload.partition = closed_partition;
    memory.partition = Partition{1};
    look = claimed(look, memory);
    const Decision turns = decide(look, noon);
    EXPECT_EQ(line(turns), "RollingBack; writes; tells RollingBack");
    memory = memory_of(look, true);
    memory.returning = true;
    look = claimed(look, memory);
    EXPECT_EQ(line(decide(look, noon)), "RollingBack; deletes web-1; tells RollingBack");
    look.pods[1] = pod(1, "A");
    look.pods[2] = pod(2, "A");
    EXPECT_EQ(line(decide(look, noon)),
              "RolloutCompleted; writes, partition 3; tells RolloutCompleted");
}

}  // namespace
}  // namespace sluice::api::phased_rollout
