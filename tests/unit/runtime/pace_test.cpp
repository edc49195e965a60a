// What keeps us from asking too much: the token bucket, the backoff, the memory of events.
#include <gtest/gtest.h>

#include "runtime/backoff.hpp"
#include "runtime/event_memory.hpp"
#include "runtime/token_bucket.hpp"

namespace sluice::runtime {
namespace {

const Instant noon{1'790'000'000'000};

int taken_at_once(TokenBucket& bucket, Instant now) {
    int taken = 0;
    while (bucket.has_tokens(now)) {
        bucket.take(1);
        ++taken;
    }
    return taken;
}

TEST(TokenBucket, AllowsABurstAndThenTheRate) {
    TokenBucket bucket{10, 20};
    EXPECT_EQ(taken_at_once(bucket, noon), 20);
    EXPECT_EQ(taken_at_once(bucket, noon), 0);
    EXPECT_EQ(taken_at_once(bucket, noon + 1s), 10);
}

TEST(TokenBucket, DoesNotSaveUpMoreThanTheBurst) {
    TokenBucket bucket{10, 20};
    taken_at_once(bucket, noon);
    EXPECT_EQ(taken_at_once(bucket, noon + 24h), 20);
}

TEST(TokenBucket, TellsWhenToComeBack) {
    TokenBucket bucket{10, 1};
    taken_at_once(bucket, noon);
    const Instant again = bucket.refilled_at(noon);
    EXPECT_GT(again, noon);
    EXPECT_LE(again, noon + 102ms);
    EXPECT_TRUE(bucket.has_tokens(again));
}

TEST(TokenBucket, APieceOfWorkThatCostsMoreThanIsLeftIsPaidLater) {
    TokenBucket bucket{10, 1};
    ASSERT_TRUE(bucket.has_tokens(noon));
    bucket.take(6);
    EXPECT_FALSE(bucket.has_tokens(noon + 500ms));
    EXPECT_TRUE(bucket.has_tokens(noon + 600ms));
}

TEST(TokenBucket, AClockThatStandsStillFillsNothing) {
    TokenBucket bucket{10, 1};
    taken_at_once(bucket, noon);
    EXPECT_FALSE(bucket.has_tokens(noon - 1h));
    EXPECT_FALSE(bucket.has_tokens(noon));
}

TEST(Backoff, DoublesUpToItsBoundAndNeverOverflows) {
    Dice dice{1};
    Backoff backoff{{800ms, 30s}};
    Duration bound = 800ms;
    for (int failure = 0; failure < 200; ++failure) {
        const Duration delay = backoff.next(dice);
        EXPECT_GE(delay, bound / 2);
        EXPECT_LE(delay, bound);
        bound = std::min<Duration>(bound * 2, 30s);
    }
    EXPECT_EQ(backoff.failures(), 200);
}

TEST(Backoff, StartsAnewAfterAReset) {
    Dice dice{1};
    Backoff backoff{{800ms, 30s}};
    for (int failure = 0; failure < 10; ++failure)
        backoff.next(dice);
    backoff.reset();
    EXPECT_EQ(backoff.failures(), 0);
    EXPECT_LE(backoff.next(dice), 800ms);
}

TEST(EventMemory, TheSameWordsAreNewsOnceInHalfAnHour) {
    EventMemory told;
    EXPECT_TRUE(told.is_news("web HookRefused backup", noon));
    EXPECT_FALSE(told.is_news("web HookRefused backup", noon + 29min));
    EXPECT_TRUE(told.is_news("web HookRefused restore", noon + 29min));
    EXPECT_TRUE(told.is_news("web HookRefused backup", noon + 30min));
    EXPECT_FALSE(told.is_news("web HookRefused backup", noon + 31min));
}

TEST(EventMemory, ForgetsTheOldestWhenThereAreTooMany) {
    EventMemory told;
    EXPECT_TRUE(told.is_news("first", noon));
    for (int i = 0; i < 2047; ++i)
        EXPECT_TRUE(told.is_news(std::to_string(i), noon));
    EXPECT_FALSE(told.is_news("first", noon));
    EXPECT_TRUE(told.is_news("one too many", noon));
    EXPECT_TRUE(told.is_news("first", noon)) << "it was forgotten, so it is news again";
    EXPECT_FALSE(told.is_news("2046", noon));
}

}  // namespace
}  // namespace sluice::runtime
