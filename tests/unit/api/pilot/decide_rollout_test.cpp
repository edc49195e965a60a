// The course of a rollout that nobody disturbs.
#include <gtest/gtest.h>

#include "tests/unit/api/pilot/situation.hpp"

namespace sluice::api::pilot {
namespace {

using namespace testing;

Snapshot unready(Snapshot look, std::size_t pod) {
    look.pods[pod].ready = false;
    return look;
}

Snapshot never_mind(Snapshot look) {
    look.workload.annotations[key::allow_unready] = "true";
    return look;
}

Snapshot settled(int replicas) {
    Snapshot look = seen(replicas, "B");
    look.workload.partition = Partition{0};
    look.workload.template_hash = 0xB;
    return remembering(look, opened(look), "Rolling");
}

// The last look found the same reason to wait.
Snapshot waited(Snapshot look, Reason reason, Instant since) {
    look.waiting_for = reason;
    look.waiting_since = since;
    return look;
}

Snapshot problem(Snapshot look, ErrorKind kind) {
    look.hook_problem = Error{kind, "there is no such hook"};
    return look;
}

// Just rested, and now the template is B.
Snapshot fresh(Partition gate) {
    const Snapshot look = pending(3, gate);
    return remembering(look, rested(look));
}

Snapshot moved(Snapshot look, int partition) {
    look.workload.partition = Partition{partition};
    return look;
}

Snapshot closed(Snapshot look) {
    return moved(std::move(look), closed_partition.value);
}

Snapshot after_scaling(int from, int to) {
    Snapshot look = resting(to);
    look.workload.partition = resting_partition(PodCount{from});
    return remembering(look, rested(resting(from)));
}

const Situation at_rest[] = {
    {"nothing is pending", resting(3), "Idle Idle"},
    {"without pods, closed", closed(resting(0)), "Idle Idle"},
    {"without pods, opened by somebody else", resting(0),
     "Held GateBypassed; writes, partition 1000000; tells GateBypassed"},
    {"opened by somebody else", moved(resting(3), 1),
     "Held GateBypassed; writes, partition 3; tells GateBypassed"},
    {"raised by somebody else", moved(resting(3), 7), "Idle Idle; writes, partition 3"},
    {"scaled up", after_scaling(3, 5), "Idle Idle; writes, partition 5"},
    {"scaled down", after_scaling(3, 2), "Idle Idle; writes, partition 2"},
    {"scaled to zero", after_scaling(3, 0), "Idle Idle; writes, partition 1000000"},
    {"scaled up from zero", after_scaling(0, 3), "Idle Idle; writes, partition 3"},
    {"the hook is unknown", problem(resting(3), ErrorKind::NotFound),
     "Blocked UnknownHook; writes; tells UnknownHook"},
    {"the hook is broken", problem(resting(3), ErrorKind::Malformed),
     "Blocked BrokenHook; writes; tells BrokenHook"},
    {"the hook is mended", remembering(resting(3), rested(resting(3)), "Blocked"),
     "Idle Idle; writes"},
};

const Situation starting[] = {
    {"the gate rests at replicas", fresh(Partition{3}),
     "Waiting RolloutStarted; writes, partition 1000000; tells RolloutStarted"},
    {"a policy closed the gate already", fresh(closed_partition),
     "Waiting RolloutStarted; writes; tells RolloutStarted"},
    {"a policy closed the gate, a pod is broken", unready(fresh(closed_partition), 0),
     "Waiting RolloutStarted; writes; tells RolloutStarted"},
    {"a policy closed the gate, the hook is unknown",
     problem(fresh(closed_partition), ErrorKind::NotFound),
     "Waiting RolloutStarted; writes; tells RolloutStarted"},
    {"the pods wait, one is broken", unready(waiting(3), 0), "Waiting PodsNotReady; writes"},
    {"the pods wait, the hook is unknown", problem(waiting(3), ErrorKind::NotFound),
     "Waiting UnknownHook; writes; tells UnknownHook"},
};

const Situation under_way[] = {
    {"nobody was asked yet", waiting(3), "Waiting AskingHook; asks nil > web-2; wakes in 10s"},
    {"asked five seconds ago", waited(waiting(3), Reason::AskingHook, noon - 5s),
     "Waiting AskingHook; asks nil > web-2; wakes in 5s"},
    {"asked ten seconds ago", waited(waiting(3), Reason::AskingHook, noon - 10s),
     "Waiting AskingHook; writes; asks nil > web-2"},
    {"refused", answered(waiting(3), false, "backup"),
     "Waiting HookRefused; writes; tells HookRefused; wakes in 30s"},
    {"refused half a minute ago", answered(waiting(3), false, "backup", noon - 30s),
     "Waiting HookRefused; writes; tells HookRefused; asks nil > web-2"},
    {"allowed", allowed(waiting(3)),
     "Rolling PodsNotReady; writes, partition 2, lets go; tells HookAllowed"},
    {"allowed too long ago", answered(waiting(3), true, "", noon - 61s),
     "Waiting AskingHook; asks nil > web-2; wakes in 10s"},
    {"the first pod is broken, replacing mends it", unready(waiting(3), 2),
     "Waiting AskingHook; asks nil > web-2; wakes in 10s"},
    {"web-2 is on its way", unready(open_at(3, 2), 2), "Rolling PodsNotReady; writes"},
    {"web-2 is back", open_at(3, 2), "Rolling AskingHook; asks web-2 > web-1; wakes in 10s"},
    {"between web-2 and web-1 it is refused", answered(open_at(3, 2), false),
     "Rolling HookRefused; writes; tells HookRefused; wakes in 30s"},
    {"between web-2 and web-1 it is allowed", allowed(open_at(3, 2)),
     "Rolling PodsNotReady; writes, partition 1, lets go; tells HookAllowed"},
    {"between web-1 and web-0 it is allowed", allowed(open_at(3, 1)),
     "Rolling PodsNotReady; writes, partition 0, lets go; tells HookAllowed"},
    {"allowed, but web-0 broke meanwhile", unready(allowed(open_at(3, 2)), 0),
     "Rolling PodsNotReady; writes"},
    {"web-0 is broken, and a person says never mind", never_mind(unready(open_at(3, 2), 0)),
     "Rolling AskingHook; asks web-2 > web-1; wakes in 10s"},
    {"web-2 is broken, and a person says never mind", never_mind(unready(open_at(3, 2), 2)),
     "Rolling PodsNotReady; writes"},
    {"all pods are back, Kubernetes has not settled", open_at(3, 0),
     "Rolling SettlingRevision; wakes in 10s"},
    {"all pods have been back for a while",
     waited(open_at(3, 0), Reason::SettlingRevision, noon - 10s),
     "Rolling SettlingRevision; writes"},
    {"all settled, the hook is asked a last time", settled(3),
     "Rolling AskingHook; asks web-0 > nil; wakes in 10s"},
    {"all settled, the hook refuses", answered(settled(3), false),
     "Rolling HookRefused; writes; tells HookRefused; wakes in 30s"},
    {"all settled, the hook allows", allowed(settled(3)),
     "Idle RolloutCompleted; writes, partition 3, ends completed; tells RolloutCompleted"},
    {"a set of one pod", allowed(waiting(1)),
     "Rolling PodsNotReady; writes, partition 0, lets go; tells HookAllowed"},
    {"the hook became unknown", problem(open_at(3, 2), ErrorKind::NotFound),
     "Rolling UnknownHook; writes; tells UnknownHook"},
};

TEST(PilotDecides, ToRestWhileNothingIsPending) {
    expect_decisions(at_rest);
}

TEST(PilotDecides, ToStartANewRevisionBehindAClosedGate) {
    expect_decisions(starting);
}

TEST(PilotDecides, ToLetOnePodGoWhenTheHookAllowsIt) {
    expect_decisions(under_way);
}

TEST(PilotDecides, ToRememberThePodThatItLetGoInTheSameWrite) {
    const Snapshot before = allowed(open_at(3, 2));
    const Snapshot now = after(before, decide(before, noon));
    EXPECT_EQ(now.workload.partition, Partition{1});
    EXPECT_EQ(engine::recall(now.workload)->partition, Partition{1});
    EXPECT_EQ(engine::recall(now.workload)->id, 2);
    EXPECT_EQ(engine::recall(now.workload)->started, noon - 10min);
}

TEST(PilotDecides, ThatWaitingForThePodItLetGoCostsNoFurtherWrite) {
    const Snapshot before = allowed(open_at(3, 2));
    Snapshot now = after(before, decide(before, noon));
    EXPECT_EQ(line(decide(now, noon + 1s)), "Rolling PodsNotReady");
    now.pods.erase(now.pods.begin() + 1);
    EXPECT_EQ(line(decide(now, noon + 1s)), "Rolling PodsNotReady");
}

TEST(PilotDecides, ThatEveryNewRolloutHasItsOwnNumber) {
    const Snapshot look = fresh(Partition{3});
    const Snapshot started = after(look, decide(look, noon));
    EXPECT_EQ(engine::recall(started.workload)->id, 2);
    Snapshot again = started;
    again.workload.update_revision = "web-C";
    again.workload.template_hash = 0xC;
    again = after(again, decide(again, noon));
    EXPECT_EQ(engine::recall(again.workload)->id, 3);
    again = allowed(again);
    const Decision let_go = decide(again, noon);
    EXPECT_EQ(line(let_go),
              "Rolling PodsNotReady; writes, partition 2, lets go; tells HookAllowed");
    EXPECT_EQ(engine::recall(after(again, let_go).workload)->id, 3);
}

TEST(PilotDecides, HowLongTheRolloutTook) {
    const Decision done = decide(allowed(settled(3)), noon);
    ASSERT_TRUE(done.ended.has_value());
    EXPECT_EQ(done.ended->took, Duration{10min});
    EXPECT_EQ(done.report.message, "All 3 pods run revision web-B.");
}

TEST(PilotDecides, TheSameWithOrdinalsThatStartHigher) {
    Snapshot look = pending(2, Partition{1});
    look.workload.start = Ordinal{3};
    look.pods = {pod(3, "A"), pod(4, "B")};
    look = allowed(remembering(look, opened(look), "Rolling"));
    const Decision decision = decide(look, noon);
    EXPECT_EQ(line(decision),
              "Rolling PodsNotReady; writes, partition 0, lets go; tells HookAllowed");
    EXPECT_EQ(decision.notices.at(0).message,
              "Pod web-3 may be updated to revision web-B (2 of 2).");
}

}  // namespace
}  // namespace sluice::api::pilot
