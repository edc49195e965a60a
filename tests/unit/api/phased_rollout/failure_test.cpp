// What is known of a revision that failed: when the set has lost it, and when its PhasedRollout
// goes.
#include <gtest/gtest.h>

#include "tests/unit/api/phased_rollout/looks.hpp"

namespace sluice::api::phased_rollout {
namespace {

using namespace testing;

// The set remembers nothing, and the status of the PhasedRollout says that web-B failed.
Snapshot forgetful(model::CustomObject one) {
    Status status;
    status.failed_revision = "web-B";
    one.status = write_status(status);
    return with(rolling(3, 1), {one});
}

TEST(FailedRevision, ASetThatHasLostItsMemoryDoesNotTryAgainWhatFailed) {
    EXPECT_EQ(line(decide(forgetful(object("slow")), noon)),
              "RolledBack; writes, partition 1000000; tells Adopted");
}

TEST(FailedRevision, ASetThatHasLostItsMemoryTakesBackWhatFailed) {
    const auto returns = object("slow", {{"/onFailure", "\"Rollback\""}});
    EXPECT_EQ(line(decide(forgetful(returns), noon)),
              "RollingBack; writes, partition 1000000; tells Adopted");
}

TEST(FailedRevision, ARetryIsTriedThoughTheSetHasLostItsMemory) {
    model::CustomObject again = object("slow");
    again.annotations[key::retry] = "again";
    EXPECT_EQ(line(decide(forgetful(again), noon)),
              "RolloutStarted; writes, partition 1000000; tells Adopted; tells RolloutStarted");
}

model::CustomObject leaving(const std::vector<Change>& changes = {}) {
    model::CustomObject one = object("slow", changes);
    one.meta.deleting = true;
    return one;
}

// The set remembers this of a revision, and its PhasedRollout is deleted.
std::string parted(const std::string& revision, bool has_failed, bool is_returning) {
    Snapshot look = open_at(2, {leaving()});
    engine::Memory memory = memory_of(look, is_returning);
    memory.revision = revision;
    memory.failed = has_failed;
    memory.returning = is_returning;
    return line(decide(claimed(look, memory), noon));
}

TEST(FailedRevision, WhatFailedGoesNoFurtherForADeletion) {
    EXPECT_EQ(parted("web-B", true, false), "Released; writes, releases; tells Released");
    EXPECT_EQ(parted("web-B", false, true), "Released; writes, releases; tells Released");
}

TEST(FailedRevision, ADeletionOpensTheGateThoughAnotherRevisionFailed) {
    EXPECT_EQ(parted("web-X", true, false),
              "Released; writes, partition 0, releases; tells Released");
}

TEST(FailedRevision, ADeletionThatFreezesWaitsUntilItIsKnownWhatIsPending) {
    Snapshot look = open_at(2, {leaving({{"/deletionPolicy", "\"Freeze\""}})});
    look.workload.observed_generation = look.workload.meta.generation - 1;
    EXPECT_EQ(line(decide(look, noon)), "StatusStale");
}

}  // namespace
}  // namespace sluice::api::phased_rollout
