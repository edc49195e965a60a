// The gate that Prometheus opens: what counts, what does not, and for how long.
#include <gtest/gtest.h>

#include <functional>

#include "engine/gates.hpp"
#include "engine/memory.hpp"
#include "model/annotations.hpp"
#include "tests/unit/engine/metric_gate.hpp"
#include "tests/unit/engine/seen.hpp"

namespace sluice::engine {
namespace {

using namespace testing;

std::string memory_of(std::int64_t id, std::int64_t generation = 4) {
    Memory memory;
    memory.generation = generation;
    memory.uid = "set";
    memory.id = id;
    memory.revision = "web-B";
    memory.open = true;
    return encode(memory);
}

// Three pods, the last one updated; everything has been ready for an hour.
Snapshot half_way() {
    Snapshot look = rolling(3, 2);
    look.workload.has_annotations = true;
    look.workload.annotations[model::key::rollout] = memory_of(7);
    return look;
}

// Plays the checks of one step as the controller does: what was learnt is remembered, what is asked
// is answered.
struct Step {
    Snapshot look = half_way();
    MetricCheck gate = check;
    Instant now = noon;
    int asked = 0;

    Verdict verdict() {
        Verdict said = judge(gate, look, now);
        if (auto* hold = std::get_if<Hold>(&said)) look.progress = hold->progress;
        if (auto* fail = std::get_if<Fail>(&said)) look.progress = fail->progress;
        return said;
    }
    std::string word() {
        const Verdict said = verdict();
        if (std::holds_alternative<Pass>(said)) return "Pass";
        if (const auto* fail = std::get_if<Fail>(&said))
            return "Fail " + std::string{entry(fail->reason).name};
        return std::string{entry(std::get<Hold>(said).reason).name};
    }
    bool asks() {
        const Verdict said = verdict();
        const auto* hold = std::get_if<Hold>(&said);
        return hold && hold->probe;
    }
    // Lets time pass until it asks, and answers; false if it never asks.
    bool answer(Kind kind, std::string text = "", bool misconfigured = false) {
        for (int waits = 0; waits < 8; ++waits) {
            const Verdict said = verdict();
            const auto* hold = std::get_if<Hold>(&said);
            if (!hold) return false;
            if (hold->probe) {
                const bool is_number = text != "NaN";
                look.evidence = {
                    {hold->probe->key,
                     answer_of(MetricAnswer{kind, is_number, misconfigured, std::move(text)}),
                     now}};
                ++asked;
                return true;
            }
            if (!hold->until) return false;
            now = std::max(now + 1ms, *hold->until);
        }
        return false;
    }
    int tries() { return look.progress ? look.progress->tries : -1; }
    int successes() { return look.progress ? look.progress->successes : -1; }
};

TEST(MetricCheck, PassesAfterEnoughPassesInARow) {
    Step step;
    EXPECT_EQ(step.word(), "InitialDelay");
    ASSERT_TRUE(step.answer(Kind::NoData));
    EXPECT_EQ(step.now, noon + 30s);
    EXPECT_EQ(step.word(), "CheckingMetrics");
    ASSERT_TRUE(step.answer(Kind::NoData));
    EXPECT_EQ(step.now, noon + 60s);
    EXPECT_EQ(step.word(), "Pass");
}

TEST(MetricCheck, DataIsAFailureUnlessItIsWanted) {
    Step step;
    ASSERT_TRUE(step.answer(Kind::Data, "1"));
    EXPECT_EQ(step.word(), "CheckFailed");
    EXPECT_EQ(step.successes(), 0);
    Step other;
    other.gate.passes_on_data = true;
    ASSERT_TRUE(other.answer(Kind::Data, "1"));
    EXPECT_EQ(other.word(), "CheckingMetrics");
    EXPECT_EQ(other.successes(), 1);
    ASSERT_TRUE(other.answer(Kind::NoData));
    EXPECT_EQ(other.word(), "CheckFailed");
}

TEST(MetricCheck, AFailureInBetweenStartsTheCountAnew) {
    Step step;
    for (const Kind kind : {Kind::NoData, Kind::Data, Kind::NoData}) {
        ASSERT_TRUE(step.answer(kind));
        EXPECT_NE(step.word(), "Pass");
    }
    EXPECT_EQ(step.successes(), 1);
    ASSERT_TRUE(step.answer(Kind::NoData));
    EXPECT_EQ(step.word(), "Pass");
}

TEST(MetricCheck, WhatCouldNotBeAskedCountsForNothing) {
    Step step;
    ASSERT_TRUE(step.answer(Kind::NoData));
    EXPECT_EQ(step.successes(), 0) << "counted when it is looked at, not before";
    ASSERT_EQ(step.word(), "CheckingMetrics");
    ASSERT_TRUE(step.answer(Kind::Unknown, "no route"));
    EXPECT_EQ(step.word(), "PrometheusError");
    EXPECT_EQ(step.successes(), 1);
    EXPECT_EQ(step.tries(), 1);
    const Instant asked = step.now;
    ASSERT_TRUE(step.answer(Kind::Unknown, "no key", true));
    EXPECT_EQ(step.now, asked + 30s);
    EXPECT_EQ(step.word(), "PrometheusConfigError");
    ASSERT_TRUE(step.answer(Kind::NoData));
    EXPECT_EQ(step.word(), "Pass");
}

TEST(MetricCheck, WhatCouldNotBeAskedIsAskedAgainAfterItsPeriodOrHalfAMinute) {
    for (const auto& [period, pause] : {std::pair{5s, 5s}, std::pair{300s, 30s}}) {
        Step step;
        step.gate.period = period;
        ASSERT_TRUE(step.answer(Kind::Unknown, "no route"));
        const Instant asked = step.now;
        ASSERT_TRUE(step.answer(Kind::Unknown, "no route"));
        EXPECT_EQ(step.now, asked + pause);
    }
}

TEST(MetricCheck, DataThatIsNoNumberIsNeverAPass) {
    Step step;
    step.gate.passes_on_data = true;
    ASSERT_TRUE(step.answer(Kind::Data, "NaN"));
    EXPECT_NE(step.word(), "Pass");
    EXPECT_EQ(step.successes(), 0);
}

TEST(MetricCheck, NeverPassesByErrorsAlone) {
    Step step;
    step.gate.success_threshold = 1;
    step.gate.max_tries = 3;
    for (int i = 0; i < 50; ++i) {
        ASSERT_TRUE(step.answer(Kind::Unknown, "down"));
        ASSERT_EQ(step.word(), "PrometheusError");
    }
    EXPECT_EQ(step.tries(), 0);
}

TEST(MetricCheck, PassesThatAreTooFarApartAreNotInARowAndUseUpNoTries) {
    Step step;
    step.gate.max_tries = 2;
    ASSERT_TRUE(step.answer(Kind::NoData));
    ASSERT_EQ(step.word(), "CheckingMetrics");
    step.now = step.now + 1h;
    ASSERT_TRUE(step.answer(Kind::NoData));
    EXPECT_EQ(step.word(), "CheckingMetrics");
    EXPECT_EQ(step.successes(), 1);
    EXPECT_EQ(step.tries(), 1);
    ASSERT_TRUE(step.answer(Kind::NoData));
    EXPECT_EQ(step.word(), "Pass");
}

TEST(MetricCheck, FailuresUseUpTriesHoweverFarApart) {
    Step step;
    step.gate.max_tries = 2;
    ASSERT_TRUE(step.answer(Kind::Data));
    ASSERT_EQ(step.word(), "CheckFailed");
    step.now = step.now + 1h;
    ASSERT_TRUE(step.answer(Kind::Data));
    EXPECT_EQ(step.word(), "Fail ChecksExhausted");
}

TEST(MetricCheck, APassThatWasNotActedOnIsForgotten) {
    Step step;
    ASSERT_TRUE(step.answer(Kind::NoData));
    ASSERT_TRUE(step.answer(Kind::NoData));
    ASSERT_EQ(step.word(), "Pass");
    step.now = step.now + 1h;
    EXPECT_NE(step.word(), "Pass");
    ASSERT_TRUE(step.answer(Kind::NoData));
    EXPECT_NE(step.word(), "Pass");
    ASSERT_TRUE(step.answer(Kind::NoData));
    EXPECT_EQ(step.word(), "Pass");
}

TEST(MetricCheck, FailsWhenTheTriesAreUsedUp) {
    Step step;
    step.gate.max_tries = 3;
    for (const Kind kind : {Kind::NoData, Kind::Data, Kind::NoData}) {
        EXPECT_NE(step.word(), "Fail ChecksExhausted");
        ASSERT_TRUE(step.answer(kind));
    }
    EXPECT_EQ(step.word(), "Fail ChecksExhausted");
    EXPECT_EQ(step.tries(), 3);
    step.look.evidence.clear();  // a new process knows what the status says
    EXPECT_EQ(step.word(), "Fail ChecksExhausted");
}

TEST(MetricCheck, FailsAfterTooManyFailuresInARow) {
    Step step;
    step.gate.failure_threshold = 2;
    for (const Kind kind : {Kind::Data, Kind::NoData, Kind::Data, Kind::Data}) {
        EXPECT_NE(step.word(), "Fail ChecksExhausted");
        ASSERT_TRUE(step.answer(kind));
    }
    EXPECT_EQ(step.word(), "Fail ChecksExhausted");
}

TEST(MetricCheck, ThePassOfTheLastTryIsAPass) {
    Step step;
    step.gate.max_tries = 2;
    ASSERT_TRUE(step.answer(Kind::NoData));
    ASSERT_TRUE(step.answer(Kind::NoData));
    EXPECT_EQ(step.word(), "Pass");
}

TEST(MetricCheck, AnotherDefinitionGateRevisionRolloutOrSetVoidsTheCounts) {
    const std::function<void(Step&)> changes[] = {
        [](Step& step) { step.gate.definition = "two"; },
        [](Step& step) {
            std::string& text = step.look.workload.annotations[model::key::rollout];
            Memory memory = decode_memory(text).value();
            memory.partition = Partition{1};
            text = encode(memory);
        },
        [](Step& step) { step.look.workload.update_revision = "web-C"; },
        [](Step& step) { step.look.workload.annotations[model::key::rollout] = memory_of(8); },
        [](Step& step) { step.look.workload.meta.uid = "another"; },
        [](Step& step) {  // the gate was elsewhere in between
            step.look.workload.annotations[model::key::rollout] = memory_of(7, 6);
        },
    };
    for (const auto& change : changes) {
        Step step;
        ASSERT_TRUE(step.answer(Kind::NoData));
        ASSERT_EQ(step.word(), "CheckingMetrics");
        change(step);
        EXPECT_EQ(step.word(), "InitialDelay");
        EXPECT_EQ(step.successes(), 0);
    }
}

TEST(MetricCheck, APodThatWasAwayBeginsTheWindowAnew) {
    Step step;
    ASSERT_TRUE(step.answer(Kind::NoData));
    ASSERT_EQ(step.word(), "CheckingMetrics");
    step.look.pods[0].ready_since = step.now + 10s;
    step.now = step.now + 10s;
    EXPECT_EQ(step.word(), "InitialDelay");
    EXPECT_EQ(step.successes(), 0);
    const Instant back = step.now;
    ASSERT_TRUE(step.answer(Kind::NoData));
    EXPECT_EQ(step.now, back + 30s);
}

TEST(MetricCheck, AnAnswerToAnotherQuestionProvesNothing) {
    Step step;
    step.gate.success_threshold = 1;
    ASSERT_TRUE(step.answer(Kind::NoData));
    step.gate.definition = "two";
    EXPECT_EQ(step.word(), "InitialDelay");
    ASSERT_TRUE(step.answer(Kind::Data));
    EXPECT_EQ(step.word(), "CheckFailed");
}

TEST(MetricCheck, AnAnswerCountsOnce) {
    Step step;
    ASSERT_TRUE(step.answer(Kind::NoData));
    for (int i = 0; i < 5; ++i)
        EXPECT_EQ(step.word(), "CheckingMetrics");
    EXPECT_EQ(step.tries(), 1);
    EXPECT_FALSE(step.asks());
}

TEST(MetricCheck, TimesFromAClockThatWasAheadAreVoid) {
    Step step;
    ASSERT_TRUE(step.answer(Kind::NoData));
    ASSERT_EQ(step.word(), "CheckingMetrics");
    step.now = step.now - 2h;
    EXPECT_EQ(step.word(), "InitialDelay");
    EXPECT_TRUE(step.answer(Kind::NoData));
}

TEST(MetricCheck, AShortDelayIsNotWorthAWrite) {
    Step step;
    step.gate.initial_delay = 1s;
    const Verdict said = step.verdict();
    ASSERT_TRUE(std::holds_alternative<Hold>(said));
    EXPECT_TRUE(std::get<Hold>(said).silent);
    EXPECT_EQ(std::get<Hold>(said).until, in_whole_seconds(noon) + 1s);
}

}  // namespace
}  // namespace sluice::engine
