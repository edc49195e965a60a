#include <gtest/gtest.h>

#include "engine/gates.hpp"
#include "tests/unit/engine/seen.hpp"

namespace sluice::engine {
namespace {

using namespace testing;

PodsReady before(int next) {
    return {PodIndex{next}, false};
}

const Hold* held(const Verdict& verdict) {
    return std::get_if<Hold>(&verdict);
}

std::string message(const Verdict& verdict) {
    const Hold* hold = held(verdict);
    return hold ? hold->message : "passed";
}

TEST(PodsReadyGate, PassesWhenAllPodsAreAvailable) {
    EXPECT_TRUE(std::holds_alternative<Pass>(judge(PodsReady{}, seen(3), noon)));
    EXPECT_TRUE(std::holds_alternative<Pass>(judge(PodsReady{}, rolling(3, 1), noon)));
}

TEST(PodsReadyGate, HoldsForAPodThatIsNotReady) {
    Snapshot look = seen(3);
    look.pods[1].ready = false;
    const Verdict verdict = judge(PodsReady{}, look, noon);
    ASSERT_TRUE(held(verdict));
    EXPECT_EQ(held(verdict)->reason, Reason::PodsNotReady);
    EXPECT_EQ(message(verdict), "Waiting for pod web-1 to be ready.");
    EXPECT_EQ(held(verdict)->until, std::nullopt);
}

TEST(PodsReadyGate, HoldsForAPodThatIsMissingOrOnItsWayOut) {
    Snapshot look = seen(3);
    look.pods[0].meta.deleting = true;
    EXPECT_EQ(message(judge(PodsReady{}, look, noon)), "Waiting for pod web-0 to be ready.");
    look.pods.erase(look.pods.begin());
    EXPECT_EQ(message(judge(PodsReady{}, look, noon)), "Waiting for pod web-0 to be ready.");
}

TEST(PodsReadyGate, TheNextPodMayBeBrokenBecauseReplacingItMendsIt) {
    Snapshot look = pending(3);
    look.pods[2].ready = false;
    EXPECT_TRUE(std::holds_alternative<Pass>(judge(before(2), look, noon)));
    EXPECT_TRUE(std::holds_alternative<Pass>(judge(before(1), look, noon)))
        << "all that go with this step";
    look.workload.partition = Partition{2};
    look.pods[2] = pod(2, "B", false);
    EXPECT_FALSE(std::holds_alternative<Pass>(judge(before(1), look, noon)))
        << "one that went before";
}

TEST(PodsReadyGate, TheNextPodMustExistForSomebodyMustBeAskedAboutIt) {
    Snapshot look = pending(3);
    look.pods.pop_back();
    EXPECT_EQ(message(judge(before(2), look, noon)), "Waiting for pod web-2 to be ready.");
}

TEST(PodsRunningGate, PassesWhenExposedPodsRunTheNewRevisionReadyOrNot) {
    Snapshot look = rolling(3, 1);
    look.pods[0].running = look.pods[0].ready = look.pods[2].ready = false;
    EXPECT_EQ(message(judge(PodsRunning{PodIndex{0}}, look, noon)), "passed");
    look.pods[2].running = false;
    EXPECT_EQ(message(judge(PodsRunning{}, look, noon)), "Waiting for pod web-2 to be ready.");
    look.pods[2] = pod(2, "A");
    EXPECT_NE(message(judge(PodsRunning{}, look, noon)), "passed");
    look.pods[2] = pod(2, "B");
    look.pods[2].meta.deleting = true;
    EXPECT_NE(message(judge(PodsRunning{}, look, noon)), "passed");
}

TEST(PodsRunningGate, ThePodThatIsAskedAboutMustBeThere) {
    Snapshot look = rolling(3, 1);
    look.pods.erase(look.pods.begin());
    EXPECT_EQ(message(judge(PodsRunning{PodIndex{0}}, look, noon)),
              "Waiting for pod web-0 to be ready.");
    EXPECT_EQ(message(judge(PodsRunning{}, look, noon)), "passed");
}

TEST(PodsReadyGate, AnExposedPodMustRunTheNewRevision) {
    Snapshot look = pending(3, Partition{2});
    EXPECT_EQ(message(judge(before(1), look, noon)),
              "Waiting for pod web-2 to be updated and ready.");
    look.pods[2] = pod(2, "B");
    EXPECT_TRUE(std::holds_alternative<Pass>(judge(before(1), look, noon)));
}

TEST(PodsReadyGate, APodBelowThePartitionMayRunAnyRevision) {
    Snapshot look = rolling(3, 2);
    look.pods[0] = pod(0, "B");
    EXPECT_TRUE(std::holds_alternative<Pass>(judge(before(1), look, noon)));
}

TEST(PodsReadyGate, ReadyIsNotAvailableBeforeMinReadySeconds) {
    Snapshot look = seen(3);
    look.workload.min_ready = 30s;
    look.pods[1].ready_since = noon - 10s;
    look.pods[2].ready_since = noon - 5s;
    const Verdict verdict = judge(PodsReady{}, look, noon);
    ASSERT_TRUE(held(verdict));
    EXPECT_EQ(held(verdict)->until, noon + 25s) << "from then on time alone opens the gate";
    EXPECT_TRUE(std::holds_alternative<Pass>(judge(PodsReady{}, look, noon + 25s)));
}

TEST(PodsReadyGate, TimeAloneOpensItOnlyForPodsThatAreReady) {
    Snapshot look = seen(3);
    look.workload.min_ready = 30s;
    look.pods[1].ready = false;
    look.pods[1].ready_since = noon;
    look.pods[2].ready_since = noon;
    look.pods[2].meta.deleting = true;
    Verdict verdict = judge(PodsReady{}, look, noon);
    ASSERT_TRUE(held(verdict));
    EXPECT_EQ(held(verdict)->until, std::nullopt);
    look = seen(1);
    look.workload.min_ready = 30s;
    look.pods[0].ready_since = Instant{};
    verdict = judge(PodsReady{}, look, noon);
    ASSERT_TRUE(held(verdict));
    EXPECT_EQ(held(verdict)->until, std::nullopt) << "nobody knows since when it is";
}

TEST(PodsReadyGate, NamesThreePodsAndDoesNotCountTheOthersForThatWouldChangeByItself) {
    Snapshot look = seen(6);
    for (model::Pod& one : look.pods)
        one.ready = false;
    EXPECT_EQ(message(judge(PodsReady{}, look, noon)),
              "Waiting for pods web-5, web-4, web-3 and others to be ready.");
    look.pods[4].ready = look.pods[5].ready = true;
    EXPECT_EQ(message(judge(PodsReady{}, look, noon)),
              "Waiting for pods web-3, web-2, web-1 and others to be ready.");
    for (std::size_t i = 3; i < 6; ++i)
        look.pods[i].ready = true;
    EXPECT_EQ(message(judge(PodsReady{}, look, noon)),
              "Waiting for pods web-2, web-1, web-0 to be ready.");
}

TEST(PodsReadyGate, SaysTheSameAsTheWriteThatLetThePodGo) {
    Snapshot look = pending(3, Partition{2});
    look.pods.pop_back();
    EXPECT_EQ(message(judge(before(1), look, noon)), waiting_for_pod("web-2"));
}

TEST(PodsReadyGate, APersonMaySayThatPodsBehindTheGateDoNotMatter) {
    Snapshot look = rolling(3, 2);
    look.pods[0].ready = false;
    EXPECT_FALSE(std::holds_alternative<Pass>(judge(PodsReady{PodIndex{1}, false}, look, noon)));
    EXPECT_TRUE(std::holds_alternative<Pass>(judge(PodsReady{PodIndex{1}, true}, look, noon)));
    look.pods[2].ready = false;
    EXPECT_FALSE(std::holds_alternative<Pass>(judge(PodsReady{PodIndex{1}, true}, look, noon)))
        << "those that were let go always do";
    look = rolling(3, 2);
    look.pods.erase(look.pods.begin());
    EXPECT_FALSE(std::holds_alternative<Pass>(judge(PodsReady{PodIndex{1}, true}, look, noon)))
        << "and all must exist";
}

TEST(PodsReadyGate, WithoutMinReadySecondsNoClocksAreCompared) {
    Snapshot look = seen(3);
    look.pods[1].ready_since = noon + 1h;
    look.pods[2].ready_since = Instant{};
    EXPECT_TRUE(std::holds_alternative<Pass>(judge(PodsReady{}, look, noon)));
}

TEST(PodsReadyGate, PodsOfAScaleDownAreNobodysBusiness) {
    Snapshot look = seen(2);
    look.pods.push_back(pod(2, "A", false));
    look.pods.push_back(pod(7, "C", false));
    EXPECT_TRUE(std::holds_alternative<Pass>(judge(PodsReady{}, look, noon)));
}

TEST(PodsReadyGate, PodsAreFoundByIndexWhenOrdinalsStartHigher) {
    Snapshot look = pending(2, Partition{1});
    look.workload.start = Ordinal{3};
    look.pods = {pod(3, "A"), pod(4, "B")};
    EXPECT_TRUE(std::holds_alternative<Pass>(judge(before(0), look, noon)));
    look.pods[1] = pod(4, "A");
    EXPECT_EQ(message(judge(before(0), look, noon)),
              "Waiting for pod web-4 to be updated and ready.");
}

TEST(SettleTimeGate, GivesWhatWasExposedLastTimeToShowWhatIsWrong) {
    const SettleTime gate{5min};
    Snapshot look = rolling(3, 1);
    look.pods[1].ready_since = noon - 2min;
    look.pods[0].ready_since = noon - 1s;  // not exposed: what became of it says nothing
    const Verdict verdict = judge(gate, look, noon);
    ASSERT_TRUE(held(verdict));
    EXPECT_EQ(held(verdict)->reason, Reason::Settling);
    EXPECT_EQ(held(verdict)->until, noon + 3min);
    EXPECT_TRUE(std::holds_alternative<Pass>(judge(gate, look, noon + 3min)));
    EXPECT_TRUE(std::holds_alternative<Pass>(judge(gate, pending(3), noon)))
        << "nothing is exposed";
}

TEST(SettleTimeGate, HoldsForPodsThatAreNotReadyAsIfThereWereNoTime) {
    Snapshot look = rolling(3, 1);
    look.pods[1].ready = false;
    const Verdict verdict = judge(SettleTime{0s}, look, noon);
    ASSERT_TRUE(held(verdict));
    EXPECT_EQ(held(verdict)->reason, Reason::PodsNotReady);
}

}  // namespace
}  // namespace sluice::engine
