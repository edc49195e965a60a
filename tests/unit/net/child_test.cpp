#include "net/child.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <optional>

namespace sluice::net {
namespace {

class ChildTest : public ::testing::Test {
  protected:
    void start(const std::string& script) {
        auto started = Child::start(loop, {"/bin/sh", "-c", script},
                                    [this](int exit_code) { ended = exit_code; });
        ASSERT_TRUE(started) << started.error().message;
        child = std::move(*started);
    }
    std::optional<int> wait() {
        while (!ended && loop.run_one_for(std::chrono::minutes(1)) != 0) {
        }
        return ended;
    }

    boost::asio::io_context loop;
    std::unique_ptr<Child> child;
    std::optional<int> ended;
};

TEST_F(ChildTest, tells_how_it_ended) {
    start("exit 3");
    EXPECT_EQ(wait(), 3);
}

TEST_F(ChildTest, ends_when_it_is_asked_to) {
    start("exec sleep 1000");
    child->terminate();
    EXPECT_EQ(wait(), 128 + SIGTERM);
    child->terminate();
}

TEST_F(ChildTest, is_killed_when_it_is_forgotten) {
    start("trap '' TERM; while :; do sleep 1000; done");
    const int pid = child->pid();
    child.reset();
    EXPECT_EQ(::kill(pid, 0), -1);
    loop.run();
    EXPECT_FALSE(ended);
}

TEST_F(ChildTest, inherits_neither_input_nor_descriptors_nor_signals) {
    ::signal(SIGHUP, SIG_IGN);
    start(
        "read line && exit 9\n"
        "[ \"$(ls /proc/self/fd | wc -l)\" = 4 ] || exit 8\n"  // ls has one of its own
        "kill -HUP $$\n"
        "exit 7");
    EXPECT_EQ(wait(), 128 + SIGHUP);
    ::signal(SIGHUP, SIG_DFL);
}

TEST_F(ChildTest, that_cannot_be_executed_ends_with_127) {
    auto started = Child::start(loop, {"/nowhere"}, [this](int exit_code) { ended = exit_code; });
    ASSERT_TRUE(started);
    EXPECT_EQ(wait(), 127);
}

}  // namespace
}  // namespace sluice::net
