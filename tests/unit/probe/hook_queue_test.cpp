#include <gtest/gtest.h>

#include "tests/unit/probe/hook_world.hpp"

namespace sluice::probe::test {
namespace {

class HookQueue : public HookWorld {
  protected:
    // Lets the world turn until the hook was asked so often.
    void await_asked(std::size_t count) {
        while (asked.size() < count) {
            ASSERT_NE(loop.run_one_for(60s), 0u) << "the world stands still";
        }
    }
    // Lets everything happen that can happen without time passing.
    void settle() {
        while (loop.poll() > 0) {
        }
    }
    Handler never = [](const Seen&) { return Reply{.silent = true}; };
    Handler always = [](const Seen&) { return Reply{204}; };
};

TEST_F(HookQueue, AVerdictNeverComesFromInsideTheCall) {
    open();
    begin(plain(), transition("noop", std::nullopt, std::nullopt));
    EXPECT_TRUE(verdicts.empty());
    await_verdicts(1);
    EXPECT_TRUE(verdicts[0].allowed);
}

TEST_F(HookQueue, CallsBeyondTheBoundWaitForTheirTurn) {
    open(true, {.calls_max = 2});
    hook = never;
    const auto one = begin(plain(), first());
    begin(plain(), first());
    begin(plain(), first());
    await_asked(2);
    settle();
    EXPECT_EQ(caller->in_flight(), 2u);
    EXPECT_EQ(caller->waiting(), 1u);
    EXPECT_EQ(asked.size(), 2u);

    hook = always;
    caller->cancel(one);
    await_verdicts(1);
    EXPECT_TRUE(verdicts[0].allowed);
    EXPECT_EQ(caller->in_flight(), 1u);
    EXPECT_EQ(caller->waiting(), 0u);
}

TEST_F(HookQueue, EveryCallOfACrowdEndsOnce) {
    open(true, {.calls_max = 3});
    for (int i = 0; i < 40; ++i)
        begin(plain(), first());
    await_verdicts(40);
    settle();
    EXPECT_EQ(verdicts.size(), 40u);
    EXPECT_EQ(asked.size(), 40u);
    EXPECT_EQ(caller->in_flight(), 0u);
}

TEST_F(HookQueue, AQueueThatIsFullRefusesTheNewest) {
    open(true, {.calls_max = 1, .waiting_max = 1});
    hook = never;
    begin(plain(), first());
    begin(plain(), first());
    begin(plain(), first());
    await_verdicts(1);
    EXPECT_FALSE(verdicts[0].allowed);
    EXPECT_EQ(verdicts[0].message,
              "too many hook calls of namespace shop are waiting; this one will be tried again");
    EXPECT_EQ(caller->in_flight(), 1u);
    EXPECT_EQ(caller->waiting(), 1u);
}

TEST_F(HookQueue, ACancelledCallGivesNoVerdict) {
    open(true, {.calls_max = 1});
    hook = never;
    const auto running = begin(plain(), first());
    const auto waiting = begin(plain(), first());
    await_asked(1);
    caller->cancel(waiting);
    caller->cancel(running);
    caller->cancel(running);
    caller->cancel(4711);
    settle();
    EXPECT_TRUE(verdicts.empty());
    EXPECT_EQ(caller->in_flight(), 0u);
    EXPECT_EQ(caller->waiting(), 0u);
}

TEST_F(HookQueue, ACallCanBeCancelledAtAnyMoment) {
    int survived = 0;
    for (int turns = 0; survived < 3; ++turns) {
        open();
        verdicts.clear();
        const auto id =
            begin(plain(), transition("backup", expected_pod("web-2"), expected_pod("web-1")));
        for (int i = 0; i < turns && verdicts.empty(); ++i)
            loop.run_one_for(60s);
        const std::size_t before = verdicts.size();
        caller->cancel(id);
        settle();
        EXPECT_EQ(verdicts.size(), before);
        if (before == 1) ++survived;
        ASSERT_LT(turns, 1000);
    }
}

TEST_F(HookQueue, TheCallerCanBeDestroyedAtAnyMoment) {
    bool ended = false;
    for (int turns = 0; !ended; ++turns) {
        open();
        verdicts.clear();
        begin(plain(), transition("backup", expected_pod("web-2"), expected_pod("web-1")));
        for (int i = 0; i < turns && verdicts.empty(); ++i)
            loop.run_one_for(60s);
        ended = !verdicts.empty();
        const std::size_t before = verdicts.size();
        caller.reset();
        settle();
        EXPECT_EQ(verdicts.size(), before);
        ASSERT_LT(turns, 1000);
    }
}

TEST_F(HookQueue, WhoeverGetsTheVerdictMayDestroyTheCallerOrCallAgain) {
    open();
    bool allowed = false;
    call(plain(), first(), [&](const HookVerdict&) {
        call(plain(), first(), [&](const HookVerdict& verdict) {
            allowed = verdict.allowed;
            caller.reset();
        });
    });
    while (caller) {
        ASSERT_NE(loop.run_one_for(60s), 0u);
    }
    settle();
    EXPECT_TRUE(allowed);
}

}  // namespace
}  // namespace sluice::probe::test
