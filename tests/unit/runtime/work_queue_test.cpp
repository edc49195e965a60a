#include "runtime/work_queue.hpp"

#include <gtest/gtest.h>

namespace sluice::runtime {
namespace {

using model::Ref;

const Instant noon{1'790'000'000'000};
const Ref web{&model::statefulsets, "shop", "web"};
const Ref db{&model::statefulsets, "shop", "db"};
const Ref mail{&model::statefulsets, "post", "mail"};

std::vector<std::string> taken(WorkQueue& queue, int count) {
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i) {
        const auto key = queue.take(noon);
        names.push_back(key ? to_text(*key) : "nothing");
    }
    return names;
}

TEST(WorkQueue, HandsOutKeysInTheOrderTheyCame) {
    WorkQueue queue{1};
    queue.add(web, noon);
    queue.add(db, noon);
    EXPECT_EQ(taken(queue, 3), (std::vector<std::string>{"shop/web", "shop/db", "nothing"}));
}

TEST(WorkQueue, AKeyIsQueuedOnceHoweverOftenItIsAdded) {
    WorkQueue queue{1};
    for (int i = 0; i < 10; ++i)
        queue.add(web, noon);
    EXPECT_EQ(queue.depth(), 1u);
    EXPECT_EQ(taken(queue, 2), (std::vector<std::string>{"shop/web", "nothing"}));
}

TEST(WorkQueue, AKeyThatIsBusyIsNotHandedOutASecondTime) {
    WorkQueue queue{1};
    queue.add(web, noon);
    ASSERT_EQ(queue.take(noon), web);
    queue.add(web, noon);
    queue.add(web, noon);
    EXPECT_EQ(queue.take(noon), std::nullopt);
    EXPECT_EQ(queue.depth(), 0u);
    queue.done(web, noon);
    EXPECT_EQ(taken(queue, 2), (std::vector<std::string>{"shop/web", "nothing"}))
        << "what was added meanwhile comes back once";
}

TEST(WorkQueue, AKeyThatIsDoneAndWasNotAddedStaysAway) {
    WorkQueue queue{1};
    queue.add(web, noon);
    ASSERT_EQ(queue.take(noon), web);
    queue.done(web, noon);
    EXPECT_EQ(queue.take(noon + 1h), std::nullopt);
    EXPECT_EQ(queue.next_due(), std::nullopt);
}

TEST(WorkQueue, NamespacesTakeTurns) {
    WorkQueue queue{1};
    for (int i = 0; i < 10'000; ++i)
        queue.add({&model::statefulsets, "crowd", "c" + std::to_string(i)}, noon);
    queue.add(mail, noon);
    queue.add(web, noon);
    EXPECT_EQ(taken(queue, 5), (std::vector<std::string>{"crowd/c0", "post/mail", "shop/web",
                                                         "crowd/c1", "crowd/c2"}));
}

TEST(WorkQueue, ANamespaceThatComesBackQueuesBehindTheOthers) {
    WorkQueue queue{1};
    queue.add(web, noon);
    queue.add(db, noon);
    queue.add(mail, noon);
    EXPECT_EQ(taken(queue, 1), (std::vector<std::string>{"shop/web"}));
    queue.add({&model::statefulsets, "shop", "new"}, noon);
    EXPECT_EQ(taken(queue, 4),
              (std::vector<std::string>{"post/mail", "shop/db", "shop/new", "nothing"}));
}

TEST(WorkQueue, ADelayedKeyComesWhenItIsDueAndNotBefore) {
    WorkQueue queue{1};
    queue.add_at(web, noon + 30s);
    EXPECT_EQ(queue.next_due(), noon + 30s);
    EXPECT_EQ(queue.take(noon + 29'999ms), std::nullopt);
    EXPECT_EQ(queue.take(noon + 30s), web);
    EXPECT_EQ(queue.next_due(), std::nullopt);
}

TEST(WorkQueue, OfTwoTimesTheEarlierCounts) {
    WorkQueue queue{1};
    queue.add_at(web, noon + 30s);
    queue.add_at(web, noon + 60s);
    EXPECT_EQ(queue.next_due(), noon + 30s);
    queue.add_at(web, noon + 10s);
    EXPECT_EQ(queue.next_due(), noon + 10s);
    EXPECT_EQ(queue.take(noon + 10s), web);
    queue.done(web, noon + 10s);
    EXPECT_EQ(queue.take(noon + 1h), std::nullopt) << "it was due once";
}

TEST(WorkQueue, AKeyThatFallsDueWhileItIsBusyComesBackAfterwards) {
    WorkQueue queue{1};
    queue.add(web, noon);
    ASSERT_EQ(queue.take(noon), web);
    queue.add_at(web, noon + 1s);
    EXPECT_EQ(queue.take(noon + 2s), std::nullopt);
    queue.done(web, noon + 2s);
    EXPECT_EQ(queue.take(noon + 2s), web);
}

Duration delay_of_failure(WorkQueue& queue, Instant now) {
    queue.add(web, now);
    EXPECT_EQ(queue.take(now), web);
    queue.failed(web, now);
    const Duration delay = *queue.next_due() - now;
    queue.forget(mail);
    return delay;
}

TEST(WorkQueue, AKeyThatFailsWaitsLongerEachTimeUpToAMinute) {
    WorkQueue queue{7};
    Instant now = noon;
    Duration bound = 500ms;
    for (int failure = 0; failure < 12; ++failure) {
        const Duration delay = delay_of_failure(queue, now);
        EXPECT_GE(delay, bound / 2);
        EXPECT_LE(delay, bound);
        bound = std::min<Duration>(bound * 2, 60s);
        now = now + delay;
        ASSERT_EQ(queue.take(now), web);
        queue.done(web, now);
    }
}

TEST(WorkQueue, AfterASuccessFailuresCountFromOneAgain) {
    WorkQueue queue{7};
    queue.add(web, noon);
    Instant now = noon;
    for (int failure = 0; failure < 8; ++failure) {
        ASSERT_EQ(queue.take(now), web);
        queue.failed(web, now);
        now = now + 1h;
    }
    queue.forget(db);
    queue.succeeded(web);
    ASSERT_EQ(queue.take(now), web);
    queue.failed(web, now);
    EXPECT_LE(*queue.next_due() - now, Duration{500ms});
}

TEST(WorkQueue, AServerThatAsksForPatienceGetsIt) {
    WorkQueue queue{7};
    queue.add(web, noon);
    ASSERT_EQ(queue.take(noon), web);
    queue.failed(web, noon, 20s);
    EXPECT_EQ(queue.next_due(), noon + 20s);
}

TEST(WorkQueue, AKeyThatFailsDelaysNobodyElse) {
    WorkQueue queue{7};
    queue.add(web, noon);
    queue.add(db, noon);
    ASSERT_EQ(queue.take(noon), web);
    queue.failed(web, noon, 1h);
    EXPECT_EQ(queue.take(noon), db);
}

TEST(WorkQueue, AKeyThatIsForgottenIsNoLongerDue) {
    WorkQueue queue{7};
    queue.add_at(web, noon + 1s);
    queue.forget(web);
    EXPECT_EQ(queue.next_due(), std::nullopt);
    EXPECT_EQ(queue.take(noon + 1h), std::nullopt);
    queue.add(db, noon);
    ASSERT_EQ(queue.take(noon), db);
    queue.add(db, noon);
    queue.forget(db);
    queue.done(db, noon);
    EXPECT_EQ(queue.take(noon), std::nullopt);
}

TEST(WorkQueue, WhatWasAddedMeanwhileIsSeenByTheRetryAndNotOnceMore) {
    WorkQueue queue{1};
    queue.add(web, noon);
    ASSERT_EQ(queue.take(noon), web);
    queue.add(web, noon);
    queue.failed(web, noon);
    const Instant again = queue.next_due().value();
    ASSERT_EQ(queue.take(again), web);
    queue.done(web, again);
    EXPECT_EQ(queue.take(again + 1h), std::nullopt);
}

TEST(WorkQueue, AKeyThatIsForgottenIsForgiven) {
    WorkQueue queue{1};
    queue.add(web, noon);
    for (int failure = 0; failure < 10; ++failure) {
        static_cast<void>(queue.take(queue.next_due().value_or(noon)));
        queue.failed(web, noon);
    }
    queue.forget(web);
    queue.add(web, noon);
    EXPECT_EQ(queue.take(noon), web) << "it need not wait";
    queue.failed(web, noon);
    EXPECT_LE(queue.next_due().value() - noon, 500ms) << "and fails for the first time";
}

TEST(WorkQueue, TellsHowLongTheOldestKeyHasWaited) {
    WorkQueue queue{7};
    EXPECT_EQ(queue.oldest_age(noon), Duration{0});
    queue.add(web, noon - 3s);
    queue.add(db, noon - 1s);
    EXPECT_EQ(queue.oldest_age(noon), Duration{3s});
    static_cast<void>(queue.take(noon));
    EXPECT_EQ(queue.oldest_age(noon), Duration{1s});
}

// A model with one map: each key is queued, busy or away, and was or was not added while busy.
TEST(WorkQueue, NeitherLosesNorDoublesAKeyWhateverHappens) {
    Dice dice{99};
    WorkQueue queue{99};
    std::map<Ref, bool> busy;  // the value: added meanwhile
    std::set<Ref> queued;
    for (int round = 0; round < 20'000; ++round) {
        const Ref key{&model::statefulsets, "n" + std::to_string(dice.roll() % 3),
                      "k" + std::to_string(dice.roll() % 4)};
        const auto choice = dice.roll() % 3;
        if (choice == 0) {
            queue.add(key, noon);
            if (busy.contains(key))
                busy[key] = true;
            else
                queued.insert(key);
        } else if (choice == 1) {
            const auto got = queue.take(noon);
            ASSERT_EQ(got.has_value(), !queued.empty());
            if (!got) continue;
            ASSERT_EQ(queued.erase(*got), 1u);
            busy[*got] = false;
        } else if (busy.contains(key)) {
            queue.done(key, noon);
            if (busy[key]) queued.insert(key);
            busy.erase(key);
        }
        ASSERT_EQ(queue.depth(), queued.size());
    }
}

TEST(WorkQueue, WhatFailedWaitsThoughItIsAddedMeanwhile) {
    WorkQueue queue{1};
    queue.add(web, noon);
    ASSERT_EQ(queue.take(noon), web);
    queue.failed(web, noon, 60s);
    queue.add(web, noon + 1s);
    EXPECT_EQ(queue.take(noon + 59s), std::nullopt);
    EXPECT_EQ(queue.take(noon + 60s), web);
    queue.succeeded(web);
    queue.done(web, noon + 60s);
    queue.add(web, noon + 60s);
    EXPECT_EQ(queue.take(noon + 60s), web) << "after a success nothing is held against it";
}

TEST(WorkQueue, AWaitThatWasSetEarlierDoesNotCutTheOneAfterAFailureShort) {
    WorkQueue queue{1};
    queue.add(web, noon);
    ASSERT_EQ(queue.take(noon), web);
    queue.add_at(web, noon + 5s);
    queue.failed(web, noon, 60s);
    EXPECT_EQ(queue.take(noon + 5s), std::nullopt);
    EXPECT_EQ(queue.take(noon + 60s), web);
}

}  // namespace
}  // namespace sluice::runtime
