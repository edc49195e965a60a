#include "runtime/election.hpp"

#include <gtest/gtest.h>

namespace sluice::runtime {
namespace {

using model::Lease;

const Instant noon{1'790'000'000'000};
const std::unexpected<Error> conflict = failure(ErrorKind::Conflict, "somebody was faster");
const std::unexpected<Error> timeout = failure(ErrorKind::Timeout, "no answer");
const std::unexpected<Error> not_found = failure(ErrorKind::NotFound, "no lease");

Lease lease(const std::string& holder, const std::string& version, std::int64_t transitions = 4) {
    return {.uid = "lease-1",
            .resource_version = version,
            .holder = holder,
            .duration = 15s,
            .renewed = version,
            .transitions = transitions};
}

// "read", "create", "take 4" (with the fence it asks for), "renew" or "nothing".
std::string polled(Election& election, Instant now) {
    const auto request = election.poll(now);
    if (!request) return "nothing";
    if (std::holds_alternative<ReadLease>(*request)) return "read";
    const Lease& wanted = std::get<WriteLease>(*request).lease;
    if (wanted.resource_version.empty()) return "create";
    return wanted.holder + " " + std::to_string(wanted.transitions);
}

// The lease as it would be written, and since when it is held.
WriteLease written(Election& election, Instant now) {
    return std::get<WriteLease>(election.poll(now).value());
}

// An election of `me` that just took over the free lease.
Election leading(Instant now) {
    Election election{"me", 1};
    static_cast<void>(election.poll(now));
    election.on_read(lease("", "10"), now);
    static_cast<void>(election.poll(now));
    election.on_written(lease("me", "11", 5), now);
    return election;
}

TEST(Election, ReadsBeforeItWrites) {
    Election election{"me", 1};
    EXPECT_EQ(polled(election, noon), "read");
    EXPECT_EQ(polled(election, noon + 1h), "nothing") << "one request at a time";
    EXPECT_FALSE(election.leads(noon));
}

TEST(Election, CreatesTheLeaseWhereThereIsNone) {
    Election election{"me", 1};
    static_cast<void>(election.poll(noon));
    election.on_read(not_found, noon);
    EXPECT_EQ(polled(election, noon), "create");
    election.on_written(lease("me", "1", 0), noon);
    EXPECT_TRUE(election.leads(noon));
    EXPECT_EQ(polled(election, election.wake_at()), "me 0") << "and renews it from then on";
}

TEST(Election, ALeaseThatIsCreatedHasNeverChangedHands) {
    Election election{"me", 1};
    static_cast<void>(election.poll(noon));
    election.on_read(not_found, noon);
    const WriteLease wanted = written(election, noon);
    EXPECT_EQ(wanted.lease.holder, "me");
    EXPECT_EQ(wanted.lease.transitions, 0);
    EXPECT_EQ(wanted.lease.duration, 15s);
    EXPECT_EQ(wanted.acquired, noon);
}

TEST(Election, WhoTakesALeaseOverHoldsItForAsLongAsItsOwnRules) {
    Election election{"me", 1};
    static_cast<void>(election.poll(noon));
    Lease released = lease("", "10");
    released.duration = 1s;
    election.on_read(released, noon);
    const WriteLease wanted = written(election, noon);
    EXPECT_EQ(wanted.lease.duration, 15s);
    EXPECT_EQ(wanted.acquired, noon);
}

TEST(Election, ARenewalTellsSinceWhenTheLeaseIsHeld) {
    Election election = leading(noon);
    for (int renewal = 0; renewal < 3; ++renewal) {
        const Instant next = election.wake_at();
        EXPECT_EQ(written(election, next).acquired, noon);
        election.on_written(lease("me", std::to_string(12 + renewal), 5), next + 100ms);
    }
}

TEST(Election, AnAnswerThatNamesAnotherHolderIsNoLead) {
    Election election{"me", 1};
    static_cast<void>(election.poll(noon));
    election.on_read(lease("", "10"), noon);
    static_cast<void>(election.poll(noon));
    election.on_written(lease("other", "11", 5), noon);
    EXPECT_FALSE(election.leads(noon));
}

TEST(Election, ALeaseIsFreeAtTheVeryEndOfItsDuration) {
    Election election{"me", 1};
    static_cast<void>(election.poll(noon));
    election.on_read(lease("other", "10"), noon);
    EXPECT_EQ(polled(election, noon + 15s), "me 5");
}

TEST(Election, WhoLosesTheRaceToCreateItLooksAgain) {
    Election election{"me", 1};
    static_cast<void>(election.poll(noon));
    election.on_read(not_found, noon);
    static_cast<void>(election.poll(noon));
    election.on_written(conflict, noon);
    EXPECT_FALSE(election.leads(noon));
    EXPECT_EQ(polled(election, noon), "nothing");
    EXPECT_EQ(polled(election, election.wake_at()), "read");
}

TEST(Election, TakesAFreeLeaseAtOnceAndCountsTheChangeOfHands) {
    Election election{"me", 1};
    static_cast<void>(election.poll(noon));
    election.on_read(lease("", "10"), noon);
    EXPECT_EQ(polled(election, noon), "me 5");
    election.on_written(lease("me", "11", 5), noon + 1s);
    EXPECT_TRUE(election.leads(noon + 1s));
    EXPECT_EQ(election.fence(), (model::Fence{"lease-1", 5}));
}

TEST(Election, WaitsForAnothersLeaseByItsOwnClock) {
    Election election{"me", 1};
    static_cast<void>(election.poll(noon));
    election.on_read(lease("other", "10"), noon);
    Instant now = election.wake_at();
    EXPECT_GE(now, noon + 2s);
    while (now < noon + 15s) {
        ASSERT_EQ(polled(election, now), "read") << "nothing is taken before its whole duration";
        election.on_read(lease("other", "10"), now);
        now = std::max(now + 1ms, election.wake_at());
    }
    EXPECT_EQ(polled(election, now), "me 5");
}

TEST(Election, ALeaseThatChangedIsWaitedForAnew) {
    Election election{"me", 1};
    Instant now = noon;
    for (int renewal = 0; renewal < 20; ++renewal) {
        ASSERT_EQ(polled(election, now), "read");
        election.on_read(lease("other", std::to_string(renewal)), now);
        now = now + 10s;
    }
    EXPECT_FALSE(election.leads(now));
}

TEST(Election, TheTimesInTheLeaseAreNotComparedWithOurs) {
    Election election{"me", 1};
    static_cast<void>(election.poll(noon));
    Lease ancient = lease("other", "10");
    ancient.renewed = "1970-01-01T00:00:00.000000Z";
    election.on_read(ancient, noon);
    EXPECT_EQ(polled(election, election.wake_at()), "read");
}

TEST(Election, RenewsWithoutCountingAChangeOfHands) {
    Election election = leading(noon);
    EXPECT_EQ(polled(election, noon + 1s), "nothing");
    const Instant next = election.wake_at();
    EXPECT_LE(next, noon + 2400ms);
    EXPECT_EQ(polled(election, next), "me 5");
    election.on_written(lease("me", "12", 5), next + 100ms);
    EXPECT_TRUE(election.leads(next + 9'999ms));
    EXPECT_EQ(election.fence(), (model::Fence{"lease-1", 5}));
}

TEST(Election, StopsLeadingOnSilenceBeforeAnybodyElseMayTakeOver) {
    const Election election = leading(noon);
    EXPECT_TRUE(election.leads(noon + 9'999ms));
    EXPECT_FALSE(election.leads(noon + 10s));
}

TEST(Election, CountsFromBeforeTheRequestWasSentNotFromItsAnswer) {
    Election election = leading(noon);
    const Instant sent = election.wake_at();
    static_cast<void>(election.poll(sent));
    election.on_written(lease("me", "12", 5), sent + 7s);
    EXPECT_FALSE(election.leads(sent + 10s));
}

TEST(Election, ARenewalOfUnknownOutcomeIsLookedAtBeforeTheNext) {
    Election election = leading(noon);
    const Instant next = election.wake_at();
    ASSERT_EQ(polled(election, next), "me 5");
    election.on_written(timeout, next + 5s);
    EXPECT_TRUE(election.leads(next + 5s)) << "the last renewal still holds";
    const Instant later = election.wake_at();
    EXPECT_EQ(polled(election, later), "read");
    election.on_read(lease("me", "12", 5), later);
    EXPECT_EQ(polled(election, later), "me 5");
}

TEST(Election, ALeaseThatAnotherTookIsNotOurs) {
    Election election = leading(noon);
    const Instant next = election.wake_at();
    static_cast<void>(election.poll(next));
    election.on_written(conflict, next);
    ASSERT_EQ(polled(election, election.wake_at()), "read");
    election.on_read(lease("other", "12", 6), next + 3s);
    EXPECT_EQ(polled(election, election.wake_at()), "read") << "it waits again";
    EXPECT_FALSE(election.leads(noon + 10s));
}

TEST(Election, GivesTheLeaseAwayOnACleanShutdown) {
    Election election = leading(noon);
    const auto release = election.release(noon + 1s);
    ASSERT_TRUE(release.has_value());
    EXPECT_EQ(release->lease.holder, "");
    EXPECT_EQ(release->lease.resource_version, "11");
    EXPECT_EQ(release->lease.transitions, 5);
    EXPECT_EQ(release->lease.duration, 1s) << "others look at it soon";
    EXPECT_EQ(release->acquired, noon);
    EXPECT_FALSE(election.leads(noon + 1s));
}

TEST(Election, WhatIsNotOursCannotBeGivenAway) {
    Election election{"me", 1};
    EXPECT_FALSE(election.release(noon).has_value());
    Election late = leading(noon);
    EXPECT_FALSE(late.release(noon + 10s).has_value());
}

TEST(Election, ALeaseThatWasDeletedAndMadeAnewIsAnotherFence) {
    Election election = leading(noon);
    static_cast<void>(election.poll(election.wake_at()));
    election.on_written(not_found, noon + 3s);
    static_cast<void>(election.poll(election.wake_at()));
    election.on_read(not_found, noon + 6s);
    ASSERT_EQ(polled(election, noon + 6s), "create");
    Lease anew = lease("me", "20", 0);
    anew.uid = "lease-2";
    election.on_written(anew, noon + 6s);
    const model::Fence old{"lease-1", 5};
    EXPECT_TRUE(election.leads(noon + 6s));
    EXPECT_FALSE(is_newer(old, election.fence())) << "or nobody could ever write again";
}

TEST(Election, RetriesAreSpreadSoThatRivalsDoNotRunInStep) {
    Election one{"a", 1}, other{"b", 2};
    for (Election* election : {&one, &other}) {
        static_cast<void>(election->poll(noon));
        election->on_read(timeout, noon);
        EXPECT_GE(election->wake_at(), noon + 2s);
        EXPECT_LE(election->wake_at(), noon + 2400ms);
    }
    EXPECT_NE(one.wake_at(), other.wake_at());
    Instant latest;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        Election election{"me", seed};
        static_cast<void>(election.poll(noon));
        election.on_read(timeout, noon);
        latest = std::max(latest, election.wake_at());
    }
    EXPECT_GT(latest, noon + 2350ms) << "over a fifth of their period";
}

}  // namespace
}  // namespace sluice::runtime
