// Updates of members that an API replaces itself: how many may go, and what is told of them.
#include <gtest/gtest.h>

#include "base/hash.hpp"
#include "tests/unit/engine/steered.hpp"

namespace sluice::engine {
namespace {

using namespace testing;

// Members web-0, web-1 and so on, of which the last ones are exposed and on B.
struct Cluster {
    Snapshot look;
    Course course;

    Decision steered() const { return steer(look, course, noon); }
    MemberCluster& members() { return course.members.value(); }
    Memory& memory() { return members().memory.value(); }
};

Cluster members_at(int count, int exposed, const Plan& plan = {}) {
    const int first = count - exposed;
    Cluster one{rolling(count, first), course(plan)};
    one.look.workload.replicas = PodCount{0};
    MemberCluster members{.names = {},
                          .exposed = PodCount{exposed},
                          .current = "web-A",
                          .updated = "web-B",
                          .memory = opened(one.look)};
    for (const model::Pod& pod : one.look.pods)
        members.names.push_back(pod.meta.key.name);
    members.memory->partition = Partition{first};
    one.course.members = std::move(members);
    one.course.allowed = Reason::StepTaken;
    return one;
}

// All of them are on A, and that is what is wanted.
Cluster settled(int count) {
    Cluster one = members_at(count, 0);
    one.members().updated = "web-A";
    one.memory().revision = "web-A";
    one.memory().partition = closed_partition;
    one.memory().open = false;
    return one;
}

// On their way back to A.
Cluster returning(int count, int exposed) {
    Cluster one = members_at(count, exposed);
    one.memory().partition = closed_partition;
    one.memory().returning = true;
    return one;
}

TEST(MembersLever, AClusterAtRestHasNothingToRemember) {
    const Decision decision = settled(3).steered();
    EXPECT_EQ(decision.report.phase, Phase::Idle);
    EXPECT_FALSE(decision.memory);
}

TEST(MembersLever, WhatIsNotWantedAnyMoreIsForgottenWithHowItWent) {
    Cluster open = settled(3);
    open.memory().revision = "web-B";
    open.memory().open = open.memory().returning = true;
    Cluster failed = settled(3);
    failed.memory().failed = true;
    Cluster done = settled(3);
    done.memory().revision = "web-B";
    for (const Cluster& one : {open, failed, done}) {
        const Decision decision = one.steered();
        EXPECT_EQ(decision.report.phase, Phase::Idle);
        ASSERT_TRUE(decision.memory);
        EXPECT_EQ(decision.memory->revision, "web-A");
        EXPECT_EQ(decision.memory->partition, closed_partition);
        EXPECT_FALSE(decision.memory->open || decision.memory->returning ||
                     decision.memory->failed);
    }
}

TEST(MembersLever, SaysWhichMemberMayGoOrHowMany) {
    const Decision first = members_at(5, 0, step_to(1)).steered();
    EXPECT_EQ(told(first, Reason::StepTaken),
              "Member web-4 may be updated to revision web-B (1 of 5).");
    EXPECT_EQ(first.memory->partition, Partition{4});
    EXPECT_EQ(told(members_at(5, 1, step_to(2)).steered(), Reason::StepTaken),
              "Member web-3 may be updated to revision web-B (2 of 5).");
    const Decision two = members_at(5, 1, step_to(3)).steered();
    EXPECT_EQ(told(two, Reason::StepTaken), "2 members may be updated to revision web-B (3 of 5).");
    EXPECT_EQ(two.report.message, "Waiting for 3 of 5 members to be at revision web-B and ready.");
    EXPECT_EQ(told(members_at(5, 2, step_to(5)).steered(), Reason::StepTaken),
              "3 members may be updated to revision web-B (5 of 5).");
}

TEST(MembersLever, TakingTheWishToTryAgainAwayAsksForNothing) {
    Cluster one = members_at(3, 0);
    one.memory().open = false;
    one.memory().failed = true;
    one.course.retry = "again";
    one.memory().retry = fnv1a("again");
    EXPECT_EQ(one.steered().report.reason, Reason::RolledBack);
    one.course.retry = "";
    EXPECT_EQ(one.steered().report.reason, Reason::RolledBack);
    one.course.retry = "once more";
    EXPECT_EQ(one.steered().report.reason, Reason::RolloutStarted);
}

TEST(MembersLever, ComeBackWhenNoneIsOnAnotherRevision) {
    EXPECT_EQ(returning(3, 1).steered().report.message, "Waiting for web-2 to be replaced.");
    EXPECT_EQ(returning(3, 3).steered().report.message, "Waiting for web-0 to be replaced.");
    Cluster one = returning(3, 3);
    one.look.pods = {pod(0, "A"), pod(2, "A")};
    const Decision decision = one.steered();
    EXPECT_EQ(decision.report.reason, Reason::RolledBack) << "one that is away comes back on A";
    EXPECT_EQ(decision.report.message,
              "Revision web-B failed; all members are back at revision "
              "web-A.");
    EXPECT_TRUE(decision.memory->failed);
}

}  // namespace
}  // namespace sluice::engine
