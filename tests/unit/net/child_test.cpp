#include "net/child.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <optional>

namespace sluice::net {
namespace {

class ChildTest : public ::testing::Test {
  protected:
    void start(const std::string& script) {
        auto started = Child::start(loop, {.argv = {"/bin/sh", "-c", script}},
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
    auto started =
        Child::start(loop, {.argv = {"/nowhere"}}, [this](int exit_code) { ended = exit_code; });
    ASSERT_TRUE(started);
    EXPECT_EQ(wait(), 127);
}

TEST_F(ChildTest, is_the_file_that_was_opened_whatever_its_name_leads_to) {
    char name[] = "/tmp/sluice-child-XXXXXX";
    const int written = ::mkstemp(name);
    const std::string script = "#!/bin/sh\n[ \"$WORD\" = \"a word\" ] && exit 5\n";
    ASSERT_EQ(::write(written, script.data(), script.size()), static_cast<ssize_t>(script.size()));
    ::fchmod(written, 0700);
    ::close(written);
    const int opened = ::open(name, O_RDONLY | O_CLOEXEC);
    ::unlink(name);
    const auto started = Child::start(
        loop, {.argv = {"gone"}, .env = {{"WORD", Redacted("a word")}}, .image = opened},
        [this](int exit_code) { ended = exit_code; });
    ::close(opened);
    ASSERT_TRUE(started);
    EXPECT_EQ(wait(), 5);
}

TEST_F(ChildTest, prints_where_it_was_told_to) {
    int out[2];
    int err[2];
    ASSERT_EQ(::pipe2(out, O_CLOEXEC) + ::pipe2(err, O_CLOEXEC), 0);
    const auto started = Child::start(
        loop,
        {.argv = {"/bin/sh", "-c", "echo to out; echo to err >&2"}, .out = out[1], .err = err[1]},
        [this](int exit_code) { ended = exit_code; });
    ASSERT_TRUE(started);
    EXPECT_EQ(wait(), 0);
    for (const auto& [pipe, words] : {std::pair{out, "to out\n"}, std::pair{err, "to err\n"}}) {
        ::close(pipe[1]);
        char text[16] = {};
        EXPECT_EQ(::read(pipe[0], text, sizeof text), 7);
        EXPECT_STREQ(text, words);
        ::close(pipe[0]);
    }
}

TEST_F(ChildTest, takes_what_it_started_along_when_it_is_forgotten) {
    int out[2];
    ASSERT_EQ(::pipe2(out, O_CLOEXEC), 0);
    auto started = Child::start(
        loop, {.argv = {"/bin/sh", "-c", "sleep 1000 & echo; wait"}, .out = out[1]}, [](int) {});
    ASSERT_TRUE(started);
    ::close(out[1]);
    char text[16] = {};
    ASSERT_EQ(::read(out[0], text, sizeof text), 1);
    started->reset();
    EXPECT_EQ(::read(out[0], text, sizeof text), 0) << "nobody is left to write";
    ::close(out[0]);
}

}  // namespace
}  // namespace sluice::net
