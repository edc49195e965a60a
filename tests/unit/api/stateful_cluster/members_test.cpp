#include "api/stateful_cluster/members.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/unit/api/stateful_cluster/cluster.hpp"

namespace sluice::api::stateful_cluster {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using State = Member::State;
using Why = Leaver::Why;

TEST(Members, WhoAreWellStayAsTheyAre) {
    const Known known = three();
    const Tended tended = known.tended();
    EXPECT_EQ(tended.status.members, known.status.members);
    EXPECT_TRUE(tended.status.leaving.empty());
    EXPECT_TRUE(tended.notices.empty());
}

TEST(Members, NewOnesHaveNamesThatNobodyHasHad) {
    Known known;
    const Tended first = known.tended();
    ASSERT_EQ(first.status.members.size(), 3u);
    std::set<std::string> seen;
    for (const Member& one : first.status.members) {
        EXPECT_THAT(one.name, MatchesRegex("db-[0-9a-f]{16}"));
        EXPECT_EQ(one.state, State::Planned);
        seen.insert(one.name);
    }
    known.now = known.now + 1ms;  // a status that was lost, a backup that was restored
    for (const Member& one : known.tended().status.members)
        seen.insert(one.name);
    known.object.meta.uid = "uid-of-a-namesake";
    for (const Member& one : known.tended().status.members)
        seen.insert(one.name);
    EXPECT_EQ(seen.size(), 9u);
}

TEST(Members, APodThatIsGoneComesBackAsAnotherInTheSamePlace) {
    Known known = three();
    known.pods.erase(known.pods.begin() + 1);
    const Tended tended = known.tended();
    const Member& successor = tended.status.members[1];
    EXPECT_NE(successor.name, "db-b");
    EXPECT_EQ(successor.state, State::Planned);
    EXPECT_EQ(successor.after, "db-b");
    EXPECT_EQ(successor.claims_of, "") << "it starts with claims of its own";
    EXPECT_TRUE(tended.status.leaving.empty()) << "nothing is left to be done for it";
}

TEST(Members, APodThatIsGoingIsWaitedFor) {
    Known known = three();
    known.pods[1].meta.deleting = true;
    const Tended tended = known.tended();
    EXPECT_THAT(tended.status.leaving,
                ElementsAre(Leaver{.name = "db-b", .why = Why::Gone, .claims_of = ""}));
    Status status = tended.status;
    EXPECT_TRUE(due(known.view(), status).empty());
    known.pods.erase(known.pods.begin() + 1);
    ASSERT_EQ(due(known.view(), status).size(), 1u);
}

TEST(Members, TheLastCopyGoesToItsSuccessor) {
    Known known = three();
    known.pods.clear();
    for (const Member& one : known.tended().status.members)
        EXPECT_EQ(one.claims_of, identity_in(one.after));
}

TEST(Members, OneWhosePodMayNeverHaveBeenMadeIsGivenUpWhenNoRequestCanComeLate) {
    Known known = three();
    known.pods.erase(known.pods.begin());
    known.status.members[0].state = State::Creating;
    known.status.members[0].since = noon - 74s;
    EXPECT_EQ(known.tended().status.members[0].name, "db-a");
    EXPECT_EQ(known.tended().wake_at, noon + 1s);
    known.now = noon + 1s;
    const Member successor = known.tended().status.members[0];
    EXPECT_NE(successor.name, "db-a");
    EXPECT_EQ(successor.claims_of, "a") << "nobody else can have them";
}

TEST(Members, OneThatIsNotReadyForTooLongIsReplaced) {
    Known known = three();
    known.unready(2, 299s);
    EXPECT_EQ(names_of(known.tended().status), names_of(known.status));
    EXPECT_EQ(known.tended().wake_at, noon + 1s);
    known.unready(2, 300s);
    const Tended tended = known.tended();
    EXPECT_NE(tended.status.members[2].name, "db-c");
    ASSERT_EQ(tended.status.leaving.size(), 1u);
    EXPECT_EQ(tended.status.leaving[0].why, Why::Failed);
    ASSERT_EQ(tended.notices.size(), 1u);
    EXPECT_THAT(tended.notices[0].message, HasSubstr("db-c has not been ready for 5m"));
}

TEST(Members, ASlowStartHasADeadlineOfItsOwn) {
    Known known = three();
    Member& member = known.status.members[0];
    known.unready(0, 1799s).never_ready = true;
    member.state = State::Starting;
    EXPECT_EQ(names_of(known.tended().status), names_of(known.status));
    member.since = noon - 1800s;
    EXPECT_NE(known.tended().status.members[0].name, "db-a");
    member.state = State::Ready;  // it was, whatever its pod says
    EXPECT_EQ(known.tended().status.members[0].name, "db-a");
}

TEST(Members, OneWithoutItsVolumeIsReplacedAndKeepsNoClaims) {
    Known known = three();
    known.unready(1, 1s);
    View view = known.view();
    view.without_volume = {"db-b"};
    Status status = known.status;
    status.update_revision = "db-1";
    const Tended tended = tend(view, status, "db-1");
    EXPECT_NE(tended.status.members[1].name, "db-b");
    EXPECT_EQ(tended.status.members[1].claims_of, "");
    known.pods[0].ready = known.pods[2].ready = false;
    known.spec.replicas = PodCount{1};
    known.pods = {known.pods[1]};
    status.members = {status.members[1]};
    const Tended alone = tend(view, status, "db-1");
    EXPECT_NE(alone.status.members[0].name, "db-b");
    EXPECT_EQ(alone.status.members[0].claims_of, "") << "it is no copy of anything";
}

TEST(Members, TheClocksOfOthersAreNotAsked) {
    Known known = three();
    model::Pod& pod = known.unready(1, 1s);
    pod.created = pod.ready_since = noon - 24h;
    EXPECT_EQ(names_of(known.tended().status), names_of(known.status));
    pod.created = pod.ready_since = noon + 24h;
    known.status.members[1].since = noon - 300s;
    EXPECT_NE(known.tended().status.members[1].name, "db-b");
}

TEST(Members, WhatIsNewsIsSeenSinceNow) {
    Known known = three();
    known.pods[0].ready = false;
    Status status = known.status;
    count_members(known.view(), status);
    EXPECT_EQ(status.members[0].state, State::NotReady);
    EXPECT_EQ(status.members[0].since, noon);
    status.members[0].since = noon - 7s;
    count_members(known.view(), status);
    EXPECT_EQ(status.members[0].since, noon - 7s);
}

TEST(Members, AnOutageReplacesNobodyAndRenewsEverybodysPatience) {
    Known known = three();
    known.unready(0, 1h);
    known.unready(1, 1h);
    Tended tended = known.tended();
    EXPECT_EQ(names_of(tended.status), names_of(known.status));
    ASSERT_TRUE(tended.held.has_value());
    EXPECT_EQ(tended.held->reason, engine::Reason::TooManyUnready);
    known.status.reason = "TooManyUnready";
    known.pods[0].ready = true;
    tended = known.tended();
    EXPECT_FALSE(tended.held.has_value());
    EXPECT_EQ(names_of(tended.status), names_of(known.status));
    EXPECT_EQ(tended.wake_at, noon + 300s);
}

TEST(Members, HalfOfTwoIsNoOutageAndHalfOfFourIs) {
    Known two;
    two.spec.replicas = PodCount{2};
    two.add("db-a");
    two.add("db-b");
    two.unready(0, 1h);
    EXPECT_FALSE(two.tended().held.has_value());
    Known four = three();
    four.spec.replicas = PodCount{4};
    four.add("db-d");
    four.unready(0, 1h);
    four.unready(1, 1h);
    EXPECT_TRUE(four.tended().held.has_value());
}

TEST(Members, OneThatWasAddedAndDoesNotStartIsNoLoss) {
    Known known = three();
    known.spec.replicas = PodCount{5};
    for (const char* name : {"db-d", "db-e"}) {
        model::Pod& pod = known.add(name);
        pod.ready = false;
        pod.never_ready = true;
        known.status.members.back().state = State::Starting;
        known.status.members.back().since = noon - 1min;
        known.status.members.back().added = true;
    }
    known.unready(0, 1h);
    const Tended tended = known.tended();
    EXPECT_FALSE(tended.held.has_value());
    ASSERT_EQ(tended.status.leaving.size(), 1u);
    EXPECT_EQ(tended.status.leaving[0].name, "db-a");
    known.pods[3].ready = true;
    known.pods[3].never_ready = false;
    const Status status = known.tended().status;
    EXPECT_FALSE(status.members[3].added) << "from now on it is";
    EXPECT_TRUE(status.members[4].added);
}

TEST(Members, OneThatWasReadyWhileNobodyLookedIsALoss) {
    Known known = three();
    known.spec.replicas = PodCount{4};
    known.add("db-d").ready = false;
    known.status.members.back().state = State::Starting;
    known.status.members.back().added = true;
    known.unready(0, 1h);
    known.pods[3].never_ready = true;
    EXPECT_FALSE(known.tended().held.has_value());
    known.pods[3].never_ready = false;
    EXPECT_TRUE(known.tended().held.has_value()) << "two of four are away";
}

TEST(Members, WhoHasEndedIsReplacedInAnOutageAndKeepsItsClaims) {
    Known known = three();
    for (const std::size_t i : {0u, 1u}) {
        known.unready(i, 1s);
        known.pods[i].ended = true;
    }
    const Tended tended = known.tended();
    EXPECT_FALSE(tended.held.has_value());
    ASSERT_EQ(tended.status.leaving.size(), 2u);
    for (const std::size_t i : {0u, 1u})
        EXPECT_EQ(tended.status.members[i].claims_of, identity_in(known.status.members[i].name));
    EXPECT_THAT(tended.notices[0].message, HasSubstr("db-a has ended"));
}

TEST(Members, ClaimsThatWereTakenOverGoOnUntilSomebodyWasReadyWithThem) {
    Known known = three();
    known.unready(1, 1h).never_ready = true;
    known.pods[1].node = "node-1";
    known.status.members[1].state = State::Starting;
    EXPECT_EQ(known.tended().status.members[1].claims_of, "") << "they were its own, and empty";
    known.status.members[1].claims_of = "other";
    EXPECT_EQ(known.tended().status.members[1].claims_of, "other");
    EXPECT_TRUE(known.tended().status.leaving[0].hands_over);
    known.pods[1].node.clear();
    EXPECT_EQ(known.tended().status.members[1].claims_of, "") << "no node takes it with these";
    known.pods[1].node = "node-1";
    known.status.members[1].state = State::NotReady;
    EXPECT_EQ(known.tended().status.members[1].claims_of, "") << "it was ready";
}

TEST(Members, NobodyBecomesWhatIsNotWantedAnyMore) {
    Known known = three();
    known.status.update_revision = "db-1";
    known.status.members[0] = {.name = "db-planned", .revision = "db-2"};
    known.status.members[2].revision = "db-2";  // it was to be updated in place
    const Tended tended = known.tended();
    EXPECT_EQ(tended.status.members[0].revision, "db-1");
    EXPECT_EQ(tended.status.members[2].revision, "db-1") << "as its pod still is";
}

TEST(Members, AnUpdateWaitsForWhoeverMayBeMadeJustNow) {
    Known known = three();
    known.status.update_revision = "db-2";
    known.status.exposed = PodCount{1};
    known.status.members[2] = {
        .name = "db-x", .state = State::Creating, .revision = "db-1", .since = noon - 5s};
    known.pods.pop_back();
    EXPECT_EQ(known.tended().status.members[2].name, "db-x");
    View view = known.view();
    view.refused = "db-x";
    EXPECT_NE(tend(view, known.status, "db-1").status.members[2].name, "db-x") << "it was not made";
}

TEST(Members, AnUpdateInPlaceHasTheTimeOfAStart) {
    Known known = three();
    known.status.update_revision = "db-2";
    known.status.exposed = PodCount{1};
    View view = known.view();
    view.in_place_from = {"db-1"};
    Status status = tend(view, known.status, "db-1").status;
    EXPECT_EQ(status.members[2].name, "db-c");
    EXPECT_EQ(status.members[2].revision, "db-2");
    count_members(view, status);
    EXPECT_EQ(status.members[2].state, State::Starting) << "its pod has the old images still";
    known.pods[2].revision = "db-2";
    known.pods[2].ready = false;
    known.now = noon + 1799s;
    status = tend(known.view(), status, "db-1").status;
    EXPECT_EQ(status.members[2].name, "db-c");
    count_members(known.view(), status);
    EXPECT_EQ(status.members[2].state, State::Starting);
    known.now = noon + 1800s;
    EXPECT_NE(tend(known.view(), status, "db-1").status.members[2].name, "db-c");
    known.pods[2].ready = true;
    count_members(known.view(), status);
    EXPECT_EQ(status.members[2].state, State::Ready);
}

TEST(Members, SoManyAtATimeAsMayBeAway) {
    Known known = three();
    known.spec.replicas = PodCount{5};
    known.add("db-d");
    known.add("db-e");
    known.unready(0, 1h);
    known.unready(1, 1h);
    EXPECT_EQ(known.tended().status.leaving.size(), 1u);
    known.spec.max_unavailable = PodCount{2};
    EXPECT_EQ(known.tended().status.leaving.size(), 2u);
}

struct Sacrifice {
    const char* why;
    void (*prepare)(Known& known);
    const char* victim;
};

TEST(Members, WhoGoesIfFewerAreWanted) {
    constexpr Sacrifice rows[] = {
        {"the youngest", [](Known& known) { known.pods[1].created = noon; }, "db-b"},
        {"of the zone with most",
         [](Known& known) {
             known.pods[1].created = noon;
             known.pods[0].zone = known.pods[2].zone = "z1";
             known.pods[1].zone = "z2";
             known.pods[0].created = noon - 2h;
         },
         "db-c"},
        {"one that is outdated",
         [](Known& known) {
             known.pods[1].created = noon;
             known.status.members[0].revision = "db-0";
         },
         "db-a"},
        {"one that is not ready",
         [](Known& known) {
             known.status.members[0].revision = "db-0";
             known.unready(2, 1s);
         },
         "db-c"},
        {"whom a person picked",
         [](Known& known) {
             known.unready(2, 1s);
             known.pods[1].goes_first = true;
         },
         "db-b"},
        {"one that was not made yet",
         [](Known& known) {
             known.pods[1].goes_first = true;
             known.pods.erase(known.pods.begin());
             known.status.members[0].state = State::Planned;
         },
         "db-a"},
    };
    for (const Sacrifice& row : rows) {
        Known known = three();
        known.spec.replicas = PodCount{2};
        row.prepare(known);
        const Status status = known.tended().status;
        EXPECT_EQ(status.members.size(), 2u) << row.why;
        for (const Member& one : status.members)
            EXPECT_NE(one.name, row.victim) << row.why;
    }
}

TEST(Members, AnUpdateReachesTheLastOnesAndNobodyElse) {
    Known known = three();
    known.status.update_revision = "db-2";
    known.status.exposed = PodCount{1};
    const Status status = known.tended().status;
    EXPECT_EQ(status.members[1].name, "db-b");
    EXPECT_EQ(status.members[2].revision, "db-2");
    EXPECT_EQ(status.members[2].claims_of, "c") << "Keep is the default";
    known.spec.claim_policy = ClaimPolicy::New;
    EXPECT_EQ(known.tended().status.members[2].claims_of, "");
}

TEST(Members, AnUpdateInPlaceKeepsTheMemberAndOnlyReplacesNobody) {
    Known known = three();
    known.status.update_revision = "db-2";
    known.status.exposed = PodCount{1};
    View view = known.view();
    view.in_place_from = {"db-1"};
    Tended tended = tend(view, known.status, "db-1");
    EXPECT_EQ(tended.status.members[2].name, "db-c");
    EXPECT_EQ(tended.status.members[2].revision, "db-2");
    EXPECT_EQ(tended.status.members[1].revision, "db-1");
    EXPECT_TRUE(tended.status.leaving.empty());
    known.spec.in_place = InPlace::Only;
    tended = known.tended();
    EXPECT_EQ(tended.status.members[2].revision, "db-1");
    ASSERT_TRUE(tended.held.has_value());
    EXPECT_EQ(tended.held->reason, engine::Reason::NotInPlace);
}

TEST(Members, ThoseWhoComeInMidUpdateComeInFrontAndThoseWhoGoAreNotCounted) {
    Known known = three();
    known.status.update_revision = "db-2";
    known.status.exposed = PodCount{1};
    known.status.members[2].revision = known.pods[2].revision = "db-2";
    known.spec.replicas = PodCount{4};
    Status status = known.tended().status;
    EXPECT_EQ(status.members[0].state, State::Planned);
    EXPECT_EQ(status.members[0].revision, "db-1");
    EXPECT_EQ(status.exposed, PodCount{1});
    known.spec.replicas = PodCount{2};
    known.pods[2].goes_first = true;
    status = known.tended().status;
    EXPECT_EQ(status.exposed, PodCount{0});
    EXPECT_EQ(names_of(status), (std::vector<std::string>{"db-a", "db-b"}));
}

TEST(Members, PodsThatNobodyWroteDownAreMembersUnlessTheyGo) {
    Known known = three();
    known.status.members.clear();
    EXPECT_EQ(known.tended().status.members.size(), 3u);
    known.pods[0].meta.deleting = true;
    known.pods[1].owner_uid = "uid-of-a-namesake";
    known.pods[2].claims = "beef";
    const Status status = known.tended().status;
    EXPECT_EQ(std::ranges::count(names_of(status), "db-c"), 1);
    EXPECT_EQ(std::ranges::find(status.members, "db-c", &Member::name)->claims_of, "beef");
    EXPECT_EQ(std::ranges::count(names_of(status), "db-a"), 0);
    EXPECT_EQ(std::ranges::count(names_of(status), "db-b"), 0);
}

TEST(Members, OneAfterTheOtherOrAllAtOnce) {
    Known known;
    Status status = known.tended().status;
    EXPECT_EQ(due(known.view(), status).size(), 1u);
    known.spec.order = Order::Parallel;
    EXPECT_EQ(due(known.view(), status).size(), 3u);
    known.spec.order = Order::OrderedReady;
    status.members[0].state = State::Creating;
    EXPECT_TRUE(due(known.view(), status).empty());
    View view = known.view();
    view.without_volume = {status.members[0].name};
    EXPECT_EQ(due(view, status).size(), 1u) << "who cannot start keeps nobody back";
}

TEST(Members, ClaimsThatAreToGoKeepTheLeaverOnTheList) {
    Known known = three();
    known.spec.retention.when_scaled = Retention::Delete;
    known.status.leaving = {
        {.name = "db-x", .why = Why::Scaled, .claims_of = ""},
        {.name = "db-y", .why = Why::Failed, .claims_of = ""},
        {.name = "db-z", .why = Why::Scaled, .claims_of = "", .hands_over = true}};
    const Status status = known.tended().status;
    ASSERT_EQ(status.leaving.size(), 1u);
    EXPECT_EQ(status.leaving[0].name, "db-x");
}

}  // namespace
}  // namespace sluice::api::stateful_cluster
