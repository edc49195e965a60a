// Which faults a timeline is played with: every one that somebody could tell from the others.
#include "sim/scenario/explore.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::sim {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsSupersetOf;
using ::testing::Not;

constexpr Access read = Access::Read;
constexpr Access write = Access::Write;

std::vector<std::string> names(std::vector<Exchange> exchanges, int batches, const Depth& depth,
                               std::uint64_t seed = 1) {
    Outcome plain;
    plain.exchanges = std::move(exchanges);
    plain.batches = batches;
    std::vector<std::string> all;
    for (const Disturbance& one : disturbances(plain, seed, depth))
        all.push_back(one.what);
    return all;
}

TEST(Disturbances, AWriteLosesItsRequestAndItsAnswerAndDiesOnBothSides) {
    EXPECT_THAT(names({{write, 7}}, 0, {.pairs = 0}),
                ElementsAre("crash before at exchange 0", "crash after at exchange 0",
                            "request lost at exchange 0", "answer lost at exchange 0",
                            "crash after at exchange 0, then a view 4 changes old"));
}

TEST(Disturbances, AWriteThatWasDecidedUponASpecIsOvertakenByAChangeOfIt) {
    EXPECT_THAT(names({{write, 7, true}, {write, 8}}, 0, {.pairs = 0}),
                Contains("overtaken at exchange 0"));
    EXPECT_THAT(names({{write, 7, true}, {write, 8}}, 0, {.pairs = 0}),
                Not(Contains("overtaken at exchange 1")));
}

TEST(Disturbances, AReadDiesOnceAndIsLostOnce) {
    EXPECT_THAT(names({{read, 7}}, 0, {.pairs = 0}),
                ElementsAre("crash after at exchange 0",
                            "crash after at exchange 0, then a view 4 changes old",
                            "request lost at exchange 0"));
}

TEST(Disturbances, ReadsOfTheSameStateShareOneCrash) {
    const auto all = names({{read, 7}, {read, 7}, {read, 8}}, 0, {.pairs = 0});
    EXPECT_THAT(all, IsSupersetOf({"crash after at exchange 0", "crash after at exchange 2"}));
    EXPECT_THAT(all, Not(Contains("crash after at exchange 1")));
    EXPECT_THAT(all, Contains("request lost at exchange 1"));
}

TEST(Disturbances, AReadAfterAWriteHasACrashOfItsOwn) {
    const auto all = names({{write, 7}, {read, 7}}, 0, {.pairs = 0});
    EXPECT_THAT(all, Contains("crash after at exchange 1"));
}

TEST(Disturbances, EveryBatchIsLostRepeatedAndLate) {
    EXPECT_THAT(names({}, 2, {.pairs = 9}),
                ElementsAre("events lost at batch 0", "events repeated at batch 0",
                            "events late at batch 0", "events lost at batch 1",
                            "events repeated at batch 1", "events late at batch 1"));
}

TEST(Disturbances, ASampleIsSpreadAndFollowsTheSeed) {
    const std::vector<Exchange> many(10, {write, 1});
    const Depth three{.writes_max = 3, .pairs = 0};
    const auto one = names(many, 0, three, 0);
    EXPECT_THAT(one, IsSupersetOf({"answer lost at exchange 0", "answer lost at exchange 4",
                                   "answer lost at exchange 8"}));
    EXPECT_EQ(one.size(), 15u);
    EXPECT_THAT(names(many, 0, three, 1), Contains("answer lost at exchange 5"));
    EXPECT_EQ(names(many, 0, {.writes_max = 0, .pairs = 0}).size(), 0u);
}

TEST(Disturbances, WhatIsSeenWithTheNextListOnlyIsWaitedFor) {
    Outcome plain;
    plain.exchanges = {{write, 1}};
    plain.batches = 1;
    for (const Disturbance& one : disturbances(plain, 1, {.pairs = 1})) {
        const bool has_events = one.what.find("batch") != std::string::npos;
        EXPECT_EQ(one.tail.settling > 15min, has_events) << one.what;
    }
    for (const Disturbance& one : disturbances(plain, 1, {.is_patient = true}))
        EXPECT_GT(one.tail.settling, 15min) << one.what;
}

}  // namespace
}  // namespace sluice::sim
