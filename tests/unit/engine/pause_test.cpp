#include <gtest/gtest.h>

#include "engine/gates.hpp"
#include "tests/unit/engine/seen.hpp"

namespace sluice::engine {
namespace {

using namespace testing;

Verdict judged(const Pause& gate, Instant now) {
    return judge(gate, seen(3), now);
}

Hold held(const Pause& gate, Instant now) {
    return std::get<Hold>(judged(gate, now));
}

bool passes(const Pause& gate, Instant now) {
    return std::holds_alternative<Pass>(judged(gate, now));
}

TEST(PauseGate, WithoutALengthWaitsUntilSomebodyGoesOn) {
    const Hold hold = held({.place = 2}, noon);
    EXPECT_EQ(hold.reason, Reason::StepPaused);
    EXPECT_EQ(hold.message, "Step 3 is a pause until somebody goes on.");
    EXPECT_EQ(hold.until, std::nullopt);
    EXPECT_EQ(hold.rests_at, 2);
    EXPECT_TRUE(passes({.place = 2, .is_over = true}, noon));
}

TEST(PauseGate, EndsWhenItsLengthIsOverAndNotBefore) {
    const Pause minute{.place = 2, .began = noon, .length = 60s};
    EXPECT_EQ(held(minute, noon + 59'999ms).until, noon + 60s);
    EXPECT_EQ(held(minute, noon).message,
              "Step 3 is a pause of 1m, until " + to_rfc3339(noon + 60s) + ".");
    EXPECT_TRUE(passes(minute, noon + 60s));
}

TEST(PauseGate, OneThatBeginsNowIsRememberedInWholeSecondsAndIsNoShorterForIt) {
    const Pause minute{.length = 60s};
    EXPECT_EQ(held(minute, noon + 1ms).until, noon + 61s);
    EXPECT_EQ(held(minute, noon + 999ms).until, noon + 61s);
}

TEST(JobSuccessGate, PassesOnlyWhenTheJobHasEndedWell) {
    JobSuccess gate{.job = "migrate"};
    EXPECT_EQ(std::get<Hold>(judge(gate, seen(3), noon)).message,
              "Waiting for Job migrate to end.");
    gate.state = JobSuccess::State::Failed;
    gate.message = "BackoffLimitExceeded";
    const Fail failed = std::get<Fail>(judge(gate, seen(3), noon));
    EXPECT_EQ(failed.message, "Job migrate failed: BackoffLimitExceeded");
    EXPECT_FALSE(failed.aborts);
    gate.state = JobSuccess::State::Succeeded;
    EXPECT_TRUE(std::holds_alternative<Pass>(judge(gate, seen(3), noon)));
}

}  // namespace
}  // namespace sluice::engine
