#include "net/subprocess.hpp"

#include <dirent.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <set>

namespace sluice::net {
namespace {

using ::testing::HasSubstr;

class SubprocessTest : public ::testing::Test {
  protected:
    Result<ProgramOutput> run(Program program) {
        std::optional<Result<ProgramOutput>> result;
        run_program(loop, std::move(program), [&](Result<ProgramOutput> got) {
            EXPECT_FALSE(result) << "done was called twice";
            result = std::move(got);
        });
        EXPECT_FALSE(result) << "done was called from inside run_program()";
        loop.restart();
        loop.run_for(std::chrono::minutes(1));
        return result ? *result : failure(ErrorKind::Timeout, "the test gave up");
    }

    Result<ProgramOutput> run_shell(const std::string& script, Program program = {}) {
        program.argv = {"sh", "-c", script};
        return run(std::move(program));
    }

    boost::asio::io_context loop;
};

std::set<std::string> open_descriptors() {
    std::set<std::string> found;
    DIR* folder = ::opendir("/proc/self/fd");
    while (const dirent* entry = ::readdir(folder))
        found.insert(entry->d_name);
    ::closedir(folder);
    return found;
}

bool has_children() {
    return ::waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD;
}

TEST_F(SubprocessTest, hands_on_both_outputs_and_the_exit_code) {
    const auto got = run_shell("printf out; printf err >&2; exit 3");
    ASSERT_TRUE(got);
    EXPECT_EQ(got->out, "out");
    EXPECT_EQ(got->err, "err");
    EXPECT_EQ(got->exit_code, 3);
}

TEST_F(SubprocessTest, feeds_stdin_also_when_nobody_reads_it) {
    const auto got = run_shell("cat", {.input = std::string(300'000, 'x') + "end"});
    ASSERT_TRUE(got);
    EXPECT_EQ(got->out.size(), 300'003u);
    EXPECT_TRUE(run_shell("true", {.input = std::string(300'000, 'x')}));
    EXPECT_EQ(run_shell("cat")->out, "");
}

TEST_F(SubprocessTest, adds_to_the_environment_and_replaces) {
    ::setenv("SLUICE_TEST_KEPT", "kept", 1);
    ::setenv("SLUICE_TEST_REPLACED", "old", 1);
    const auto got = run_shell("echo $SLUICE_TEST_KEPT $SLUICE_TEST_REPLACED $SLUICE_TEST_NEW; env",
                               {.env = {{"SLUICE_TEST_REPLACED", Redacted("new")},
                                        {"SLUICE_TEST_NEW", Redacted("a=b c")}}});
    ASSERT_TRUE(got);
    EXPECT_TRUE(got->out.starts_with("kept new a=b c\n"));
    EXPECT_THAT(got->out, ::testing::Not(HasSubstr("=old")));
}

TEST_F(SubprocessTest, says_that_there_is_no_such_program) {
    const auto got = run({.argv = {"no-such-program-anywhere"}});
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().kind, ErrorKind::Unreadable);
    EXPECT_EQ(got.error().message,
              "cannot run no-such-program-anywhere: No such file or directory");
}

TEST_F(SubprocessTest, says_that_a_file_is_no_program) {
    const auto got = run({.argv = {"/etc/passwd"}});
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().kind, ErrorKind::Unreadable);
}

TEST_F(SubprocessTest, refuses_what_cannot_be_passed_on) {
    using std::string_literals::operator""s;
    for (const Program& program :
         {Program{}, Program{.argv = {""}}, Program{.argv = {"echo", "a\0b"s}},
          Program{.argv = {"echo"}, .env = {{"A=B", Redacted("x")}}},
          Program{.argv = {"echo"}, .env = {{"A", Redacted("x\0y"s)}}}}) {
        const auto got = run(program);
        ASSERT_FALSE(got);
        EXPECT_EQ(got.error().kind, ErrorKind::Invalid);
    }
}

TEST_F(SubprocessTest, kills_the_program_and_its_children_at_the_deadline) {
    const auto got = run_shell("sleep 1000 & echo $!; sleep 1000", {.deadline = 300ms});
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().kind, ErrorKind::Timeout);
    EXPECT_EQ(got.error().message, "sh did not end within 300ms");
    EXPECT_FALSE(has_children());
}

TEST_F(SubprocessTest, kills_a_program_that_ignores_signals) {
    const auto got =
        run_shell("trap '' TERM INT HUP; while :; do sleep 1000; done", {.deadline = 100ms});
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().kind, ErrorKind::Timeout);
}

TEST_F(SubprocessTest, kills_a_program_that_prints_too_much) {
    const auto got =
        run_shell("while :; do echo xxxxxxxxxxxxxxxxxxxxxxx; done", {.output_max = 10'000});
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().kind, ErrorKind::TooLarge);
    EXPECT_FALSE(has_children());
}

TEST_F(SubprocessTest, counts_output_also_when_the_program_ended_at_once) {
    EXPECT_EQ(run_shell("printf 12345", {.output_max = 5})->out, "12345");
    const auto got = run_shell("printf 123456", {.output_max = 5});
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().kind, ErrorKind::TooLarge);
}

TEST_F(SubprocessTest, does_not_wait_for_what_the_program_left_behind) {
    const auto got = run_shell("echo done; sleep 1000 & echo $!");
    ASSERT_TRUE(got);
    ASSERT_TRUE(got->out.starts_with("done\n"));
    ::kill(std::stoi(got->out.substr(5)), SIGKILL);
}

TEST_F(SubprocessTest, reports_a_signal_as_shells_do) {
    EXPECT_EQ(run_shell("kill -TERM $$")->exit_code, 128 + SIGTERM);
}

TEST_F(SubprocessTest, passes_on_no_descriptor_and_no_ignored_signal) {
    const int inheritable = ::dup(STDERR_FILENO);
    const auto before = ::signal(SIGPIPE, SIG_IGN);
    const auto got = run_shell("ls /proc/$$/fd; sed -n 's/^SigIgn:/0x/p' /proc/$$/status");
    ::signal(SIGPIPE, before);
    ::close(inheritable);
    ASSERT_TRUE(got);
    ASSERT_TRUE(got->out.starts_with("0\n1\n2\n0x\t")) << got->out;
    const auto ignored = std::stoull(got->out.substr(9), nullptr, 16);
    EXPECT_EQ(ignored & (1u << (SIGPIPE - 1)), 0u);
}

TEST_F(SubprocessTest, leaves_no_descriptor_and_no_zombie) {
    run_shell("true");  // the loop keeps descriptors of its own
    const auto before = open_descriptors();
    run_shell("echo hello", {.input = "x"});
    run_shell("sleep 1000", {.deadline = 50ms});
    run({.argv = {"no-such-program-anywhere"}});
    EXPECT_EQ(open_descriptors(), before);
    EXPECT_FALSE(has_children());
}

TEST_F(SubprocessTest, is_killed_and_reaped_when_the_loop_goes_away) {
    {
        boost::asio::io_context short_lived;
        run_program(short_lived, {.argv = {"sleep", "1000"}}, [](auto) { FAIL(); });
        short_lived.poll();
    }
    EXPECT_FALSE(has_children());
}

TEST_F(SubprocessTest, runs_many_beside_each_other) {
    int finished = 0;
    for (int i = 0; i < 20; ++i) {
        run_program(loop, {.argv = {"sh", "-c", "echo " + std::to_string(i)}}, [&, i](auto got) {
            EXPECT_EQ(got->out, std::to_string(i) + "\n");
            ++finished;
        });
    }
    loop.run();
    EXPECT_EQ(finished, 20);
}

}  // namespace
}  // namespace sluice::net
