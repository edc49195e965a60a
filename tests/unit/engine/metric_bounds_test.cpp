// How long an answer of Prometheus counts, to the millisecond, and what is said meanwhile.
#include <gtest/gtest.h>

#include "engine/gates.hpp"
#include "tests/unit/engine/metric_gate.hpp"
#include "tests/unit/engine/seen.hpp"

namespace sluice::engine {
namespace {

using namespace testing;
// From then on it is asked, if it is looked at from noon on.
const Instant first = noon + 30s;

Hold held(const MetricCheck& gate, const Snapshot& look, Instant now) {
    return std::get<Hold>(judge(gate, look, now));
}

// The last of three pods is updated, and the checks of the next began at noon.
Snapshot begun(const MetricCheck& gate = check) {
    Snapshot look = rolling(3, 2);
    look.progress = held(gate, look, noon).progress;
    return look;
}

// So many passes, the last of them then.
Snapshot passed(int times, Instant last, const MetricCheck& gate = check) {
    Snapshot look = begun(gate);
    look.progress->tries = look.progress->successes = times;
    look.progress->last_result = CheckResult::Passed;
    look.progress->last = last;
    return look;
}

// An answer to the question that is asked at `asked`, as of `at`.
Snapshot answered(Snapshot look, Kind kind, Instant asked, Instant at) {
    const Hold hold = held(check, look, asked);
    look.evidence = {
        {hold.probe.value().key, answer_of(MetricAnswer{kind, true, false, "0.5"}), at}};
    return look;
}

bool passes(const Snapshot& look, Instant now) {
    return std::holds_alternative<Pass>(judge(check, look, now));
}

TEST(MetricBounds, TheFirstQuestionIsAskedWhenTheDelayIsOverAndWithoutAWordOfIt) {
    EXPECT_EQ(held(check, begun(), first - 1ms).reason, Reason::InitialDelay);
    EXPECT_EQ(held(check, begun(), first - 1ms).until, first);
    const Hold hold = held(check, begun(), first);
    EXPECT_EQ(hold.reason, Reason::CheckingMetrics);
    EXPECT_TRUE(hold.probe.has_value());
    EXPECT_TRUE(hold.silent) << "it is usually answered before anybody could read of it";
}

TEST(MetricBounds, OnlyADelayOfMoreThanFiveSecondsIsWorthAWord) {
    MetricCheck hasty = check;
    hasty.initial_delay = 5s;
    EXPECT_TRUE(held(hasty, begun(hasty), noon).silent);
    hasty.initial_delay = 5'001ms;
    EXPECT_FALSE(held(hasty, begun(hasty), noon).silent);
}

TEST(MetricBounds, APassIsActedOnWithinAMinuteOrNotAtAll) {
    EXPECT_TRUE(passes(passed(2, noon + 1min), noon + 2min));
    const Hold late = held(check, passed(2, noon + 1min), noon + 2min + 1ms);
    EXPECT_EQ(late.progress->successes, 0);
    EXPECT_EQ(late.progress->tries, 0) << "and uses up no tries";
}

TEST(MetricBounds, AnAnswerIsNewsForAMinute) {
    const Snapshot look = answered(passed(1, noon + 1min), Kind::NoData, noon + 90s, noon + 90s);
    EXPECT_TRUE(passes(look, noon + 150s));
    EXPECT_EQ(held(check, look, noon + 150s + 1ms).progress->successes, 1) << "it never came";
}

TEST(MetricBounds, PassesAreInARowIfTheyAreAPeriodAndAMinuteApartAtMost) {
    const Instant last = noon + 1min;
    EXPECT_TRUE(
        passes(answered(passed(1, last), Kind::NoData, last + 90s, last + 90s), last + 90s));
    const Snapshot late = answered(passed(1, last), Kind::NoData, last + 91s, last + 91s);
    EXPECT_EQ(held(check, late, last + 91s).progress->successes, 1) << "it is the first again";
}

TEST(MetricBounds, AClockThatIsMoreThanAMinuteAheadIsNotBelieved) {
    Snapshot look = begun();
    look.progress->tries = 1;
    look.progress->since = look.progress->window = noon + 1min;
    EXPECT_EQ(held(check, look, noon).progress->tries, 1);
    EXPECT_EQ(held(check, look, noon - 1ms).progress->tries, 0);
}

TEST(MetricBounds, WhatIsLookedAtAgainSoonIsNotPutOffUntilTheNextQuestion) {
    MetricCheck rare = check;
    rare.period = 5min;
    const Hold hold = held(rare, passed(2, noon + 1min, rare), noon + 3min);
    EXPECT_FALSE(hold.probe.has_value());
    EXPECT_EQ(hold.until, noon + 3min + 10s) << "by then the wait is worth a word";
}

TEST(MetricBounds, AnOldTroubleIsAskedAboutAnewBeforeItIsToldAnew) {
    Snapshot look = begun();
    look.progress->last_result = CheckResult::Error;
    const Hold old = held(check, look, first);
    EXPECT_TRUE(old.probe.has_value());
    EXPECT_TRUE(old.silent);
    const Hold fresh = held(check, answered(begun(), Kind::Unknown, first, first), first + 40s);
    EXPECT_TRUE(fresh.probe.has_value());
    EXPECT_FALSE(fresh.silent) << "this one is news";
    const Hold well = held(check, passed(1, first), first + 30s);
    EXPECT_TRUE(well.probe.has_value());
    EXPECT_FALSE(well.silent);
}

TEST(MetricBounds, PodsThatDoNotMatterDelayNothing) {
    Snapshot look = rolling(3, 2);
    look.pods[0].ready_since = noon + 10s;
    EXPECT_EQ(held(check, look, noon).until, noon + 40s);
    MetricCheck exposed_only = check;
    exposed_only.exposed_only = true;
    EXPECT_EQ(held(exposed_only, look, noon).until, noon + 30s);
    look.pods[2].ready_since = noon + 5s;
    EXPECT_EQ(held(exposed_only, look, noon).until, noon + 35s);
    look.pods.erase(look.pods.begin());
    EXPECT_EQ(held(check, look, noon).until, noon + 35s) << "one that is not there has no time";
}

TEST(MetricBounds, FailuresAreCountedAltogetherAndInARow) {
    Snapshot look = begun();
    look.progress->failed = 3;
    const auto failed = held(check, answered(look, Kind::Data, first, first), first).progress;
    EXPECT_EQ(failed->failed, 4);
    EXPECT_EQ(failed->failures, 1);
    look = passed(1, first);
    look.progress->failed = 3;
    MetricCheck more = check;
    more.success_threshold = 3;
    const Instant next = first + 30s;
    const auto well = held(more, answered(look, Kind::NoData, next, next), next).progress;
    EXPECT_EQ(well->failed, 3);
    EXPECT_EQ(well->failures, 0);
}

TEST(MetricBounds, TheSentenceSaysHowManyChecksAreLeft) {
    MetricCheck bounded = check;
    bounded.max_tries = 10;
    const Snapshot look = passed(1, first);
    EXPECT_EQ(held(bounded, look, first + 1s).message,
              "Checking before pod web-1: 1 of 2 passes in a row; 1 of at most 10 checks used.");
    EXPECT_EQ(held(check, look, first + 1s).message,
              "Checking before pod web-1: 1 of 2 passes in a row.");
}

TEST(MetricBounds, AFailureSaysWhichBoundWasReached) {
    Snapshot look = begun();
    look.progress->tries = 10;
    look.progress->failures = 2;
    look.progress->last_text = "0.5";
    MetricCheck tried = check;
    tried.max_tries = 10;
    EXPECT_EQ(std::get<Fail>(judge(tried, look, first)).message,
              "10 checks were made before pod web-1, and never 2 in a row passed. The last answer: "
              "0.5.");
    MetricCheck in_a_row = check;
    in_a_row.failure_threshold = 2;
    EXPECT_EQ(std::get<Fail>(judge(in_a_row, look, first)).message,
              "2 checks in a row failed before pod web-1. The last answer: 0.5.");
    in_a_row.failure_threshold = 3;
    tried.max_tries = 11;
    EXPECT_TRUE(std::holds_alternative<Hold>(judge(in_a_row, look, first)));
    EXPECT_TRUE(std::holds_alternative<Hold>(judge(tried, look, first)));
}

}  // namespace
}  // namespace sluice::engine
