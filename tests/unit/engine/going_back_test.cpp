// The way back of a StatefulSet: what is written before a pod goes, and what becomes of a revision
// that failed.
#include <gtest/gtest.h>

#include "tests/unit/engine/steered.hpp"

namespace sluice::engine {
namespace {

using namespace testing;
namespace key = model::key;

// The last pods of three run B, which failed, and nobody tries it again.
Snapshot failed_with(int updated) {
    Snapshot look = rolling(3, 3 - updated);
    look.workload.partition = closed_partition;
    Memory memory = opened(look);
    memory.open = false;
    memory.failed = true;
    return remembering(look, memory);
}

// An API that knows by itself that B failed, and what becomes of its pods.
Course knowing(bool returns) {
    Course one = course(step_to(1));
    one.quarantine = Quarantine{.revision = "web-B", .returns = returns};
    return one;
}

TEST(FailedRevision, ItsPodsAreCountedWhereTheyStay) {
    EXPECT_EQ(steer(failed_with(0), course(), noon).report.message,
              "Revision web-B failed; all pods are back on revision web-A.");
    EXPECT_EQ(steer(failed_with(1), course(), noon).report.message,
              "Revision web-B failed; 1 of 3 pods run it, and no further one goes.");
    Snapshot look = failed_with(3);
    EXPECT_EQ(steer(look, course(), noon).report.message,
              "Revision web-B failed; 3 of 3 pods run it, and no further one goes.");
    look.pods.erase(look.pods.begin());
    EXPECT_EQ(steer(look, course(), noon).report.message,
              "Revision web-B failed; 2 of 3 pods run it, and no further one goes.");
}

TEST(FailedRevision, IsNotTriedAgainBecauseItsMemoryIsLost) {
    const Decision stays = steer(pending(3), knowing(false), noon);
    EXPECT_EQ(stays.report.reason, Reason::RolledBack);
    EXPECT_EQ(told(stays, Reason::Adopted),
              "Revision web-B failed before, and is not tried again.");
    EXPECT_TRUE(stays.needs_live);
    const Memory failed = recall(after(pending(3), stays)).value();
    EXPECT_EQ(failed.id, 1);
    EXPECT_EQ(failed.partition, closed_partition);
    EXPECT_TRUE(failed.failed);
    EXPECT_FALSE(failed.open || failed.returning);

    const Decision returns = steer(pending(3), knowing(true), noon);
    EXPECT_EQ(returns.report.reason, Reason::RollingBack);
    const Memory returning = recall(after(pending(3), returns)).value();
    EXPECT_TRUE(returning.open && returning.returning);
    EXPECT_FALSE(returning.failed);
}

TEST(FailedRevision, AWordThatWasSaidBeforeIsNoWishToTryItAgain) {
    Snapshot look = pending(3);
    look.workload.has_annotations = true;
    look.workload.annotations[key::retry] = "last week";
    look = then(look, steer(look, knowing(false), noon));
    EXPECT_EQ(steer(look, knowing(false), noon).report.reason, Reason::RolledBack);
    look.workload.annotations[key::retry] = "now";
    EXPECT_EQ(steer(look, knowing(false), noon).report.reason, Reason::RolloutStarted);
}

TEST(Abort, LooksAtTheApiFirstForSomebodyMayHavePausedIt) {
    Course aborted = course(step_to(2));
    aborted.abort = "Somebody aborted it.";
    const Decision decision = steer(open_at(3, 2), aborted, noon);
    EXPECT_EQ(decision.report.message,
              "Somebody aborted it. The pods that were updated return to the revision before.");
    EXPECT_EQ(moved_to(decision), closed_partition);
    EXPECT_TRUE(decision.needs_live);
}

TEST(GoingBack, TheSetCarriesTheFenceOfTheLeaderBeforeAPodGoesAndTheWordComesWithThePod) {
    Snapshot look = going_back();
    look.environment.fence = "lease/1";
    Course elsewhere = course();
    elsewhere.reports_on_workload = false;
    const Decision first = steer(look, elsewhere, noon);
    EXPECT_FALSE(removal_in(first));
    EXPECT_TRUE(first.notices.empty());
    look.workload = after(look, first);
    EXPECT_EQ(look.workload.annotations.at(key::fence), "lease/1");
    const Decision second = steer(look, elsewhere, noon);
    EXPECT_TRUE(removal_in(second));
    EXPECT_EQ(told(second, Reason::RollingBack), "Pod web-1 returns to revision web-A.");
}

}  // namespace
}  // namespace sluice::engine
