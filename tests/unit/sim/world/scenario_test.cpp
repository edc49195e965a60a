// The language of the timelines: what can be said, and what is refused with the line's number.
#include "sim/scenario/scenario.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/scenario/play.hpp"

namespace sluice::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string wrong(const std::string& text) {
    const auto scenario = parse_scenario("test", text);
    return scenario ? "" : scenario.error().message;
}

const std::string end = "finally within 1m\n  phase web Idle\n";

TEST(Scenario, WhatCannotBeReadIsNamedWithItsLine) {
    EXPECT_THAT(wrong(end), IsEmpty());
    EXPECT_THAT(wrong("nonsense\n" + end), HasSubstr("line 1: \"nonsense\" opens no block"));
    EXPECT_THAT(wrong("at noon\n" + end), HasSubstr("line 1: \"at\" wants a time"));
    EXPECT_THAT(wrong("  policies\n" + end), HasSubstr("line 1: a statement before any block"));
    EXPECT_THAT(wrong("given\n  dance\n" + end), HasSubstr("line 2: \"dance\" is none of: "));
    EXPECT_THAT(wrong("given\n  set image web\n" + end),
                HasSubstr("line 2: it is: set image NAME"));
    EXPECT_THAT(wrong("given\n  policies\n"), HasSubstr("the last block must be"));
    EXPECT_THAT(wrong("expect within 1m\n  policies\n" + end), HasSubstr("line 2: \"policies\""));
    EXPECT_THAT(wrong(std::string(500, 'x')), HasSubstr("line 1 is too long"));
}

TEST(Scenario, WhatIsNotSeenIsSaidWithWhatIsSeenInstead) {
    const auto scenario = parse_scenario("test",
                                         "given\n  policies\n  statefulset web replicas 2 hook "
                                         "noop\nfinally within 1m\n  partition web 7\n");
    ASSERT_TRUE(scenario);
    const Outcome outcome = play(*scenario, 1);
    ASSERT_THAT(outcome.problems, Not(IsEmpty()));
    EXPECT_THAT(outcome.problems.front(), HasSubstr("\"partition web 7\", but saw 2"));
}

TEST(Scenario, AnActionThatMustBeRefusedAndIsNotIsAProblem) {
    const auto scenario = parse_scenario(
        "test",
        "given\n  statefulset web replicas 2 hook noop\nat 10s\n  refused scale web 3\n" + end);
    ASSERT_TRUE(scenario);
    EXPECT_THAT(play(*scenario, 1).problems.front(), HasSubstr("it was not refused"));
}

TEST(Scenario, TheSameSeedTellsTheSameStory) {
    const auto scenario = parse_scenario(
        "test",
        "given\n  statefulset web replicas 3 hook noop\nat 5s\n  set image web app:b\n" + end);
    ASSERT_TRUE(scenario);
    const Outcome first = play(*scenario, 7);
    const Outcome second = play(*scenario, 7);
    EXPECT_EQ(first.exchanges, second.exchanges);
    EXPECT_EQ(first.batches, second.batches);
    EXPECT_EQ(first.simulated, second.simulated);
}

}  // namespace
}  // namespace sluice::sim
