#include "runtime/watch_session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace sluice::runtime {
namespace {

using model::Bookmark;
using model::ListPage;
using model::WatchEvent;

const Instant noon{1'790'000'000'000};

WatchSession pods(std::uint64_t seed = 1) {
    return WatchSession{{&model::pods, "shop"}, seed};
}

model::Object pod(const std::string& name, std::uint64_t version = 100) {
    model::Pod one;
    one.meta.resource_version = version;
    one.meta.key = {"shop", name};
    one.meta.uid = name;
    return one;
}

std::vector<WatchEvent> events(auto... some) {
    return {WatchEvent{some}...};
}

Bookmark initial_end(const std::string& version) {
    return {version, true};
}

// What the session would request now: "list", "list from x", "stream", "watch from 9" or "nothing".
std::string polled(WatchSession& session, Instant now) {
    const auto request = session.poll(now);
    if (!request) return "nothing";
    if (const auto* list = std::get_if<ListRequest>(&*request))
        return list->next.empty() ? "list" : "list from " + list->next;
    const auto& watch = std::get<WatchRequest>(*request);
    if (watch.initial_events)
        return watch.resource_version.empty() ? "stream" : "stream from somewhere";
    return "watch from " + watch.resource_version;
}

// Polls until the session wants something, and tells what and after how long.
std::pair<std::string, Duration> next_request(WatchSession& session, Instant now) {
    const Instant at = std::max(now, session.wake_at().value_or(now));
    return {polled(session, at), at - now};
}

// A session that was refused streaming once and pages since.
WatchSession paging(Instant now) {
    WatchSession session = pods();
    static_cast<void>(session.poll(now));
    session.on_failure({400, Duration{0}, "unknown parameter"}, now);
    return session;
}

// A session in sync, whose watch runs.
WatchSession watching(Instant now, std::uint64_t seed = 1) {
    WatchSession session = pods(seed);
    static_cast<void>(session.poll(now));
    static_cast<void>(session.on_events(events(initial_end("100")), now));
    return session;
}

TEST(WatchSession, StartsWithAStreamAndIsInSyncAtItsBookmark) {
    WatchSession session = pods();
    EXPECT_FALSE(session.is_synced());
    EXPECT_EQ(polled(session, noon), "stream");
    EXPECT_EQ(polled(session, noon + 1h), "nothing") << "one request at a time";
    Seen seen = session.on_events(events(model::Changed{pod("web-0")}), noon);
    EXPECT_EQ(seen.objects.size(), 1u);
    EXPECT_EQ(seen.complete_at, std::nullopt);
    EXPECT_FALSE(session.is_synced());
    seen = session.on_events(events(model::Changed{pod("web-1")}, initial_end("100")), noon);
    EXPECT_EQ(seen.complete_at, 100u);
    EXPECT_TRUE(session.is_synced());
}

TEST(WatchSession, AnOrdinaryBookmarkDoesNotEndTheInitialEvents) {
    WatchSession session = pods();
    static_cast<void>(session.poll(noon));
    const Seen seen = session.on_events(events(Bookmark{"50", false}), noon);
    EXPECT_EQ(seen.complete_at, std::nullopt);
    EXPECT_FALSE(session.is_synced());
}

TEST(WatchSession, GoesOnFromTheLastBookmarkWhenTheServerEndsTheWatch) {
    WatchSession session = watching(noon);
    static_cast<void>(session.on_events(events(Bookmark{"150", false}), noon));
    session.on_end(noon + 5min);
    const auto [request, delay] = next_request(session, noon + 5min);
    EXPECT_EQ(request, "watch from 150");
    EXPECT_GE(delay, 50ms) << "a server that ends watches at once is not asked at once";
    EXPECT_LE(delay, 500ms);
}

TEST(WatchSession, AChangeAndADeletionArePassedOn) {
    WatchSession session = watching(noon);
    const Seen seen =
        session.on_events(events(model::Changed{pod("web-0")}, model::Deleted{pod("web-1")}), noon);
    ASSERT_EQ(seen.objects.size(), 2u);
    EXPECT_FALSE(seen.objects[0].is_gone);
    EXPECT_TRUE(seen.objects[1].is_gone);
    EXPECT_EQ(seen.complete_at, std::nullopt);
}

TEST(WatchSession, WhatIsToldAgainFromLongAgoIsNotBelieved) {
    WatchSession session = watching(noon);
    static_cast<void>(session.poll(noon));
    const Seen first = session.on_events(
        events(model::Changed{pod("web-0", 120)}, model::Deleted{pod("web-1", 130)}), noon);
    EXPECT_EQ(first.objects.size(), 2u);
    const Seen again = session.on_events(
        events(model::Changed{pod("web-1", 110)}, model::Changed{pod("web-0", 120)},
               model::Changed{pod("web-2", 131)}),
        noon);
    ASSERT_EQ(again.objects.size(), 1u);
    EXPECT_EQ(model::meta_of(again.objects.front().object).key.name, "web-2");
}

TEST(WatchSession, AServerThatCannotStreamIsAskedForPagesAtOnce) {
    for (const int status : {400, 403, 404, 405, 422}) {
        WatchSession session = pods();
        static_cast<void>(session.poll(noon));
        session.on_failure({status, Duration{0}, "unknown parameter"}, noon);
        EXPECT_EQ(polled(session, noon), "list") << status;
        static_cast<void>(session.on_page({{}, "100", ""}, noon));
        EXPECT_EQ(polled(session, noon), "watch from 100");
    }
}

TEST(WatchSession, AServerThatCouldNotStreamOnceIsAskedAgainAtTheNextList) {
    WatchSession session = paging(noon);
    static_cast<void>(session.poll(noon));
    static_cast<void>(session.on_page({{}, "100", ""}, noon));
    static_cast<void>(session.poll(noon));
    session.on_failure({410, Duration{0}, "gone"}, noon);
    EXPECT_EQ(next_request(session, noon).first, "stream") << "it may have been upgraded";
}

TEST(WatchSession, AServerThatRefusesEverythingIsNotAskedInALoop) {
    WatchSession session = paging(noon);
    ASSERT_EQ(polled(session, noon), "list");
    session.on_failure({403, Duration{0}, "forbidden"}, noon);
    const auto [request, delay] = next_request(session, noon);
    EXPECT_EQ(request, "list");
    EXPECT_GE(delay, 400ms);
}

TEST(WatchSession, AServerInTroubleIsNotMistakenForOneThatCannotStream) {
    for (const int status : {0, 429, 500, 503}) {
        WatchSession session = pods();
        static_cast<void>(session.poll(noon));
        session.on_failure({status, Duration{0}, "trouble"}, noon);
        EXPECT_EQ(polled(session, noon), "nothing") << status;
        EXPECT_EQ(next_request(session, noon).first, "stream") << status;
    }
}

TEST(WatchSession, PagesAreReadOneAfterTheOther) {
    WatchSession session = paging(noon);
    EXPECT_EQ(polled(session, noon), "list");
    Seen seen = session.on_page({{pod("web-0")}, "100", "page-2"}, noon);
    EXPECT_EQ(seen.objects.size(), 1u);
    EXPECT_EQ(seen.complete_at, std::nullopt);
    EXPECT_FALSE(session.is_synced());
    EXPECT_EQ(polled(session, noon), "list from page-2");
    seen = session.on_page({{pod("web-1")}, "100", ""}, noon);
    EXPECT_EQ(seen.complete_at, 100u);
    EXPECT_EQ(polled(session, noon), "watch from 100");
}

TEST(WatchSession, AContinueTokenThatExpiredStartsTheListAnewAndRemovesNothing) {
    WatchSession session = paging(noon);
    static_cast<void>(session.poll(noon));
    static_cast<void>(session.on_page({{pod("web-0")}, "100", "page-2"}, noon));
    static_cast<void>(session.poll(noon));
    session.on_failure({410, Duration{0}, "the continue token is too old"}, noon);
    EXPECT_FALSE(session.is_synced());
    EXPECT_EQ(next_request(session, noon).first, "list");
}

TEST(WatchSession, AListThatWasCutShortStartsAnew) {
    WatchSession session = paging(noon);
    static_cast<void>(session.poll(noon));
    static_cast<void>(session.on_page({{pod("web-0")}, "100", "page-2"}, noon));
    static_cast<void>(session.poll(noon));
    session.on_failure({500, Duration{0}, "trouble"}, noon);
    EXPECT_EQ(next_request(session, noon).first, "list") << "not from page-2: that list is over";
}

TEST(WatchSession, AStreamThatEndsBeforeItsBookmarkProvesNothing) {
    WatchSession session = pods();
    static_cast<void>(session.poll(noon));
    static_cast<void>(session.on_events(events(model::Changed{pod("web-0")}), noon));
    session.on_end(noon);
    EXPECT_FALSE(session.is_synced());
    const auto [request, delay] = next_request(session, noon);
    EXPECT_EQ(request, "list") << "the bookmark may never come: pages are the way out";
    EXPECT_GE(delay, 400ms);
}

TEST(WatchSession, AServerThatEndsWatchesAsSoonAsTheyStartIsAskedLessAndLessOften) {
    WatchSession session = watching(noon);
    Instant now = noon;
    Duration bound = 800ms;
    for (int end = 0; end < 8; ++end) {
        session.on_end(now);
        const auto [request, delay] = next_request(session, now);
        EXPECT_EQ(request, "watch from 100");
        EXPECT_GE(delay, bound / 2);
        EXPECT_LE(delay, bound);
        bound = std::min<Duration>(bound * 2, 30s);
        now = now + delay;
    }
}

TEST(WatchSession, AVersionThatIsTooOldLeadsToAFreshList) {
    WatchSession session = watching(noon);
    const Seen seen =
        session.on_events(events(model::WatchFailed{410, "too old resource version"}), noon);
    EXPECT_EQ(seen.complete_at, std::nullopt);
    EXPECT_TRUE(session.is_synced()) << "what was seen once was seen";
    EXPECT_EQ(session.last_failure(), "too old resource version");
    session.on_end(noon);
    EXPECT_EQ(next_request(session, noon).first, "stream");
}

TEST(WatchSession, EventsBehindAnErrorAreNotRead) {
    WatchSession session = watching(noon);
    const Seen seen =
        session.on_events(events(model::Changed{pod("web-0")}, model::WatchFailed{500, "trouble"},
                                 model::Changed{pod("web-1")}),
                          noon);
    EXPECT_EQ(seen.objects.size(), 1u);
    EXPECT_EQ(next_request(session, noon).first, "watch from 100");
}

TEST(WatchSession, AWatchThatBreaksGoesOnWhereItWas) {
    WatchSession session = watching(noon);
    session.on_failure({0, Duration{0}, "connection reset"}, noon);
    EXPECT_EQ(session.restarts(), 1);
    EXPECT_EQ(next_request(session, noon).first, "watch from 100");
}

TEST(WatchSession, EveryFailureWaitsLongerThanTheLastWithinBounds) {
    WatchSession session = pods(5);
    Instant now = noon;
    Duration bound = 800ms;
    for (int failure = 0; failure < 10; ++failure) {
        ASSERT_EQ(polled(session, now), "stream");
        session.on_failure({503, Duration{0}, "trouble"}, now);
        const Duration delay = *session.wake_at() - now;
        EXPECT_GE(delay, bound / 2);
        EXPECT_LE(delay, bound);
        EXPECT_EQ(polled(session, now + delay - 1ms), "nothing");
        bound = std::min<Duration>(bound * 2, 30s);
        now = now + delay;
    }
}

TEST(WatchSession, AListThatCameInFullEndsTheTrouble) {
    WatchSession session = pods();
    Instant now = noon;
    for (int failure = 0; failure < 10; ++failure) {
        static_cast<void>(session.poll(now));
        session.on_failure({503, Duration{0}, "trouble"}, now);
        EXPECT_EQ(session.last_failure(), "trouble");
        now = session.wake_at().value();
    }
    static_cast<void>(session.poll(now));
    static_cast<void>(session.on_events(events(initial_end("100")), now));
    EXPECT_EQ(session.last_failure(), "");
    session.on_failure({503, Duration{0}, "trouble"}, now);
    EXPECT_LE(session.wake_at().value() - now, 800ms) << "as after the first failure";
}

TEST(WatchSession, WordsOfTroubleAreForgottenWhenTheServerAnswers) {
    WatchSession pages = paging(noon);
    EXPECT_EQ(pages.last_failure(), "unknown parameter");
    static_cast<void>(pages.poll(noon));
    static_cast<void>(pages.on_page({{pod("a")}, "100", ""}, noon));
    EXPECT_EQ(pages.last_failure(), "");
    WatchSession watch = watching(noon);
    watch.on_failure({500, Duration{0}, "trouble"}, noon);
    ASSERT_EQ(next_request(watch, noon).first, "watch from 100");
    static_cast<void>(watch.on_events(events(model::Changed{pod("a")}), noon + 1s));
    EXPECT_EQ(watch.last_failure(), "");
}

TEST(WatchSession, AWatchThatLastedFiveSecondsIsStartedAnewAtOnce) {
    bool is_short_punished = false;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        WatchSession session = watching(noon, seed);
        session.on_end(noon + 5s);
        EXPECT_EQ(session.restarts(), 1);
        EXPECT_LE(session.wake_at().value(), noon + 5s + 500ms);
        WatchSession hasty = watching(noon, seed);
        hasty.on_end(noon + 4'999ms);
        is_short_punished = is_short_punished || *hasty.wake_at() > noon + 4'999ms + 500ms;
    }
    EXPECT_TRUE(is_short_punished);
}

TEST(WatchSession, AWatchThatLastedForgivesTheOnesThatDidNot) {
    WatchSession session = watching(noon);
    Instant now = noon;
    for (int time = 0; time < 10; ++time) {
        session.on_end(now);
        now = session.wake_at().value();
        ASSERT_EQ(polled(session, now), "watch from 100");
    }
    session.on_end(now + 1min);
    now = session.wake_at().value();
    ASSERT_EQ(polled(session, now), "watch from 100");
    session.on_end(now);
    EXPECT_LE(session.wake_at().value() - now, 800ms);
}

TEST(WatchSession, TwoOperatorsDoNotRetryInStep) {
    WatchSession one = pods(1), other = pods(2);
    static_cast<void>(one.poll(noon));
    static_cast<void>(other.poll(noon));
    one.on_failure({503, Duration{0}, ""}, noon);
    other.on_failure({503, Duration{0}, ""}, noon);
    EXPECT_NE(one.wake_at(), other.wake_at());
}

TEST(WatchSession, AServerThatAsksForPatienceGetsIt) {
    WatchSession session = watching(noon);
    session.on_failure({429, 20s, "slow down"}, noon);
    EXPECT_EQ(polled(session, noon + 19'999ms), "nothing");
    EXPECT_EQ(polled(session, noon + 20s), "watch from 100");
}

TEST(WatchSession, TheWorldIsListedAnewNowAndThenEvenIfAllSeemsWell) {
    WatchSession session = watching(noon);
    ASSERT_TRUE(session.wake_at().has_value());
    const Instant relist = *session.wake_at();
    EXPECT_GE(relist, noon + 10min);
    EXPECT_LE(relist, noon + 15min);
    EXPECT_FALSE(session.should_cancel(relist - 1ms));
    EXPECT_TRUE(session.should_cancel(relist));
    session.cancelled();
    EXPECT_EQ(polled(session, relist), "stream");
    const Seen seen = session.on_events(events(initial_end("900")), relist + 1s);
    EXPECT_EQ(seen.complete_at, 900u);
    EXPECT_GE(*session.wake_at(), relist + 10min) << "and again later";
}

TEST(WatchSession, AListUnderWayIsNotGivenUpForAnother) {
    WatchSession session = pods();
    ASSERT_EQ(polled(session, noon), "stream");
    EXPECT_EQ(session.wake_at(), std::nullopt) << "its answer will wake us";
    static_cast<void>(session.on_events(events(initial_end("100")), noon));
    const Instant relist = session.wake_at().value();
    session.on_failure({500, Duration{0}, "trouble"}, relist);
    EXPECT_FALSE(session.should_cancel(relist)) << "there is nothing under way";
    ASSERT_EQ(next_request(session, relist).first, "watch from 100");
    EXPECT_TRUE(session.should_cancel(relist + 1min));
    session.cancelled();
    ASSERT_EQ(polled(session, relist + 1min), "stream");
    EXPECT_FALSE(session.should_cancel(relist + 1h));
    EXPECT_EQ(session.wake_at(), std::nullopt);
}

// The shortest and the longest of what many sessions choose; the bounds are met within a second.
void expect_spread(Duration least, Duration most,
                   const std::function<Duration(std::uint64_t)>& of) {
    Duration shortest = 24h, longest{0};
    for (std::uint64_t seed = 0; seed < 5000; ++seed) {
        shortest = std::min(shortest, of(seed));
        longest = std::max(longest, of(seed));
    }
    EXPECT_GE(shortest, least);
    EXPECT_LT(shortest, least + 1s);
    EXPECT_GT(longest, most - 1s);
    EXPECT_LE(longest, most);
}

TEST(WatchSession, WatchesEndByThemselvesAfterFiveToTenMinutes) {
    expect_spread(5min, 10min, [](std::uint64_t seed) {
        WatchSession session = pods(seed);
        return std::get<WatchRequest>(session.poll(noon).value()).timeout;
    });
    expect_spread(5min, 10min, [](std::uint64_t seed) {
        WatchSession session = watching(noon, seed);
        session.on_failure({0, Duration{0}, "connection reset"}, noon);
        return std::get<WatchRequest>(session.poll(noon + 1min).value()).timeout;
    });
}

TEST(WatchSession, TheWorldIsListedAnewAfterTenToFifteenMinutes) {
    expect_spread(10min, 15min,
                  [](std::uint64_t seed) { return watching(noon, seed).wake_at().value() - noon; });
}

TEST(WatchSession, AVersionThatIsNoNumberRemovesNothing) {
    WatchSession session = pods();
    static_cast<void>(session.poll(noon));
    EXPECT_EQ(session.on_events(events(initial_end("later")), noon).complete_at, 0u);
}

TEST(WatchSession, NewsOfARequestThatIsOverChangesNothing) {
    WatchSession session = watching(noon);
    session.on_failure({500, Duration{0}, "trouble"}, noon);
    const auto wake = session.wake_at();
    session.on_end(noon);
    session.on_failure({410, Duration{0}, "late"}, noon);
    EXPECT_EQ(session.wake_at(), wake);
    EXPECT_EQ(next_request(session, noon).first, "watch from 100");
}

constexpr model::Resource custom{"example.com", "v1", "things", "Thing"};

WatchSession things() {
    return WatchSession{{&custom, "shop"}, 1};
}

TEST(WatchSession, ACustomResourceThatIsNotDefinedHoldsNobodyUpAndIsLookedForAgain) {
    WatchSession session = things();
    Instant now = noon;
    Duration bound = 800ms;
    for (int time = 0; time < 10; ++time) {
        ASSERT_EQ(polled(session, now), "stream");
        EXPECT_EQ(session.is_absent(), time > 0);
        session.on_failure({404, Duration{0}, "no such resource"}, now);
        EXPECT_TRUE(session.is_absent());
        EXPECT_TRUE(session.is_synced());
        const Duration delay = *session.wake_at() - now;
        EXPECT_GE(delay, bound / 2);
        EXPECT_LE(delay, bound);
        bound = std::min<Duration>(bound * 2, 30s);
        now = now + delay;
    }
}

TEST(WatchSession, ACustomResourceThatIsDefinedLaterIsSeenInFull) {
    WatchSession session = things();
    static_cast<void>(session.poll(noon));
    session.on_failure({404, Duration{0}, "no such resource"}, noon);
    ASSERT_EQ(next_request(session, noon).first, "stream");
    Seen seen = session.on_events(events(model::Changed{pod("a")}), noon + 1s);
    EXPECT_FALSE(session.is_absent());
    EXPECT_FALSE(session.is_synced()) << "half a list is not the world";
    EXPECT_EQ(seen.objects.size(), 1u);
    seen = session.on_events(events(initial_end("100")), noon + 1s);
    EXPECT_TRUE(session.is_synced());
    EXPECT_EQ(seen.complete_at, 100u);
}

TEST(WatchSession, ACustomResourceWhoseDefinitionGoesIsAbsentAndTakesNothingAlong) {
    WatchSession session = things();
    static_cast<void>(session.poll(noon));
    static_cast<void>(session.on_events(events(initial_end("100")), noon));
    session.on_end(noon + 5min);
    ASSERT_EQ(next_request(session, noon + 5min).first, "watch from 100");
    session.on_failure({404, Duration{0}, "no such resource"}, noon + 6min);
    EXPECT_TRUE(session.is_absent());
    EXPECT_TRUE(session.is_synced());
    EXPECT_EQ(next_request(session, noon + 6min).first, "stream");
    static_cast<void>(session.on_events(events(model::Changed{pod("a")}), noon + 7min));
    EXPECT_FALSE(session.is_synced()) << "defined anew, it is to be seen anew";
}

TEST(WatchSession, TroubleIsNotMistakenForAMissingDefinition) {
    for (const int status : {0, 403, 429, 500, 503}) {
        WatchSession session = things();
        static_cast<void>(session.poll(noon));
        session.on_failure({status, Duration{0}, "trouble"}, noon);
        EXPECT_FALSE(session.is_absent()) << status;
        EXPECT_FALSE(session.is_synced()) << status;
    }
    WatchSession other = pods();
    static_cast<void>(other.poll(noon));
    other.on_failure({404, Duration{0}, "no such resource"}, noon);
    static_cast<void>(other.poll(noon));
    other.on_failure({404, Duration{0}, "no such resource"}, noon);
    EXPECT_FALSE(other.is_absent() || other.is_synced()) << "pods are always there";
}

TEST(WatchSession, AnAbsentResourceThatMayNotBeReadAnyMoreIsNotAbsentForAllWeKnow) {
    WatchSession session = things();
    static_cast<void>(session.poll(noon));
    session.on_failure({404, Duration{0}, "no such resource"}, noon);
    ASSERT_EQ(next_request(session, noon).first, "stream");
    session.on_failure({503, Duration{0}, "trouble"}, noon + 1s);
    EXPECT_TRUE(session.is_absent()) << "trouble says nothing";
    ASSERT_EQ(next_request(session, noon + 1s).first, "stream");
    session.on_failure({403, Duration{0}, "forbidden"}, noon + 9s);
    EXPECT_FALSE(session.is_absent());
    EXPECT_FALSE(session.is_synced());
}

TEST(WatchSession, WhatCouldNotBeReadIsKeptAndTheRestOfTheListCounts) {
    WatchSession session = things();
    static_cast<void>(session.poll(noon));
    Seen seen = session.on_events(events(model::LeftOut{{"shop", "huge"}, "too large"}), noon);
    EXPECT_THAT(seen.kept, ::testing::ElementsAre(model::ObjectKey{"shop", "huge"}));
    seen = session.on_events(events(model::Changed{pod("a")}, initial_end("100")), noon);
    EXPECT_EQ(seen.complete_at, 100u);
}

TEST(WatchSession, PagesThatAreTooLargeBecomeSmallerAtOnce) {
    WatchSession session = paging(noon);
    for (const int limit : {250, 62, 15, 3, 1}) {
        const auto request = session.poll(noon);
        ASSERT_TRUE(request.has_value()) << limit;
        EXPECT_EQ(std::get<ListRequest>(*request).limit, limit);
        session.on_failure({0, Duration{0}, "too large", true}, noon);
    }
    EXPECT_EQ(polled(session, noon), "nothing") << "there is nothing smaller than one object";
    EXPECT_EQ(next_request(session, noon).first, "list");
}

TEST(WatchSession, AListOlderThanWhatWasSeenMeansThatTheClusterWasRestored) {
    WatchSession session = watching(noon);
    session.on_failure({410, Duration{0}, "gone"}, noon);
    ASSERT_EQ(next_request(session, noon).first, "stream");
    Seen seen = session.on_events(events(model::Changed{pod("a")}, initial_end("7")), noon);
    EXPECT_TRUE(seen.went_back);
    EXPECT_EQ(seen.complete_at, std::nullopt);
    EXPECT_FALSE(session.is_synced());
    EXPECT_FALSE(session.is_in_flight()) << "the stream is of no use";
    ASSERT_EQ(next_request(session, noon).first, "stream");
    seen = session.on_events(events(initial_end("7")), noon);
    EXPECT_FALSE(seen.went_back);
    EXPECT_TRUE(seen.is_synced);
    EXPECT_EQ(seen.complete_at, 7u);
}

TEST(WatchSession, ABookmarkOlderThanWhatWasSeenLeadsToAFreshList) {
    WatchSession session = watching(noon);
    static_cast<void>(session.on_events(events(model::Bookmark{"7", false}), noon));
    EXPECT_FALSE(session.is_in_flight());
    EXPECT_EQ(next_request(session, noon).first, "stream");
}

TEST(WatchSession, IsGivenUpWhenItMayNotBeReadAndWhenItFailsAgainAndAgain) {
    WatchSession forbidden = paging(noon);
    static_cast<void>(forbidden.poll(noon));
    forbidden.on_failure({403, Duration{0}, "forbidden"}, noon);
    EXPECT_TRUE(forbidden.is_given_up());
    static_cast<void>(next_request(forbidden, noon));
    EXPECT_TRUE(forbidden.on_page({{}, "100", ""}, noon).is_synced);
    EXPECT_FALSE(forbidden.is_given_up());

    WatchSession broken = pods();
    for (int failures = 1; failures <= 4; ++failures) {
        static_cast<void>(next_request(broken, noon));
        broken.on_failure({500, Duration{0}, "trouble"}, noon);
        EXPECT_EQ(broken.is_given_up(), failures == 4);
    }
    WatchSession once_seen = watching(noon);
    once_seen.on_failure({403, Duration{0}, "forbidden"}, noon);
    EXPECT_FALSE(once_seen.is_given_up()) << "what was seen once was seen";
}

TEST(WatchSession, AListThatLacksWhatCouldNotBeReadRemovesNothing) {
    WatchSession stream = things();
    static_cast<void>(stream.poll(noon));
    static_cast<void>(stream.on_events(events(model::LeftOut{}), noon));
    Seen seen = stream.on_events(events(model::Changed{pod("a")}, initial_end("100")), noon);
    EXPECT_TRUE(stream.is_synced());
    EXPECT_EQ(seen.objects.size(), 1u);
    EXPECT_EQ(seen.complete_at, std::nullopt);

    WatchSession pages = paging(noon);
    static_cast<void>(pages.poll(noon));
    static_cast<void>(pages.on_page({{pod("a")}, "100", "page-2", {{{}, "unreadable"}}}, noon));
    static_cast<void>(pages.poll(noon));
    seen = pages.on_page({{pod("b")}, "100", ""}, noon);
    EXPECT_TRUE(pages.is_synced());
    EXPECT_EQ(seen.complete_at, std::nullopt);

    static_cast<void>(pages.poll(noon));
    pages.cancelled();
    static_cast<void>(pages.poll(noon + 1h));
    seen = pages.on_events(events(initial_end("200")), noon + 1h);
    EXPECT_EQ(seen.complete_at, 200u) << "the next list can be read";
}

TEST(WatchSession, AListInPagesAfterOneThatCouldNotBeReadIsCompleteAgain) {
    WatchSession session = paging(noon);
    static_cast<void>(session.poll(noon));
    static_cast<void>(session.on_page({{pod("a")}, "100", "page-2", {{{}, "unreadable"}}}, noon));
    static_cast<void>(session.poll(noon));
    session.on_failure({410, Duration{0}, "expired"}, noon);
    const Instant later = session.wake_at().value();
    ASSERT_EQ(polled(session, later), "list");
    EXPECT_EQ(session.on_page({{pod("a")}, "200", ""}, later).complete_at, 200u);
}

}  // namespace
}  // namespace sluice::runtime
